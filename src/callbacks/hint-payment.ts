import { reverseRedemptionId } from '../../workflows/workflow-ids.ts';
import { doubt } from '../db/positions/placements.ts';
import type { ReferencedPayment } from '../db/reconciliation/referenced-payments.ts';
import type { MobileMoneyProviderName } from '../domain/providers/provider-names.ts';
import type { Services } from '../http/services.ts';
import { redemptionWorkflowId } from '../temporal/workflow-starts.ts';

/**
 * Passes a callback on as a nudge: the workflow or the next reconciliation asks the provider that calls before it
 * changes anything. A nudge that comes during the sending waits in the workflow, because the answer may leave the
 * outcome open.
 */
export async function hintPayment(
  { database, workflows, hintWithinLimit }: Services,
  payment: ReferencedPayment,
  from: MobileMoneyProviderName,
): Promise<void> {
  const isWaiting = payment.isOpen && payment.provider === from;
  await hintWithinLimit(`${payment.operationId} ${from}`, async () => {
    if (isWaiting) await workflows.hintPayment(workflowIdOf(payment));
    else await doubt(database, { reference: payment.reference, provider: from });
  });
}

const workflowIdOf = (payment: ReferencedPayment): string =>
  payment.kind === 'payment'
    ? redemptionWorkflowId(payment)
    : reverseRedemptionId(payment.redemptionId, payment.operationId);
