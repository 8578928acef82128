import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { sql } from 'kysely';
import type { Database } from './connection.ts';

/** By the name of its file, or of the folder of its SQL: only `migrate` loads the migrations themselves. */
const newest = readdirSync(new URL('../../migrations/', import.meta.url))
  .map((file) => parse(file).name)
  .sort()
  .at(-1);

/**
 * Ends where the schema has every migration of this release; a later release may have added more.
 *
 * @throws where the newest one is missing, or the database cannot be read
 */
export async function requireCurrentSchema(database: Database): Promise<void> {
  const { rows } = await sql`
    select from kysely_migration where name = ${newest}`.execute(database);
  if (rows.length === 0) throw new Error(`The migration ${newest} is missing`);
}
