import { maskStored, type StoredNumber } from '../phone.ts';
import { isTopupReference } from '../topup.ts';

/** The step that reverses a deposit. */
export const DEPOSIT_REVERSAL = 'reverse-deposit';
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
  explainSettled(line) ??
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

/** What stood in suspense until somebody settled it; companies do not learn who the providers are. */
function explainSettled(line: WalletChange): string | undefined {
  if (line.other_account !== 'suspense') return undefined;
  const what = settledOf(line);
  return line.change.startsWith('-')
    ? `${what}: done without a charge before, charged as agreed`
    : `${what}: not done in the end, money returned`;
}

function settledOf(line: WalletChange): string {
  if (line.topup_id !== null) return `Top-up ${line.topup_id}, attempt ${line.topup_attempt}`;
  if (line.serial_number !== null)
    return `Voucher ${line.serial_number}: payment to ${line.merchant_name}, redemption ${line.redemption_reference}`;
  const reference = line.operation_id.replace('recovered:', '');
  return `${isTopupReference(reference) ? 'Top-up' : 'Payment'} ${reference} from before a recovery of the service`;
}

function explainVoucher(line: WalletChange): string | undefined {
  if (line.serial_number === null) return undefined;
  const voucher = `Voucher ${line.serial_number}`;
  const redemption = `redemption ${line.redemption_reference}`;
  if (line.operation_id.startsWith('cancel-')) return `${voucher} cancelled, its rest returned`;
  if (line.operation_id.startsWith('expire-')) return `${voucher} expired, its rest returned`;
  if (line.redemption_reference === null) return `${voucher} generated`;
  const isFee = line.other_account === 'service-fees';
  if (!line.change.startsWith('-'))
    return `${voucher}: ${redemption} of ${line.merchant_name} reversed, ${isFee ? 'service fee' : 'payment'} returned`;
  return isFee
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
