import type { Numeric, Timestamp } from './columns.ts';

/**
 * What is checked in the order of its ids; `sums` are those of the accounts, `day-sums` those of days,
 * both by transfers, `holdings` those of the partners, by vouchers. `hour-sums` are those of hours, and
 * `row-counts` the numbers of rows of lists, both in hours since 1970.
 */
export type BookSource =
  | 'sums'
  | 'day-sums'
  | 'hour-sums'
  | 'row-counts'
  | 'holdings'
  | 'transfers'
  | 'vouchers'
  | 'redemptions'
  | 'status-changes';

/** What an invariant is about. */
export type BookSubject = 'transfer' | 'voucher' | 'redemption' | 'placement' | 'top-up';

/** Up to where the books have been checked. */
export interface BookCheckpointsTable {
  source: BookSource;
  checked_to: number;
  next_to: number;
  /** xid8 as text. */
  next_xid: string;
  next_at: Timestamp;
}

/** The sum of an account's transfers up to the checkpoint. */
export interface CheckedBalancesTable {
  account_id: number;
  amount: Numeric;
}

/** The sum of the transfers between two accounts on a UTC day, up to the checkpoint. */
export interface LedgerDaySumsTable {
  /** YYYY-MM-DD */
  day: string;
  debit_account_id: number;
  credit_account_id: number;
  step: string;
  /** The kind of operation that ended a voucher; else empty. */
  ended: '' | 'cancel' | 'expire';
  count: number;
  amount: Numeric;
}

/** What a merchant was paid in an hour before the checkpoint, also what was reversed later. */
export interface PayoutHourSumsTable {
  merchant_id: number;
  hour: Timestamp;
  payouts: number;
  paid: Numeric;
  service_fees: Numeric;
}

/** What a partner sold in an hour before the checkpoint. */
export interface SaleHourSumsTable {
  partner_id: number;
  hour: Timestamp;
  vouchers: number;
  voucher_amount: Numeric;
  topups: number;
  topup_amount: Numeric;
}

/** How many rows a company's list had before the checkpoint. */
export interface RowCountsTable {
  list: 'vouchers' | 'topups' | 'redemptions';
  /** A merchant for redemptions, else a partner. */
  company_id: number;
  total: number;
}

/** What the vouchers of a partner held at the checkpoint. */
export interface CheckedHoldingsTable {
  partner_id: number;
  remaining: Numeric;
  held: Numeric;
}

/** Written by triggers. */
export interface UncheckedChangesTable {
  subject: BookSubject;
  id: number;
  partner_id: number | null;
  remaining: Numeric | null;
  held: Numeric | null;
}
