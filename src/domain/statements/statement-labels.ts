import { maskStored, type StoredNumber } from '../phone.ts';
import { isTopupReference } from '../topup.ts';

/**
 * The step that settles a late success: a refused operation that the provider carried out anyway.
 */
export const LATE_SUCCESS_SETTLEMENT = 'settle-late-success';

/** The step that settles a payment whose row a restore took back. */
export const RECOVERY_SETTLEMENT = 'settle-recovered';

/** The steps of what two providers did: the second delivery, and its settlement. */
export const DOUBLE_DELIVERY = 'double-delivery';
export const DOUBLE_SETTLEMENT = 'settle-double-delivery';

/** The operation of the ledger that books what this provider did beside another one. */
export const doubleOperationId = (reference: string, provider: string): string =>
  `double:${reference}:${provider}`;

/** The step that reverses a deposit. */
export const DEPOSIT_REVERSAL = 'reverse-deposit';
/** The steps that settle a reversal by the provider, and return its service fee. */
export const REVERSAL_SETTLEMENT = 'settle-reversal';
export const REVERSAL_FEE = 'settle-reversal-fee';

/** The steps of a reversal that a merchant asked for: the payment, and its service fee. */
export const PAYMENT_REVERSAL = 'reverse-payment';
export const FEE_REVERSAL = 'reverse-service-fee';

/** The step of a goodwill credit, which the platform pays out of its service fees. */
export const GOODWILL = 'goodwill';

/** The step that books what a provider charged for a day; corrections have a number behind it. */
export const PROVIDER_FEE = 'provider-fee';

/** One change of a wallet, with the facts of its operation. */
export interface WalletChange {
  readonly operation_id: string;
  readonly step: string;
  /** The kind of the opposite account. */
  readonly other_account: string;
  /** Decimal string; negative when money left the wallet. */
  readonly change: string;
  readonly serial_number: string | null;
  readonly redemption_reference: string | null;
  readonly merchant_name: string | null;
  readonly topup_id: number | null;
  readonly topup_attempt: number | null;
  readonly topup_attempt_status: 'HELD' | 'POSTED' | 'VOIDED' | null;
  readonly topup_product: string | null;
  readonly msisdn: StoredNumber | null;
}

/** Describes a line of a statement; phone numbers are masked. */
export const explainLine = (line: WalletChange): string =>
  explainDeposit(line) ??
  explainGoodwill(line) ??
  explainLateSuccess(line) ??
  explainRecovered(line) ??
  explainDouble(line) ??
  explainReversal(line) ??
  explainVoucher(line) ??
  explainTopUp(line) ??
  explainUnknown(line);

function explainDeposit({ operation_id, step }: WalletChange): string | undefined {
  const [, reference] = /^deposit:(.+)$/.exec(operation_id) ?? [];
  if (reference === undefined) return undefined;
  return step === DEPOSIT_REVERSAL ? `Deposit ${reference} reversed` : `Deposit ${reference}`;
}

const explainGoodwill = ({ operation_id, step }: WalletChange): string | undefined =>
  step === GOODWILL ? `Credited as goodwill, ${operation_id.replace('goodwill:', '')}` : undefined;

/** A late success that the partner agreed to pay. */
function explainLateSuccess(line: WalletChange): string | undefined {
  if (line.step !== LATE_SUCCESS_SETTLEMENT) return undefined;
  return line.topup_id === null
    ? `Voucher ${line.serial_number}: ${line.merchant_name} paid late, redemption ` +
        `${line.redemption_reference}, charged as agreed`
    : `Top-up ${line.topup_id}, attempt ${line.topup_attempt}: delivered late, charged as agreed`;
}

/** A payment from before a restore that the partner agreed to pay. */
function explainRecovered({ operation_id, step }: WalletChange): string | undefined {
  if (step !== RECOVERY_SETTLEMENT) return undefined;
  const reference = operation_id.replace('recovered:', '');
  return `${subjectOf(reference)}: made before a recovery of the service, charged as agreed`;
}

/** What two providers did, where the partner agreed to pay for both; companies do not learn who they are. */
function explainDouble({ operation_id, step }: WalletChange): string | undefined {
  if (step !== DOUBLE_SETTLEMENT) return undefined;
  const [, reference = ''] = operation_id.split(':');
  return `${subjectOf(reference)}: done a second time, charged as agreed`;
}

/** What has this reference towards its provider. */
const subjectOf = (reference: string): string =>
  `${isTopupReference(reference) ? 'Top-up' : 'Payment'} ${reference}`;

/** A reversal by the provider that was returned to the partner. */
function explainReversal(line: WalletChange): string | undefined {
  if (line.step !== REVERSAL_SETTLEMENT && line.step !== REVERSAL_FEE) return undefined;
  if (line.topup_id !== null)
    return (
      `Top-up ${line.topup_id}, attempt ${line.topup_attempt}: taken back by the provider, ` +
      'money returned'
    );
  const returned = line.step === REVERSAL_FEE ? 'service fee returned' : 'money returned';
  return (
    `Voucher ${line.serial_number}: the payment to ${line.merchant_name} was taken back, ` +
    `redemption ${line.redemption_reference}, ${returned}`
  );
}

function explainVoucher(line: WalletChange): string | undefined {
  if (line.serial_number === null) return undefined;
  const voucher = `Voucher ${line.serial_number}`;
  const redemption = `redemption ${line.redemption_reference}`;
  if (line.operation_id.startsWith('cancel-')) return `${voucher} cancelled, its rest returned`;
  if (line.operation_id.startsWith('expire-')) return `${voucher} expired, its rest returned`;
  if (line.redemption_reference === null) return `${voucher} generated`;
  if (line.step === PAYMENT_REVERSAL)
    return `${voucher}: ${line.merchant_name} reversed ${redemption}, payment returned`;
  if (line.step === FEE_REVERSAL)
    return `${voucher}: ${line.merchant_name} reversed ${redemption}, service fee returned`;
  return line.other_account === 'service-fees'
    ? `${voucher} redeemed: service fee, ${redemption}`
    : `${voucher} redeemed: ${line.merchant_name} paid, ${redemption}`;
}

const attemptWords = { HELD: 'under way', POSTED: 'delivered', VOIDED: 'failed' } as const;

function explainTopUp(line: WalletChange): string | undefined {
  const { topup_id, topup_attempt_status: status, other_account } = line;
  if (topup_id === null || status === null || other_account !== 'airtime-hold') return undefined;
  const product = line.topup_product ?? 'airtime';
  const number = line.msisdn === null ? '' : maskStored(line.msisdn);
  const ending = line.change.startsWith('-') ? attemptWords[status] : 'failed, money returned';
  return `Top-up ${topup_id}, ${product} for ${number}, attempt ${line.topup_attempt}: ${ending}`;
}

/** For example a manual correction. */
function explainUnknown(line: WalletChange): string {
  const direction = line.change.startsWith('-') ? 'To' : 'From';
  return `${direction} ${line.other_account}: step ${line.step} of operation ${line.operation_id}`;
}
