import type { Generated, GeneratedAlways } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { SmsProviderName } from '../../domain/providers.ts';
import type { MessageLanguage } from '../../domain/vouchers/messages.ts';
import type { VoucherStatus } from '../../domain/vouchers/voucher.ts';
import type { CompanyKind, Json, Numeric, OrderColumns, Timestamp } from './columns.ts';

export type OperationStatus = 'RUNNING' | 'SUCCEEDED' | 'REFUSED' | 'FAILED';

export interface OperationsTable {
  id: string;
  created_at: Timestamp;
  company_kind: CompanyKind;
  company_id: number;
  kind: string;
  request_id: string;
  request_digest: string;
  status: OperationStatus;
  outcome: Json<unknown> | null;
  /** Null while it runs, and for operations that one statement begins and settles. */
  settled_at: Timestamp | null;
  /** Time when a caller got the answer "accepted", and the number in that answer. */
  accepted_at: Timestamp | null;
}

export interface LeftRequestsTable {
  company_kind: CompanyKind;
  company_id: number;
  request_digest: string;
  left_at: Timestamp;
  taken_at: Timestamp | null;
}

export interface SignedRequestsTable {
  merchant_id: number;
  subject: string;
  bound_to: string;
  created_at: Timestamp;
}

export interface VouchersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  /** Of the request that generated it; operations are pruned, vouchers are not. */
  request_digest: string;
  partner_id: number;
  merchant_id: number;
  denomination_id: number;
  serial_number: string;
  code_digest: Buffer;
  code_ciphertext: string;
  owner_msisdn: StoredNumber | null;
  is_restricted: boolean;
  amount: Numeric;
  remaining: Numeric;
  held: Generated<Numeric>;
  returned: Generated<Numeric>;
  status: Generated<VoucherStatus>;
  expires_at: Timestamp;
  current_claim_id: string | null;
  /** Time when its owner was told that it expires soon, or needed not be told. */
  reminded_at: Timestamp | null;
  /** Wrong verification codes over its life. */
  wrong_codes: Generated<number>;
  selling_price_usd: Numeric;
  exchange_rate: string | null;
  currency: string | null;
  originating_country: string | null;
  foreign_currency_amount: string | null;
}

export interface VoucherStatusChangesTable {
  id: GeneratedAlways<number>;
  changed_at: Timestamp;
  voucher_id: number;
  from_status: VoucherStatus;
  to_status: VoucherStatus;
}

export interface VoucherClaimsTable {
  id: string;
  operation_id: string;
  workflow_id: string;
  created_at: Timestamp;
  voucher_id: number;
  company_kind: CompanyKind;
  company_id: number;
  amount: Numeric | null;
  /** `amount` was the whole balance, and the voucher has grown since. */
  was_whole: Generated<boolean>;
  service_fee_percent: Numeric | null;
  status: Generated<'OPEN' | 'SUPERSEDED' | 'EXPIRED' | 'CANCELLED' | 'REDEEMED' | 'REFUSED'>;
  expires_at: Timestamp;
  code_digest: string;
  code_ciphertext: string | null;
  code_digits: number;
}

export interface VerificationAttemptsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  voucher_id: number;
  operation_id: string;
  request_digest: string;
  claim_id: string;
  company_kind: CompanyKind;
  company_id: number;
}

/** A company's usage of its budgets on one day (UTC). */
export interface CompanyDailyCountsTable {
  company_kind: CompanyKind;
  company_id: number;
  day: string;
  messages: Generated<number>;
  wrong_codes: Generated<number>;
  messages_spent_at: Timestamp | null;
  wrong_codes_spent_at: Timestamp | null;
  next_turn_at: Timestamp | null;
}

export interface DailySpendingTable {
  subject_kind: 'partner' | 'api-key';
  subject_id: number;
  day: string;
  amount: Numeric;
  operations: number;
  amount_limit: Numeric | null;
  operations_limit: number | null;
}

export interface NumberDailyCountsTable {
  number_digest: Buffer;
  day: string;
  vouchers: Generated<number>;
  redemptions: Generated<number>;
  topups: Generated<number>;
  vouchers_limit: number | null;
  redemptions_limit: number | null;
  topups_limit: number | null;
}

export interface RedemptionsTable extends OrderColumns {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  request_digest: string;
  voucher_id: number;
  claim_id: string | null;
  company_kind: CompanyKind;
  company_id: number;
  merchant_id: number;
  to_merchant: Numeric;
  service_fee: Numeric;
  payment_reference: string;
  platform_reference: string;
  payee: Json<{ key: string; value: string }[]>;
  /** Where its value is while it is not charged: on the voucher, or in the gift wallet of the partner. */
  credited_to: Generated<'voucher' | 'gift'>;
}

/** A reversal that a merchant asked for. */
export interface RedemptionReversalsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  redemption_id: number;
  operation_id: string;
  request_digest: string;
  /** Our reference towards the provider. */
  reference: string;
  reason: string | null;
  status: Generated<'PENDING' | 'SUCCESS' | 'FAILED'>;
  /** Time since when a person must look at it. */
  needs_action_since: Timestamp | null;
  provider_reference: string | null;
  provider_message: string | null;
  /** Where the value went: back to the voucher, or to the partner's gift wallet. */
  credited_to: 'voucher' | 'gift' | null;
}

/** Messages that a person asked to send again. */
export interface MessageResendsTable {
  message_id: number;
  original_id: number;
  operation_id: string;
  created_at: Timestamp;
}

export interface MessagesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  kind: 'VERIFICATION_CODE' | 'REDEMPTION_CONFIRMATION' | 'EXPIRY_REMINDER' | 'REVERSAL_NOTICE';
  msisdn: StoredNumber;
  voucher_id: number;
  claim_id: string | null;
  redemption_id: number | null;
  reversal_id: number | null;
  /** Chosen by a trigger. */
  language: GeneratedAlways<MessageLanguage>;
  /** CANCELLED was never sent; REFUSED is the provider's answer. */
  status: Generated<'QUEUED' | 'SENDING' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED'>;
  /** Null once the worker that sends has recorded the outcome. */
  sending_since: Timestamp | null;
  /** Null before its first sending. */
  provider: SmsProviderName | null;
  provider_reference: string | null;
  provider_message: string | null;
  /** What the provider reported after it had taken the message; null: nothing. */
  delivery: 'DELIVERED' | 'NOT_DELIVERED' | null;
  delivery_at: Timestamp | null;
  delivery_reason: string | null;
}
