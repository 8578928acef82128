import type { GeneratedAlways } from 'kysely';
import type { Numeric, Timestamp } from './columns.ts';

/** At most one row is in MAINTENANCE: then the service serves only reads. */
export interface MaintenanceFencesTable {
  id: GeneratedAlways<number>;
  raised_at: Timestamp;
  /** The restored database lacks what happened after this moment. */
  restored_to: Timestamp;
  state: 'MAINTENANCE' | 'LIFTED';
  booked_at: Timestamp | null;
  lifted_at: Timestamp | null;
}

/** One row: the timeline of PostgreSQL that an operator has accepted last, or the first one. */
export interface DatabaseTimelineTable {
  is_only: GeneratedAlways<boolean>;
  timeline: number;
  accepted_at: Timestamp;
}

/** A payment or top-up that a provider has and our restored database lacks. */
export interface RecoveredPaymentsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  fence_id: number;
  kind: 'payment' | 'top-up';
  /** Ours, as the provider has it. */
  reference: string;
  /** Of its transfers. */
  operation_id: GeneratedAlways<string>;
  provider: string;
  provider_reference: string | null;
  provider_status: 'completed' | 'pending';
  made_at: Timestamp;
  amount: Numeric;
  /** Who received it, masked: it may be the number of a person. */
  party: string | null;
  merchant_id: number | null;
  voucher_id: number | null;
  settled_at: Timestamp | null;
  /** Repetition: the request came again, and its own rows book it. */
  settled_by: 'repetition' | 'partner' | 'platform' | 'provider' | null;
  /** Who paid it, where the partner did. */
  partner_id: number | null;
}
