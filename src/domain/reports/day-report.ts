import type { Operator } from '../operator.ts';
import { CLOSED_AFTER_HOURS } from '../statements/monthly-statement.ts';
import type { LedgerAccountKind } from './movement-labels.ts';

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
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(time) as Day;

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
  /** Not made while the sums of the accounts are being added up anew. */
  readonly result: 'in order' | 'faulty' | 'not made yet';
  /** One line per fault, the first ones at most. */
  readonly faults: readonly string[];
}

/** The report of a day for the people who run the service; from the ledger. */
export interface DayReport {
  readonly day: Day;
  /** The time zone of the day: an IANA name. */
  readonly zone: string;
  readonly madeAt: Date;
  /** False while transfers of the day may still come. */
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
  return new Date(Date.parse(`${today}T00:00:00Z`) - 86_400_000).toJSON().slice(0, 10) as Day;
};
