import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';

/**
 * Counts the rows and index entries of a table that some work reads.
 *
 * @param database whose pool has one connection
 */
export function rowsReadOf(database: Database) {
  const read = async (table: string): Promise<number> => {
    // What this session has read is told to others, and to itself, at once.
    await sql`select pg_stat_force_next_flush()`.execute(database);
    const { rows } = await sql<{ count: number }>`
      select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes as one
        where one.relid = own.relid) as count
      from pg_stat_user_tables as own where relname = ${table}`.execute(database);
    return Number(rows[0]?.count);
  };
  return async (table: string, work: () => Promise<unknown>): Promise<number> => {
    const before = await read(table);
    await work();
    return (await read(table)) - before;
  };
}
