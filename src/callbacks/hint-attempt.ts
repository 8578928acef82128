import { requestInquiry } from '../db/reconciliation/refusal-inquiries.ts';
import { attemptOfReference } from '../db/topups/topup-attempts.ts';
import type { AirtimeProviderName } from '../domain/providers/provider-names.ts';
import type { Services } from '../http/services.ts';
import { hintFirstProvider } from './hint-first-provider.ts';

/**
 * Passes a callback on as a hint: the workflow or the next reconciliation asks the provider before it
 * changes anything. A hint that comes during the sending waits in the workflow, because the answer may
 * leave the outcome open. An unknown reference costs one query. The service asks the provider that calls.
 */
export async function hintAttempt(
  services: Services,
  reference: string,
  from: AirtimeProviderName,
): Promise<void> {
  const { database, workflows, settings, hintWithinLimit } = services;
  const attempt = await attemptOfReference(database, reference);
  if (!attempt || (await hintFirstProvider(services, attempt, from))) return;
  await hintWithinLimit(attempt.creationId, () =>
    attempt.status === 'HELD'
      ? workflows.hintTopUp(attempt.workflowId)
      : requestInquiry(
          database,
          { kind: 'topup', operationId: attempt.operationId },
          settings.reversalWatchSeconds,
        ),
  );
}
