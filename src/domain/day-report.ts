import { daysAfter, localText } from './local-time.ts';
import type { Operator } from './phone.ts';
import { CLOSED_AFTER_HOURS } from './statements.ts';

/** The kinds of accounts in the order of reports: those of partners, then the platform's. */
export const ledgerAccountKinds = [
  'gift',
  'reserved',
  'gift-hold',
  'airtime',
  'airtime-hold',
  'funding',
  'mobile-money-clearing',
  'airtime-clearing',
  'service-fees',
  'suspense',
] as const;

export type LedgerAccountKind = (typeof ledgerAccountKinds)[number];

/** By "from → to", in the order of reports. */
const labels: Readonly<Record<string, string>> = {
  'funding → gift': 'Deposits to gift wallets',
  'funding → airtime': 'Deposits to airtime wallets',
  'gift → funding': 'Deposits to gift wallets, corrected',
  'airtime → funding': 'Deposits to airtime wallets, corrected',
  'gift → reserved': 'Vouchers generated',
  'reserved → gift-hold': 'Redemptions begun',
  'gift-hold → mobile-money-clearing': 'Redemptions: paid to merchants',
  'gift-hold → service-fees': 'Redemptions: service fees',
  'gift-hold → reserved': 'Redemptions refused, returned',
  'mobile-money-clearing → reserved': 'Payments reversed, back to vouchers',
  'mobile-money-clearing → gift': 'Payments reversed, back to partners',
  'airtime → airtime-hold': 'Top-ups begun',
  'airtime-hold → airtime-clearing': 'Top-ups delivered',
  'airtime-hold → airtime': 'Top-ups failed, returned',
  'suspense → mobile-money-clearing': 'Payments made, and paid by nobody yet',
  'suspense → airtime-clearing': 'Top-ups delivered, and paid by nobody yet',
  'mobile-money-clearing → suspense':
    'Payments taken back by the provider, or charged after a restore',
  'airtime-clearing → suspense': 'Top-ups taken back by the provider, or charged after a restore',
  'reserved → suspense': 'Payments settled: charged to vouchers',
  'gift → suspense': 'Payments settled: charged to partners',
  'suspense → reserved': 'Payments settled: back to vouchers',
  'suspense → gift': 'Payments settled: back to partners',
  'airtime → suspense': 'Top-ups settled: charged to partners',
  'suspense → airtime': 'Top-ups settled: back to partners',
  'service-fees → suspense': 'Settled: borne by the platform',
  'suspense → service-fees': 'Settled: kept by the platform',
  'reserved → service-fees': 'Service fees of payments charged later',
  'service-fees → reserved': 'Service fees of reversed payments, back to vouchers',
  'service-fees → gift': 'To gift wallets: service fees of reversed payments, and goodwill',
  'service-fees → airtime': 'To airtime wallets: goodwill',
  'service-fees → mobile-money-clearing': 'Fees of mobile money',
  'service-fees → airtime-clearing': 'Fees of airtime',
  'mobile-money-clearing → service-fees': 'Fees of mobile money, corrected',
  'airtime-clearing → service-fees': 'Fees of airtime, corrected',
};

/** A movement by its accounts, and what ended a voucher. */
export interface MovementKind {
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  readonly ended: 'cancel' | 'expire' | null;
}

/** The name of a movement; without a name, its accounts. */
export function movementLabel({ from, to, ended }: MovementKind): string {
  if (from === 'reserved' && to === 'gift') {
    if (ended === null) return 'Value of vouchers returned';
    return ended === 'cancel' ? 'Vouchers cancelled' : 'Vouchers expired';
  }
  return labels[`${from} → ${to}`] ?? `${from} → ${to}`;
}

const order = Object.keys(labels);

/** The place of a movement in reports: named ones first, in the order of the table. */
export function movementRank({ from, to }: Pick<MovementKind, 'from' | 'to'>): number {
  const rank = order.indexOf(`${from} → ${to}`);
  return rank < 0 ? order.length : rank;
}

/** A calendar day, YYYY-MM-DD. */
export type Day = string & { readonly day: unique symbol };

/** The day of a text; undefined for any other text. */
export function parseDay(text: string): Day | undefined {
  if (!/^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined;
  const time = new Date(`${text}T00:00:00Z`);
  // The calendar of JavaScript continues 30 February in March.
  return time.toJSON()?.startsWith(text) ? (text as Day) : undefined;
}

/** The day of a moment in a time zone (IANA name). */
export const dayOfTime = (time: Date, zone: string): Day =>
  localText(time, zone).slice(0, 10) as Day;

/** A number of movements and their sum. */
export interface CountedSum {
  readonly count: number;
  /** Decimal string of ETB. */
  readonly amount: string;
}

/** What moved from one kind of account to another. */
export interface DayMovement extends CountedSum {
  readonly label: string;
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
}

/** An account at the beginning and the end of a day; decimal strings of ETB. */
export interface DayBalance {
  readonly opening: string;
  /** Without a sign. */
  readonly credited: string;
  readonly debited: string;
  readonly closing: string;
}

export interface DayAccount extends DayBalance {
  /** For a kind that partners have: of all partners together. */
  readonly kind: LedgerAccountKind;
}

export interface DayWallet extends DayAccount {
  readonly partnerId: number;
  readonly partner: string;
}

/** Top-ups that came to one point, by mobile operator; null where the number has none. */
export interface DayTopups extends CountedSum {
  readonly operator: Operator | null;
  readonly outcome: 'begun' | 'delivered' | 'failed';
}

export interface DayHour {
  /** 00:00 to 23:00; of an hour that the clocks repeat there is one. */
  readonly hour: string;
  readonly vouchers: CountedSum;
  readonly topups: CountedSum;
  readonly redemptions: CountedSum;
}

/** An open case: providers and the books do not agree. */
interface DayCase {
  readonly id: number;
  /** Why a person is needed. */
  readonly what: string;
  readonly provider: string | null;
  /** Ours, towards the provider. */
  readonly reference: string | null;
  /** Decimal string; negative where providers did less than is paid for. */
  readonly amount: string;
}

/** A check that a report makes of itself and of the books. */
export interface DayCheck {
  readonly name: string;
  /** Not made while the sums of the accounts are being added up again. */
  readonly result: 'in order' | 'faulty' | 'not made yet';
  /** One line per fault, the first ones at most. */
  readonly faults: readonly string[];
}

/** The report of a day for the people who run the service; from the ledger. */
export interface DayReport {
  readonly day: Day;
  /** The time zone of the day: an IANA name. */
  readonly zone: string;
  /** The time of its data: a replica may be behind. */
  readonly madeAt: Date;
  /** False while transfers of the day may still come, also to a replica. */
  readonly isClosed: boolean;
  /** Generated vouchers and delivered top-ups. */
  readonly sales: { readonly vouchers: CountedSum; readonly topups: CountedSum };
  /** What left vouchers: the payouts and the fees. */
  readonly redemptions: CountedSum;
  readonly payouts: CountedSum;
  readonly fees: CountedSum;
  readonly topups: readonly DayTopups[];
  readonly movements: readonly DayMovement[];
  readonly accounts: readonly DayAccount[];
  /** Of partners that had money or movements. */
  readonly wallets: readonly DayWallet[];
  readonly hours: readonly DayHour[];
  /** The first open cases at the time of the report, and their number. */
  readonly cases: readonly DayCase[];
  readonly caseCount: number;
  readonly checks: readonly DayCheck[];
}

/** Whether no check found a fault. */
export const isInOrder = ({ checks }: DayReport): boolean =>
  checks.every(({ result }) => result !== 'faulty');

/** The last day in a time zone that is closed, as months are some time after their end. */
export const lastClosedDay = (now: Date, zone: string): Day => {
  const today = dayOfTime(new Date(now.getTime() - CLOSED_AFTER_HOURS * 3_600_000), zone);
  return daysAfter(today, -1) as Day;
};
