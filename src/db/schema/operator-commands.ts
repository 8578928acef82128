import type { GeneratedAlways } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Timestamp } from './columns.ts';

export interface OperatorCommandsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  actor: string;
  kind: 'retry-topup';
  topup_id: number;
  /** The requested attempt. */
  attempt: number;
  /** Null: the number of the previous attempt. */
  msisdn: StoredNumber | null;
  /** Time when a workflow accepted it. */
  taken_at: Timestamp | null;
  /** The repair that makes the attempt itself. */
  repair_id: number | null;
}
