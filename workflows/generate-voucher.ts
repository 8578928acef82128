import type { OperationOutcome } from '../src/domain/refusals.ts';
import { database } from './activity-options.ts';
import type { GeneratedVoucher, GenerateVoucherCommand } from './contracts.ts';
import { showAnswer } from './current-details.ts';
import { tellCaller } from './steps/answers.ts';

/** Generates a gift voucher (specification 4.1): one local activity with one transaction. */
export async function generateVoucher(
  command: GenerateVoucherCommand,
): Promise<OperationOutcome<GeneratedVoucher>> {
  const outcome = await database.generateVoucher(command);
  tellCaller(outcome);
  const who = `partner ${command.company.id}`;
  showAnswer(`a voucher of ${who}`, outcome.result, ({ voucherId }) => [
    `**Generated**: voucher ${voucherId} of ${who}. Its value is reserved in the gift wallet of the partner.`,
    `No action is needed. \`npm run admin -- voucher show ${voucherId}\` shows its history.`,
  ]);
  return outcome;
}
