import type { Generated } from 'kysely';

/** One row. */
export interface NumberStorageTable {
  id: Generated<boolean>;
  /** Null where processes that cannot open sealed numbers may run. */
  sealed_since: Date | null;
}
