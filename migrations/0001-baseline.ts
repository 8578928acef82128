import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';

const folder = new URL('0001-baseline/', import.meta.url);

/**
 * The schema of version 1.0.0, by subject: each table once, with what one of its rows is. Like every
 * migration of a release these files are frozen: what changes later is a migration after this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const file of (await readdir(folder)).toSorted())
    await sql.raw(await readFile(new URL(file, folder), 'utf8')).execute(database);
}
