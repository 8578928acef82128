import { sql } from 'kysely';
import type { Database } from './connection.js';

/** Rows deleted in one go, so that pruning never holds locks for long. */
const PRUNE_BATCH = 5_000;

/**
 * Deletes a batch of what is older than the retention: settled operations, and what signed requests
 * were bound to. Returns how many rows went, so that the caller can go on until there are none.
 */
export async function pruneOperations(database: Database, retentionDays: number): Promise<number> {
  const { numAffectedRows: operations = 0n } = await sql`
    delete from operations where id in (
      select id from operations
      where created_at < now() - make_interval(days => ${retentionDays}::int)
        and status <> 'RUNNING'
      limit ${PRUNE_BATCH})`.execute(database);
  const { numAffectedRows: signed = 0n } = await sql`
    delete from signed_requests where ctid = any(array(
      select ctid from signed_requests
      where created_at < now() - make_interval(days => ${retentionDays}::int)
      limit ${PRUNE_BATCH}))`.execute(database);
  return Number(operations + signed);
}
