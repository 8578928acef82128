import { topUpWorkflowId } from '../../workflows/workflow-ids.js';
import { requestFailoverInquiry } from '../db/providers/failover-inquiries.js';
import { requestInquiry } from '../db/reconciliation/refusal-inquiries.js';
import { attemptOfReference, type ReferencedAttempt } from '../db/topups/topup-attempts.js';
import type { AirtimeProviderName } from '../domain/providers/provider-names.js';
import type { Services } from '../http/services.js';

/**
 * Passes a callback on as a hint: the workflow or the next reconciliation asks the provider before it
 * changes anything. An unknown reference costs one query. The provider that calls is the one that is
 * asked: it may have done what another one was asked for since.
 */
export async function hintAttempt(
  services: Services,
  reference: string,
  from: AirtimeProviderName,
): Promise<void> {
  const { database, workflows, settings, mayHint } = services;
  const attempt = await attemptOfReference(database, reference);
  if (!attempt) return;
  const { operationId, provider } = attempt;
  if (provider !== null && provider !== from) {
    if (!mayHint(`${operationId} ${from}`)) return;
    if (await requestFailoverInquiry(database, operationId, from)) return;
  }
  if (isBeingSent(attempt) || !mayHint(attempt.creationId)) return;
  if (attempt.status === 'HELD') await workflows.hintTopUp(topUpWorkflowId(attempt));
  else await requestInquiry(database, reference, settings.reversalWatchSeconds);
}

/**
 * Whether the workflow still waits for the answer to its sending, or books it. A hint would only
 * cost it a workflow task; if the answer leaves the outcome open, the first inquiry follows soon.
 */
const isBeingSent = ({ status, topupStatus }: ReferencedAttempt): boolean =>
  status === 'HELD' && topupStatus !== 'UNKNOWN';
