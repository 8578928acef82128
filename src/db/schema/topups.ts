import type { Generated, GeneratedAlways } from 'kysely';
import type { Numeric, Timestamp } from './columns.js';

export type TopupStatus = 'PENDING' | 'PROCESSING' | 'UNKNOWN' | 'SUCCESS' | 'FAILED';

export interface TopupsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  operation_id: string;
  /** Null: from before it was kept here. */
  workflow_id: string | null;
  request_digest: string;
  partner_id: number;
  kind: 'AIRTIME' | 'PACKAGE';
  product_id: number | null;
  amount: Numeric | null;
  msisdn: string;
  operator: 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA' | null;
  status: Generated<TopupStatus>;
  attempt: Generated<number>;
  provider_reference: string | null;
  message: string | null;
  exchange_rate: string;
  currency: string;
  originating_country: string;
  foreign_currency_amount: string | null;
}

export interface TopupAttemptsTable {
  topup_id: number;
  attempt: number;
  operation_id: string;
  reference: string;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  msisdn: string;
  provider_product_id: number | null;
  status: Generated<'HELD' | 'POSTED' | 'VOIDED'>;
  provider_reference: string | null;
  provider_message: string | null;
  /** When the provider is asked once more about what it refused, or did. */
  recheck_at: Timestamp | null;
  /** When it said that what it had refused had been done all the same. */
  contradicted_at: Timestamp | null;
  /** When it was found to have taken back what it had done. */
  reversed_at: Timestamp | null;
  /** Who has borne a late success, or has got what was taken back. */
  settled_by: 'partner' | 'platform' | 'provider' | null;
  /** What the provider says otherwise than we do, in words. */
  disagreement: string | null;
  /** Since when what the provider has decided cannot be booked. */
  unbooked_since: Timestamp | null;
}

/** A request for a retry, written before its workflow is asked; kept unless it was refused. */
export interface TopupRetriesTable {
  operation_id: string;
  topup_id: number;
  /** The attempt that it asks for; another request may have made it. */
  attempt: number;
  /** Null: the number of the attempt before. */
  msisdn: string | null;
  /** Null: from before it was kept here. */
  request_digest: string | null;
  created_at: Timestamp;
  /** Neither begun nor answered. */
  is_open: Generated<boolean>;
}
