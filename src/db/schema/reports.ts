import type { GeneratedAlways } from 'kysely';
import type { Day } from '../../domain/day-report.ts';
import type { Timestamp } from './columns.ts';

export interface ReportRecipientsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  removed_at: Timestamp | null;
  email: string;
}

export type ReportEmailOutcome = 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED' | 'GIVEN_UP';

/** The report of a day for one recipient. */
export interface ReportEmailsTable {
  recipient_id: number;
  day: Day;
  created_at: Timestamp;
  /** When the e-mail is tried next. */
  due_at: Timestamp;
  settled_at: Timestamp | null;
  outcome: ReportEmailOutcome | null;
}
