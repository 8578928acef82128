import { formatAmount, parseMoney } from '../src/domain/money.js';
import { database } from './activity-options.js';
import {
  type CancelVoucherCommand,
  type OperationOutcome,
  type VoucherCancelled,
  voucherCancelled,
} from './contracts.js';
import { showAnswer } from './current-details.js';
import { signalIfRunning } from './steps/signal-if-running.js';
import { claimWorkflowId } from './workflow-ids.js';

/**
 * Cancels a voucher: one local activity with one transaction. The workflow of the claim that ended
 * with it is told, so that it need not wait for the claim's time.
 */
export async function cancelVoucher(
  command: CancelVoucherCommand,
): Promise<OperationOutcome<VoucherCancelled>> {
  const { outcome, endedClaim } = await database.cancelVoucher(command);
  const what = `voucher ${command.voucherId} of partner ${command.company.id}`;
  showAnswer(`the cancellation of ${what}`, outcome.result, ({ returned }) => [
    `**Cancelled**: ${what}. ETB ${formatAmount(parseMoney(returned))} went back to the partner's gift wallet.`,
    'No action is needed.',
  ]);
  if (endedClaim !== null) await signalIfRunning(claimWorkflowId(endedClaim), voucherCancelled);
  return outcome;
}
