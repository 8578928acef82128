import type { Generated, GeneratedAlways } from 'kysely';
import type { Operator } from '../../domain/phone.ts';
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

/** Another provider was asked to send a message, because the first certainly did not. */
export interface MessageFailoversTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  message_id: number;
  from_provider: string;
  to_provider: string;
  /** What the first said. */
  message: string;
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
