import { database } from './activity-options.js';
import type { GeneratedVoucher, GenerateVoucherCommand, OperationOutcome } from './contracts.js';

/** Generates a gift voucher (specification 4.1): one local activity with one transaction. */
export async function generateVoucher(
  command: GenerateVoucherCommand,
): Promise<OperationOutcome<GeneratedVoucher>> {
  return database.generateVoucher(command);
}
