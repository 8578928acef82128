import type { ColumnType, Generated } from 'kysely';
import type { NotDoneBy } from '../../domain/providers.ts';

/** Exact decimal as text in both directions. */
export type Numeric = string;
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
export type Json<T> = ColumnType<T, string, string>;

export type CompanyKind = 'partner' | 'merchant';

/** The end of money on hold at a provider, of a redemption or an attempt to top up. */
export interface OrderColumns {
  /** The first answer; it never changes after the end. */
  status: Generated<'HELD' | 'POSTED' | 'VOIDED'>;
  settled_at: Timestamp | null;
  /** Why it was not done at first, and whose word that is. */
  provider_message: string | null;
  not_done_by: NotDoneBy | null;
  /** Whether providers have done it by now. */
  is_done: Generated<boolean>;
  /** When that last changed after the end. */
  changed_at: Timestamp | null;
  /** Whether its payer pays for it now. */
  charged: Generated<boolean>;
}
