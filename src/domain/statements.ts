import { localText } from './local-time.ts';
import { formatMoney, parseMoney } from './money.ts';
import { maskStored, type StoredNumber } from './phone.ts';
import { filled, sentenceOf } from './sentence.ts';
import { isTopupReference } from './topup.ts';
import type { Company } from './vouchers/voucher.ts';

/** Begins the steps that correct a deposit; the number of the correction is behind it. */
export const DEPOSIT_CORRECTION = 'correct-deposit-';
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

/** Debits leave the wallet, credits enter it; neither has a sign. */
export const sides = ({ change }: Pick<WalletChange, 'change'>) =>
  change.startsWith('-')
    ? { debit: change.slice(1), credit: null }
    : { debit: null, credit: change };

/** Describes a line of a statement in English; phone numbers are masked. */
export const explainLine = (line: WalletChange): string => filled(sentenceOfLine(line));

/** The same as a sentence that can be translated. */
export const sentenceOfLine = (line: WalletChange) =>
  explainDeposit(line) ??
  explainGoodwill(line) ??
  explainSettled(line) ??
  explainVoucher(line) ??
  explainTopup(line) ??
  explainUnknown(line);

const isCorrection = (step: string): boolean => step.startsWith(DEPOSIT_CORRECTION);

function explainDeposit({ operation_id, step }: WalletChange) {
  const [, reference] = /^deposit:(.+)$/.exec(operation_id) ?? [];
  if (reference === undefined) return undefined;
  return sentenceOf(isCorrection(step) ? 'Deposit {1} corrected' : 'Deposit {1}', reference);
}

const explainGoodwill = ({ operation_id, step }: WalletChange) =>
  step === GOODWILL
    ? sentenceOf('Credited as goodwill, {1}', operation_id.replace('goodwill:', ''))
    : undefined;

/** The amount in suspense until a person settled it; companies do not learn who the providers are. */
function explainSettled(line: WalletChange) {
  if (line.other_account !== 'suspense') return undefined;
  const { text, values } = settledOf(line);
  return line.change.startsWith('-')
    ? sentenceOf(`${text}: done without a charge before, charged as agreed`, ...values)
    : sentenceOf(`${text}: not done in the end, money returned`, ...values);
}

function settledOf(line: WalletChange) {
  if (line.topup_id !== null)
    return sentenceOf('Top-up {1}, attempt {2}', line.topup_id, line.topup_attempt);
  if (line.serial_number !== null)
    return sentenceOf(
      'Voucher {1}: payment to {2}, redemption {3}',
      line.serial_number,
      line.merchant_name,
      line.redemption_reference,
    );
  const reference = line.operation_id.replace('recovered:', '');
  const what = isTopupReference(reference) ? 'Top-up' : 'Payment';
  return sentenceOf(`${what} {1} from before a recovery of the service`, reference);
}

function explainVoucher(line: WalletChange) {
  const {
    serial_number: voucher,
    redemption_reference: redemption,
    merchant_name: merchant,
  } = line;
  if (voucher === null) return undefined;
  if (line.operation_id.startsWith('cancel-'))
    return sentenceOf('Voucher {1} cancelled, its rest returned', voucher);
  if (line.operation_id.startsWith('expire-'))
    return sentenceOf('Voucher {1} expired, its rest returned', voucher);
  if (redemption === null) return sentenceOf('Voucher {1} generated', voucher);
  const isFee = line.other_account === 'service-fees';
  if (!line.change.startsWith('-'))
    return sentenceOf(
      `Voucher {1}: redemption {2} of {3} reversed, ${isFee ? 'service fee' : 'payment'} returned`,
      voucher,
      redemption,
      merchant,
    );
  return isFee
    ? sentenceOf('Voucher {1} redeemed: service fee, redemption {2}', voucher, redemption)
    : sentenceOf('Voucher {1} redeemed: {2} paid, redemption {3}', voucher, merchant, redemption);
}

const attemptWords = { HELD: 'under way', POSTED: 'delivered', VOIDED: 'failed' } as const;

function explainTopup(line: WalletChange) {
  const { topup_id, topup_attempt, topup_attempt_status: status, topup_product: product } = line;
  if (topup_id === null || status === null || line.other_account !== 'airtime-hold')
    return undefined;
  const number = line.msisdn === null ? '' : maskStored(line.msisdn);
  const ending = line.change.startsWith('-') ? attemptWords[status] : 'failed, money returned';
  return product === null
    ? sentenceOf(
        `Top-up {1}, airtime for {2}, attempt {3}: ${ending}`,
        topup_id,
        number,
        topup_attempt,
      )
    : sentenceOf(
        `Top-up {1}, {2} for {3}, attempt {4}: ${ending}`,
        topup_id,
        product,
        number,
        topup_attempt,
      );
}

/** Explains a line of an unknown operation, such as a manual correction. */
function explainUnknown({ change, other_account, step, operation_id }: WalletChange) {
  const direction = change.startsWith('-') ? 'To' : 'From';
  return sentenceOf(
    `${direction} {1}: step {2} of operation {3}`,
    other_account,
    step,
    operation_id,
  );
}

/** The changes of a wallet in words of the field, each with its meaning. */
export const transactionKinds = {
  deposit: 'Money that you paid in',
  'deposit-correction': 'A correction of a deposit, in either direction',
  'voucher-generated': 'The value of a new voucher, from the gift wallet to the reserved one',
  'voucher-cancelled': 'The unused value of a cancelled voucher, back to the gift wallet',
  'voucher-expired': 'The unused value of an expired voucher, back to the gift wallet',
  redemption: 'What a merchant was paid for a voucher',
  'service-fee': "The merchant's service fee of a redemption",
  'redemption-reversal': 'A redemption that was taken back',
  'top-up': 'The price of an attempt to top up',
  'top-up-returned': 'The same, returned because the attempt failed',
  'late-success': 'What providers did without a charge before, charged as agreed',
  reversal: 'What providers did not do in the end, returned to you',
  other: 'Anything else, such as a correction',
} as const satisfies Record<string, string>;

export type TransactionKind = keyof typeof transactionKinds;

type Change = Pick<WalletChange, 'operation_id' | 'step' | 'other_account' | 'change'>;

/** The kinds by the opposite account: of money that leaves for it, and of money that comes from it. */
const byAccount: Readonly<Record<string, readonly [out: TransactionKind, into: TransactionKind]>> =
  {
    'mobile-money-clearing': ['redemption', 'redemption-reversal'],
    'service-fees': ['service-fee', 'redemption-reversal'],
    'airtime-hold': ['top-up', 'top-up-returned'],
    suspense: ['late-success', 'reversal'],
  };

/** The kind of a change of a wallet. */
export function transactionKindOf(change: Change): TransactionKind {
  const { operation_id: operation, step, other_account: account } = change;
  if (account === 'funding') return isCorrection(step) ? 'deposit-correction' : 'deposit';
  if (step === GOODWILL) return 'other';
  if (account === 'gift' || account === 'reserved') {
    if (operation.startsWith('cancel-')) return 'voucher-cancelled';
    return operation.startsWith('expire-') ? 'voucher-expired' : 'voucher-generated';
  }
  const isOut = change.change.startsWith('-');
  return byAccount[account]?.[isOut ? 0 : 1] ?? 'other';
}

/** A calendar month, YYYY-MM. */
export type Month = string & { readonly month: unique symbol };

/** The month of a text; undefined for any other text. */
export const parseMonth = (text: string): Month | undefined =>
  /^20[0-9]{2}-(0[1-9]|1[0-2])$/.test(text) ? (text as Month) : undefined;

/** The months from one to another, both included, newest first. */
export function monthsBetween(first: Month, last: Month): Month[] {
  const numberOf = (month: Month) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
  const count = Math.max(0, numberOf(last) - numberOf(first) + 1);
  return Array.from({ length: count }, (_, index) => monthOf(numberOf(last) - index));
}

const monthOf = (number: number): Month =>
  `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}` as Month;

/**
 * A month is closed some time after its end. A transfer is dated by the start of its transaction, and
 * none lasts so long: the sums of a closed month never change.
 */
export const CLOSED_AFTER_HOURS = 2;

/** The last closed month in a time zone (IANA name). */
export function lastClosedMonth(now: Date, zone: string): Month {
  const then = new Date(now.getTime() - CLOSED_AFTER_HOURS * 3_600_000);
  const month = localText(then, zone).slice(0, 7) as Month;
  const [, before] = monthsBetween('2000-01' as Month, month);
  if (!before) throw new Error('The clock is wrong');
  return before;
}

/** One line of a statement: a number of movements and their sum. */
export interface StatementSum {
  readonly label: string;
  readonly count: number;
  /** Decimal string in ETB; negative where money left. */
  readonly amount: string;
}

/** A wallet of a partner, or the payments to a merchant. */
export interface StatementSection {
  readonly title: string;
  /** Decimal strings in ETB; undefined where there is no balance. */
  readonly opening: string | undefined;
  readonly closing: string;
  readonly lines: readonly StatementSum[];
}

/** The statement of a company for a month. */
export interface MonthlyStatement {
  readonly company: Company & { readonly name: string };
  readonly month: Month;
  readonly zone: string;
  readonly sections: readonly StatementSection[];
}

/** Whether a statement says nothing: no movement, and no balance. */
export const isEmptyStatement = ({ sections }: MonthlyStatement): boolean =>
  sections.every(({ closing, lines }) => lines.length === 0 && parseMoney(closing) === 0n);

/** A sum of transfers with the facts that tell kinds apart. */
export type ChangeSum = Pick<WalletChange, 'operation_id' | 'step' | 'other_account' | 'change'> & {
  readonly count: number;
};

const labels: Readonly<Record<TransactionKind, string>> = {
  deposit: 'Deposits',
  'deposit-correction': 'Deposits corrected',
  'voucher-generated': 'Vouchers generated',
  'voucher-cancelled': 'Unused value of cancelled vouchers',
  'voucher-expired': 'Unused value of expired vouchers',
  redemption: 'Redemptions: paid to merchants',
  'service-fee': 'Redemptions: service fees',
  'redemption-reversal': 'Redemptions taken back',
  'top-up': 'Top-ups: attempts',
  'top-up-returned': 'Top-ups: failed attempts returned',
  'late-success': 'Done late, charged as agreed',
  reversal: 'Not done in the end, returned',
  other: 'Other',
};

/** The wallet of attempts that have no result yet. */
export const UNDER_WAY = 'airtime-hold';

function labelOf(wallet: string, change: ChangeSum): string {
  if (wallet !== UNDER_WAY) return labels[transactionKindOf(change)];
  if (!change.change.startsWith('-')) return 'Attempts begun';
  return change.other_account === 'airtime' ? 'Failed, returned' : 'Delivered';
}

/** The lines of a wallet: sums of one label are added up, in the order of the labels. */
export function statementLines(wallet: string, changes: readonly ChangeSum[]): StatementSum[] {
  const byLabel = new Map<string, { count: number; amount: bigint }>();
  for (const change of changes) {
    const label = labelOf(wallet, change);
    const { count, amount } = byLabel.get(label) ?? { count: 0, amount: 0n };
    byLabel.set(label, {
      count: count + change.count,
      amount: amount + parseMoney(change.change),
    });
  }
  const order = Object.values(labels);
  return [...byLabel]
    .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
    .map(([label, { count, amount }]) => ({ label, count, amount: formatMoney(amount) }));
}

interface StatementFacts {
  readonly company: string;
  readonly month: Month;
  /** The time zone of the month: an IANA name. */
  readonly zone: string;
  /** The portal's pages of statements, and of the person's account. */
  readonly statementsUrl: string;
  readonly accountUrl: string;
}

interface Message {
  readonly subject: string;
  readonly text: string;
}

/** The e-mail with a monthly statement, by the language of its reader. */
export const statementMessages: Readonly<Record<'en' | 'am', (facts: StatementFacts) => Message>> =
  {
    en: ({ company, month, zone, statementsUrl, accountUrl }) => ({
      subject: `Statement of ${company} for ${month}`,
      text: `The monthly statement of ${company} for ${month} is attached: as a page to print, and as a file for
spreadsheets. Amounts are in ETB; the month is that of ${zone}.

All statements: ${statementsUrl}

You get this e-mail because of your role in the voucher portal. You can switch it off on the page
of your account: ${accountUrl}
`,
    }),
    am: ({ company, month, zone, statementsUrl, accountUrl }) => ({
      subject: `የ${company} መግለጫ፣ ${month}`,
      text: `የ${company} የ${month} ወርሃዊ መግለጫ ተያይዟል፦ ለማተም እንደ ገጽ፣ ለሠንጠረዥ ፕሮግራሞች እንደ ፋይል። መጠኖች በብር ናቸው፤ ወሩ በ${zone} ሰዓት
ክልልና በጎርጎርዮሳዊ አቆጣጠር ነው።

ሁሉም መግለጫዎች፦ ${statementsUrl}

ይህ ኢሜይል የደረሰዎት በቫውቸር ፖርታሉ ባለዎት ሚና ምክንያት ነው። በመለያዎ ገጽ ሊያጠፉት ይችላሉ፦ ${accountUrl}
`,
    }),
  };
