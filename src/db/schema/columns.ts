import type { ColumnType, Generated } from 'kysely';
import type { NotDoneBy } from '../../domain/providers/not-done-by.ts';

/** Exact decimal as text in both directions. */
export type Numeric = string;
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
export type Json<T> = ColumnType<T, string, string>;

export type CompanyKind = 'partner' | 'merchant';

/** The outcome of money on hold at a provider, of a redemption or an attempt to top up. */
export interface ProviderOutcomeColumns {
  status: Generated<'HELD' | 'POSTED' | 'VOIDED'>;
  provider_reference: string | null;
  provider_message: string | null;
  /** Null where it was done. */
  not_done_by: NotDoneBy | null;
  /** Time of the next inquiry about a completed operation. */
  recheck_at: Timestamp | null;
  /** Time since when there is reason to doubt how it ended, such as a callback, without a word of its provider since. */
  doubted_since: Timestamp | null;
  /** Time when the provider confirmed an operation that it had refused. */
  contradicted_at: Timestamp | null;
  /** Time when the reversal of a completed operation was found. */
  reversed_at: Timestamp | null;
  /** The party that bore a late success, or that got the money of a reversal. */
  settled_by: 'partner' | 'platform' | 'provider' | null;
  /** Description of the provider's deviating content. */
  disagreement: string | null;
  /** Time since when a decision of the provider cannot be booked. */
  unbooked_since: Timestamp | null;
}
