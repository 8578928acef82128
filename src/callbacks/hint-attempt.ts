import { topUpWorkflowId } from '../../workflows/workflow-ids.ts';
import { requestInquiry } from '../db/reconciliation/refusal-inquiries.ts';
import { attemptOfReference, type ReferencedAttempt } from '../db/topups/topup-attempts.ts';
import type { AirtimeProviderName } from '../domain/providers/provider-names.ts';
import type { Services } from '../http/services.ts';
import { hintFirstProvider } from './hint-first-provider.ts';

/**
 * Passes a callback on as a hint: the workflow or the next reconciliation asks the provider before it
 * changes anything. An unknown reference costs one query. The provider that calls is the one that is
 * asked.
 */
export async function hintAttempt(
  services: Services,
  reference: string,
  from: AirtimeProviderName,
): Promise<void> {
  const { database, workflows, settings, hintWithinLimit } = services;
  const attempt = await attemptOfReference(database, reference);
  if (!attempt || (await hintFirstProvider(services, attempt, from))) return;
  if (isBeingSent(attempt)) return;
  await hintWithinLimit(attempt.creationId, () =>
    attempt.status === 'HELD'
      ? workflows.hintTopUp(topUpWorkflowId(attempt))
      : requestInquiry(
          database,
          { kind: 'topup', operationId: attempt.operationId },
          settings.reversalWatchSeconds,
        ),
  );
}

/**
 * Whether the workflow still waits for the answer to its sending, or books it. A hint would only
 * cost it a workflow task; if the answer leaves the outcome open, the first inquiry follows soon.
 */
const isBeingSent = ({ status, topupStatus }: ReferencedAttempt): boolean =>
  status === 'HELD' && topupStatus !== 'UNKNOWN';
