import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';

/** SQLSTATE of a deadlock. */
const DEADLOCK = '40P01';

/**
 * Keeps a copy of every row, as a backup does; returns what puts them back, as a restore to that moment
 * does: whatever was written since is gone, while providers and Temporal remember it.
 */
export async function backUp(database: Database): Promise<() => Promise<void>> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename not like 'kysely%'`.execute(database);
  const names = rows.map(({ name }) => name);
  // A backup is of one moment, and the service writes meanwhile.
  await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => {
      await sql`drop schema if exists backup cascade`.execute(snapshot);
      await sql`create schema backup`.execute(snapshot);
      for (const name of names)
        await sql`create table ${sql.id('backup', name)} as table ${sql.id('public', name)}`.execute(
          snapshot,
        );
    });
  const list: RawBuilder<unknown> = sql.join(names.map((name) => sql.id('public', name)));

  const restore = () =>
    database.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      await sql`truncate ${list}`.execute(transaction);
      for (const name of names) {
        const columns = sql.join(await writableColumns(transaction, name));
        await sql`insert into ${sql.id('public', name)} (${columns}) overriding system value
          select ${columns} from ${sql.id('backup', name)}`.execute(transaction);
      }
    });
  return () => withoutDeadlock(restore);
}

/** The service runs meanwhile and locks the same tables in another order. */
async function withoutDeadlock(restore: () => Promise<void>): Promise<void> {
  for (;;)
    try {
      return await restore();
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error;
    }
}

async function writableColumns(database: Database, table: string) {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position`.execute(database);
  return rows.map(({ name }) => sql.id(name));
}
