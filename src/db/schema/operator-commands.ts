import type { GeneratedAlways } from 'kysely';
import type { Timestamp } from './columns.js';

export interface OperatorCommandsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  actor: string;
  kind: 'retry-topup';
  topup_id: number;
  /** The attempt that is to be made. */
  attempt: number;
  /** Null: to the number of the attempt before. */
  msisdn: string | null;
  /** When a workflow had taken it. */
  taken_at: Timestamp | null;
}
