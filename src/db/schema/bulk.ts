import type { Generated, GeneratedAlways } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { BulkLineStatus } from '../../domain/vouchers/voucher.ts';
import type { Json, Timestamp } from './columns.ts';

export interface BulkOrdersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  request_id: string;
  request_digest: string;
  partner_id: number;
  /** The authority of the order, checked again for each line: a key, or a person of the portal. */
  api_key_id: number | null;
  token_version: number | null;
  portal_account_id: number | null;
  lines: number;
  generated: Generated<number>;
  refused: Generated<number>;
  cancelled: Generated<number>;
  cancel_requested_at: Timestamp | null;
  ended_at: Timestamp | null;
}

export interface BulkLinesTable {
  bulk_order_id: number;
  /** From 1, as the caller sent them. */
  line: number;
  /** The caller's own, unique for its partner. */
  reference: string;
  operation_id: string;
  request_digest: string;
  denomination_id: number;
  merchant_id: number | null;
  merchant_identifier: string | null;
  owner_msisdn: StoredNumber | null;
  is_restricted: boolean;
  exchange_rate: string | null;
  currency: string | null;
  originating_country: string | null;
  foreign_currency_amount: string | null;
  status: Generated<BulkLineStatus>;
  settled_at: Timestamp | null;
  voucher_id: number | null;
  refusal: Json<Refusal> | null;
}
