import type { Generated, GeneratedAlways } from 'kysely';
import type { ObservationSource, PlacementKind, Word } from '../../domain/positions/placement.ts';
import type { Numeric, Timestamp } from './columns.ts';

/** An order at one provider, under one reference of ours. */
export interface PlacementsTable {
  id: GeneratedAlways<number>;
  kind: PlacementKind;
  /** Ours, as the provider has it. */
  reference: string;
  provider: string;
  /** Null: a restore lost the order. */
  operation_id: string | null;
  voucher_id: number | null;
  ordered: Numeric;
  /** The providers of an order are asked in this order. */
  position: Generated<number>;
  placed_at: Timestamp;
  /** Since when it may have been sent to a provider that would do a repetition again. */
  sent_at: Timestamp | null;
  word: Generated<Word>;
  /** What the provider did by its word. */
  done: Generated<Numeric>;
  provider_reference: string | null;
  said_at: Timestamp | null;
  words: string | null;
  /** The words that a person has cleared. */
  cleared: string | null;
  /** Whether a person must look at the words. */
  is_unclear: GeneratedAlways<boolean>;
  doubted_at: Timestamp | null;
  silent_since: Timestamp | null;
  /** When the provider is asked next. */
  ask_at: Timestamp | null;
}

/** What a provider says of a placement, once that has changed: its first answer, and each change. */
export interface ObservationsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  placement_id: number;
  /** When it was so. */
  at: Timestamp;
  source: ObservationSource;
  word: Word;
  done: Numeric;
  provider_reference: string | null;
  words: string | null;
}

/** What somebody bears for good of an order, instead of its payer. */
export interface SettlementsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  party: 'partner' | 'platform';
  partner_id: number | null;
  /** Negative where it gets something. */
  amount: Numeric;
  actor: string;
  note: string;
}

/** Something that a person must settle. */
export interface CasesTable {
  id: GeneratedAlways<number>;
  subject_kind: 'order' | 'line' | 'statement' | 'balance';
  subject: string;
  why: 'difference' | 'words' | 'silence' | 'unbooked' | 'foreign' | 'unread' | 'balance';
  amount: Numeric;
  words: string | null;
  provider: string | null;
  reference: string | null;
  partner_id: number | null;
  merchant_id: number | null;
  voucher_id: number | null;
  topup_id: number | null;
  /** Paying its voucher, or repeating its top-up, could pay for the same thing twice. */
  is_blocking: Generated<boolean>;
  opened_at: Timestamp;
  closed_at: Timestamp | null;
  closed_by: string | null;
  note: string | null;
}
