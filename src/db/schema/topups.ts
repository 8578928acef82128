import type { Generated, GeneratedAlways } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Numeric, OrderColumns, Timestamp } from './columns.ts';

export type TopupStatus = 'PENDING' | 'PROCESSING' | 'UNKNOWN' | 'SUCCESS' | 'FAILED';

export interface TopupsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  operation_id: string;
  workflow_id: string;
  request_digest: string;
  partner_id: number;
  kind: 'AIRTIME' | 'PACKAGE';
  product_id: number | null;
  amount: Numeric | null;
  msisdn: StoredNumber;
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

export interface TopupAttemptsTable extends OrderColumns {
  topup_id: number;
  attempt: number;
  operation_id: string;
  reference: string;
  created_at: Timestamp;
  msisdn: StoredNumber;
  provider_product_id: number | null;
}

/** A request for a retry, written before its workflow is called; deleted when it is refused. */
export interface TopupRetriesTable {
  operation_id: string;
  topup_id: number;
  /** The requested attempt; another request may have made it. */
  attempt: number;
  /** Null: the number of the previous attempt. */
  msisdn: StoredNumber | null;
  request_digest: string;
  created_at: Timestamp;
  /** Neither begun nor answered. */
  is_open: Generated<boolean>;
}
