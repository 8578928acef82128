import type { StatementLine } from '../db/statement.js';
import { maskMsisdn } from '../domain/phone.js';

/** Says in words what operation made a line of a statement. */
export const explainLine = (line: StatementLine): string =>
  explainDeposit(line) ?? explainVoucher(line) ?? explainTopUp(line) ?? explainUnknown(line);

function explainDeposit({ operation_id }: StatementLine): string | undefined {
  const [, reference] = /^deposit:(.+)$/.exec(operation_id) ?? [];
  return reference && `Deposit ${reference}`;
}

function explainVoucher(line: StatementLine): string | undefined {
  if (line.serial_number === null) return undefined;
  const voucher = `Voucher ${line.serial_number}`;
  const redemption = `redemption ${line.redemption_reference}`;
  if (line.operation_id.startsWith('cancel-')) return `${voucher} cancelled, its rest returned`;
  if (line.operation_id.startsWith('expire-')) return `${voucher} expired, its rest returned`;
  if (line.redemption_reference === null) return `${voucher} generated`;
  return line.other_account === 'service-fees'
    ? `${voucher} redeemed: service fee, ${redemption}`
    : `${voucher} redeemed: ${line.merchant_name} paid, ${redemption}`;
}

const attemptWords = { HELD: 'under way', POSTED: 'delivered', VOIDED: 'failed' } as const;

function explainTopUp(line: StatementLine): string | undefined {
  const { topup_id, topup_attempt_status: status, other_account } = line;
  if (topup_id === null || status === null || other_account !== 'airtime-hold') return undefined;
  const product = line.topup_product ?? 'airtime';
  const number = maskMsisdn(line.msisdn ?? '');
  const ending = line.change.startsWith('-') ? attemptWords[status] : 'failed, money returned';
  return `Top-up ${topup_id}, ${product} for ${number}, attempt ${line.topup_attempt}: ${ending}`;
}

/** Such as a correction that was made by hand. */
function explainUnknown(line: StatementLine): string {
  const direction = line.change.startsWith('-') ? 'To' : 'From';
  return `${direction} ${line.other_account}: step ${line.step} of operation ${line.operation_id}`;
}
