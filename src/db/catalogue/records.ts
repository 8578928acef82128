import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import type { ChangeableTable, Row } from './company-changes.ts';

/**
 * Serialises transactions that assign identities in a table, so that two cannot add the same one.
 */
export async function lockIdentities(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
): Promise<void> {
  const key = `identities of ${table}`;
  await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(transaction);
}

/**
 * Locks the rows with one of the values in a column, including deleted ones, in the order of their
 * ids, which avoids deadlocks between imports.
 */
export async function lockRowsBy(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  column: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const texts = [...new Set(values.map(String))];
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where ${sql.ref(column)}::text = any(${texts}::text[])
    order by id for no key update`.execute(transaction);
  return rows;
}

/** Adds rows; an omitted column gets its default. Returns the new rows. */
export async function insertRows(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const tuples = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => row[column] ?? sql`default`))})`,
  );
  const inserted = await sql<Row>`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(tuples)} returning *`.execute(transaction);
  return inserted.rows;
}

/** Locks a row, possibly deleted, against all changes and new references. */
export async function lockForDeletion(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where id = ${id} for update`.execute(transaction);
  return rows[0];
}

/** Marks a row as deleted, or restores it. */
export async function markDeleted(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
  isDeleted: boolean,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set deleted_at = ${isDeleted ? sql`now()` : sql`null`},
      updated_at = now() where id = ${id}`.execute(transaction);
}

/** Deletes a row without references. */
export async function removeRow(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
): Promise<void> {
  await sql`delete from ${sql.table(table)} where id = ${id}`.execute(transaction);
}
