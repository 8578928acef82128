import type { GeneratedAlways } from 'kysely';
import type { Timestamp } from './columns.ts';

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
