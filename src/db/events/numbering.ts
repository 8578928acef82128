import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** Advisory lock of the worker that numbers. */
const NUMBERING_LOCK = 4_127_061_110;

/**
 * Numbers up to `batchSize` committed events in the order of their ids, and returns how many.
 *
 * Identities commit out of order, so the id of an event is no place in the log. One transaction
 * numbers at a time, and the next one begins when its numbers are visible: a reader that has seen a
 * number never later finds a smaller one. Events of one subject keep their order, because their
 * transactions lock the subject's row before they write.
 */
export async function numberEvents(database: Database, batchSize: number): Promise<number> {
  const { rows } = await sql`
    select from events where number is null limit 1`.execute(database);
  if (rows.length === 0) return 0;
  return database.transaction().execute(async (transaction) => {
    const { rows: locks } = await sql<{ has: boolean }>`
      select pg_try_advisory_xact_lock(${NUMBERING_LOCK}::bigint) as has`.execute(transaction);
    // Another worker numbers them.
    if (!locks[0]?.has) return 0;
    // A new statement: it sees what the lock's last holder has numbered.
    const { numAffectedRows = 0n } = await sql`
      update events set number = numbered.number
      from (
        select id, nextval('event_numbers') as number
        from (select id from events where number is null order by id limit ${batchSize}) as oldest
      ) as numbered
      where events.id = numbered.id`.execute(transaction);
    return Number(numAffectedRows);
  });
}
