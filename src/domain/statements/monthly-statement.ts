import { formatMoney, parseMoney } from '../money.ts';
import type { Company } from '../voucher.ts';
import type { WalletChange } from './statement-labels.ts';
import { type TransactionKind, transactionKindOf } from './transaction-kinds.ts';

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
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(then);
  const [, before] = monthsBetween('2000-01' as Month, day.slice(0, 7) as Month);
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

/** A sum of the ledger by what tells kinds apart. */
export type ChangeSum = Pick<WalletChange, 'operation_id' | 'step' | 'other_account' | 'change'> & {
  readonly count: number;
};

const labels: Readonly<Record<TransactionKind, string>> = {
  deposit: 'Deposits',
  'deposit-reversal': 'Deposits taken back',
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
