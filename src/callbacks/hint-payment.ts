import { reverseRedemptionId } from '../../workflows/workflow-ids.js';
import { requestFailoverInquiry } from '../db/providers/failover-inquiries.js';
import {
  type ReferencedPayment,
  requestPaymentInquiry,
} from '../db/reconciliation/referenced-payments.js';
import type { MobileMoneyProviderName } from '../domain/providers/provider-names.js';
import type { Services } from '../http/services.js';
import { redemptionWorkflowId } from '../temporal/workflow-starts.js';

/**
 * Passes a callback on as a hint: the workflow or the next reconciliation asks the provider before it
 * changes anything. While a payment is being sent, a hint would only cost its workflow a task. The
 * provider that calls is the one that is asked: it may have done what another one was asked for since.
 */
export async function hintPayment(
  services: Services,
  payment: ReferencedPayment,
  from: MobileMoneyProviderName,
): Promise<void> {
  const { database, workflows, settings, mayHint } = services;
  const { operationId, provider } = payment;
  if (provider !== null && provider !== from) {
    if (!mayHint(`${operationId} ${from}`)) return;
    if (await requestFailoverInquiry(database, operationId, from)) return;
  }
  if (payment.isOpen && !payment.isAsked) return;
  if (!mayHint(payment.operationId)) return;
  if (payment.isOpen) await workflows.hintPayment(workflowIdOf(payment));
  else if (payment.kind === 'payment')
    await requestPaymentInquiry(database, payment, settings.reversalWatchSeconds);
}

const workflowIdOf = (payment: ReferencedPayment): string =>
  payment.kind === 'payment'
    ? redemptionWorkflowId(payment)
    : reverseRedemptionId(payment.redemptionId, payment.operationId);
