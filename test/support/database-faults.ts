import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';

/** A statement that fails from now on, whoever sends it. */
export interface StatementFault {
  readonly table: string;
  readonly on: 'insert' | 'update' | 'delete';
  /** Of the new row, such as `new.status = 'ACTIVE'`. */
  readonly when?: string;
  /** `no row`: it succeeds and writes nothing; `commit`: only its transaction's commit fails. */
  readonly fails?: 'at once' | 'no row' | 'commit';
  /** The SQLSTATE of the error; otherwise that of an exception of PL/pgSQL. */
  readonly code?: string;
}

let faults = 0;

/** Breaks a statement by a trigger; returns what mends it. */
export async function breakStatement(
  database: Database,
  { table, on, when = 'true', fails = 'at once', code = 'P0001' }: StatementFault,
): Promise<() => Promise<void>> {
  faults += 1;
  const name = `fault_${faults}`;
  const body =
    fails === 'no row'
      ? 'return null;'
      : `raise exception 'broken by a test' using errcode = '${code}';`;
  await sql
    .raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`)
    .execute(database);
  const trigger =
    fails === 'commit'
      ? `create constraint trigger ${name} after ${on} on ${table} deferrable initially deferred`
      : `create trigger ${name} before ${on} on ${table}`;
  await sql
    .raw(`${trigger} for each row when (${when}) execute function ${name}()`)
    .execute(database);
  return async () => {
    await sql.raw(`drop function ${name} cascade`).execute(database);
  };
}

/** Breaks every read of a table by hiding it; returns what mends it. */
export async function hideTable(database: Database, table: string): Promise<() => Promise<void>> {
  await sql.raw(`alter table ${table} rename to ${table}_hidden`).execute(database);
  return async () => {
    await sql.raw(`alter table ${table}_hidden rename to ${table}`).execute(database);
  };
}
