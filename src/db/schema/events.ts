import type { GeneratedAlways } from 'kysely';
import type { CompanyKind, Json, Timestamp } from './columns.ts';

/** Written by triggers only; workers set the number once. */
export interface EventsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  /** The place in the log; null until a worker has numbered it. */
  number: number | null;
  company_kind: CompanyKind;
  company_id: number;
  type: string;
  /** What it happened to, such as "voucher:17": its events are told in their order. */
  subject: string;
  data: Json<unknown>;
}

/** The newest row's text is in every cursor. */
export interface EventEpochsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  epoch: string;
}
