import type { Generated, GeneratedAlways } from 'kysely';
import type { Operator } from '../../domain/operator.ts';
import type { Numeric, Timestamp } from './columns.ts';

/** Who serves what; a null condition holds always. */
export interface ProviderRoutesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  kind: 'sms' | 'payout' | 'topup-airtime' | 'topup-package';
  /** The first is asked first. */
  position: number;
  provider: string;
  /** The share among routes of the same position. */
  weight: Generated<number>;
  operator: Operator | null;
  partner_id: number | null;
  merchant_id: number | null;
  amount_from: Numeric | null;
  amount_to: Numeric | null;
  is_enabled: Generated<boolean>;
}

/** Another provider was asked, because the first certainly did nothing. */
export interface ProviderFailoversTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  /** Of a payment or top-up; null for a message. */
  operation_id: string | null;
  message_id: number | null;
  from_provider: string;
  to_provider: string;
  /** What the first said. */
  message: string;
  /** When the first provider is asked again what it did. */
  recheck_at: Timestamp | null;
  /** Since when the first provider says that it did it after all. */
  done_at: Timestamp | null;
  provider_reference: string | null;
  /** When that was booked in suspense. */
  booked_at: Timestamp | null;
  settled_at: Timestamp | null;
  settled_by: 'partner' | 'platform' | 'provider' | 'late-success' | null;
  /** The deviating content that the first provider has, and since when it says so. */
  disagreement: string | null;
  disagreed_at: Timestamp | null;
  /** When a person cleared it; other words open it again. */
  disagreement_settled_at: Timestamp | null;
  /** Since when the first provider is asked in vain. */
  unanswered_since: Timestamp | null;
  /** Since when there is news of it, such as a callback, that the first provider has not explained. */
  doubted_since: Timestamp | null;
}

/** What a running worker knows of a provider. */
export interface ProviderStatesTable {
  /** Process and host. */
  worker: string;
  provider: string;
  state: 'closed' | 'half-open' | 'open';
  takes_calls: boolean;
  has_money: boolean;
  since: Timestamp;
  seen_at: Timestamp;
  /** A worker that runs has told it again by then. */
  expires_at: Timestamp;
}

/** Reports of messages whose provider has not answered yet. */
export interface EarlyDeliveryReportsTable {
  provider: string;
  provider_reference: string;
  delivery: 'DELIVERED' | 'NOT_DELIVERED';
  reason: string | null;
  received_at: Timestamp;
}
