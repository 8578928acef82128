import { doubt } from '../db/positions/placements.ts';
import { attemptOfReference } from '../db/topups/topup-attempts.ts';
import type { AirtimeProviderName } from '../domain/providers/provider-names.ts';
import type { Services } from '../http/services.ts';

/**
 * Passes a callback on as a nudge: the workflow or the next reconciliation asks the provider that calls before it
 * changes anything. A nudge that comes during the sending waits in the workflow, because the answer may leave the
 * outcome open. An unknown reference costs one query.
 */
export async function hintAttempt(
  { database, workflows, hintWithinLimit }: Services,
  reference: string,
  from: AirtimeProviderName,
): Promise<void> {
  const attempt = await attemptOfReference(database, reference);
  if (!attempt) return;
  const isWaiting = attempt.status === 'HELD' && attempt.provider === from;
  await hintWithinLimit(`${attempt.creationId} ${from}`, async () => {
    if (isWaiting) await workflows.hintTopUp(attempt.workflowId);
    else await doubt(database, { reference, provider: from });
  });
}
