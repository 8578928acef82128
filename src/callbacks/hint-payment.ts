import { reverseRedemptionId } from '../../workflows/workflow-ids.ts';
import type { ReferencedPayment } from '../db/reconciliation/referenced-payments.ts';
import { requestInquiry } from '../db/reconciliation/refusal-inquiries.ts';
import type { MobileMoneyProviderName } from '../domain/providers/provider-names.ts';
import type { Services } from '../http/services.ts';
import { redemptionWorkflowId } from '../temporal/workflow-starts.ts';
import { hintFirstProvider } from './hint-first-provider.ts';

/**
 * Passes a callback on as a hint: the workflow or the next reconciliation asks the provider before it
 * changes anything. A hint that comes during the sending waits in the workflow, because the answer may
 * leave the outcome open. The service asks the provider that calls.
 */
export async function hintPayment(
  services: Services,
  payment: ReferencedPayment,
  from: MobileMoneyProviderName,
): Promise<void> {
  const { database, workflows, settings, hintWithinLimit } = services;
  if (await hintFirstProvider(services, payment, from)) return;
  await hintWithinLimit(payment.operationId, async () => {
    if (payment.isOpen) await workflows.hintPayment(workflowIdOf(payment));
    else if (payment.kind === 'payment') {
      const { operationId } = payment;
      const { reversalWatchSeconds } = settings;
      await requestInquiry(database, { kind: 'redemption', operationId }, reversalWatchSeconds);
    }
  });
}

const workflowIdOf = (payment: ReferencedPayment): string =>
  payment.kind === 'payment'
    ? redemptionWorkflowId(payment)
    : reverseRedemptionId(payment.redemptionId, payment.operationId);
