import { sql } from 'kysely';
import type { Database } from './connection.ts';

/** An index on a possibly big table; its name is the key. */
export type Indexes = Readonly<
  Record<string, { readonly table: string; readonly columns: string }>
>;

/**
 * Builds indexes on existing tables during writes. Building waits for running transactions but
 * blocks nobody, so the connection has no time limit.
 */
export async function makeIndexes(database: Database, indexes: Indexes): Promise<void> {
  for (const [name, index] of Object.entries(indexes)) await makeIndex(database, name, index);
}

/** Builds a missing index; an interrupted build leaves an invalid index, which is rebuilt. */
async function makeIndex(
  database: Database,
  name: string,
  { table, columns }: { readonly table: string; readonly columns: string },
): Promise<void> {
  const { rows } = await sql<{ exists: boolean; isValid: boolean | null }>`
    select to_regclass(${table}) is not null as exists,
      (select indisvalid from pg_index where indexrelid = to_regclass(${name})) as "isValid"
  `.execute(database);
  const [found] = rows;
  if (!found?.exists || found.isValid) return;
  if (found.isValid === false)
    await sql`drop index concurrently ${sql.ref(name)}`.execute(database);
  await sql`
    create index concurrently ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
  `.execute(database);
}
