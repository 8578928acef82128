import { formatAmount, parseMoney } from '../src/domain/money.ts';
import type { OperationOutcome } from '../src/domain/refusals.ts';
import { database } from './activity-options.ts';
import { type CancelVoucherCommand, type VoucherCancelled, voucherCancelled } from './contracts.ts';
import { showAnswer } from './current-details.ts';
import { tellCaller } from './steps/answers.ts';
import { signalIfRunning } from './steps/messages.ts';

/**
 * Cancels a voucher: one local activity with one transaction. The workflow of the claim that ended
 * with it is told, so that it need not wait for the claim's time.
 */
export async function cancelVoucher(
  command: CancelVoucherCommand,
): Promise<OperationOutcome<VoucherCancelled>> {
  const { outcome, endedClaim } = await database.cancelVoucher(command);
  tellCaller(outcome);
  const what = `voucher ${command.voucherId} of partner ${command.company.id}`;
  showAnswer(`the cancellation of ${what}`, outcome.result, ({ returned }) => [
    `**Cancelled**: ${what}. ETB ${formatAmount(parseMoney(returned))} went back to the partner's gift wallet.`,
    'No action is needed.',
  ]);
  if (endedClaim !== null) await signalIfRunning(endedClaim.workflowId, voucherCancelled);
  return outcome;
}
