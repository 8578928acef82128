import type { GeneratedAlways } from 'kysely';
import type { Numeric, Timestamp } from './columns.ts';

export type PartnerAccountKind = 'airtime' | 'gift' | 'reserved' | 'gift-hold' | 'airtime-hold';
export type PlatformAccountKind =
  | 'funding'
  | 'service-fees'
  | 'mobile-money-clearing'
  | 'airtime-clearing'
  | 'suspense';

export interface LedgerAccountsTable {
  id: GeneratedAlways<number>;
  kind: PartnerAccountKind | PlatformAccountKind;
  partner_id: number | null;
  balance: Numeric | null;
  /** The partner is told when the balance falls below it; null: never. */
  low_balance: Numeric | null;
}

export interface LedgerTransfersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  step: string;
  debit_account_id: number;
  credit_account_id: number;
  amount: Numeric;
}
