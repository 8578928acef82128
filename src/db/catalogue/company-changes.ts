import { sql, type Updateable } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { Schema } from '../schema/all-tables.ts';

/** The tables that operators change: how each row records its changes. */
const changeable = {
  partners: { hasUpdatedAt: true, isDeletable: false },
  merchants: { hasUpdatedAt: true, isDeletable: true },
  merchant_categories: { hasUpdatedAt: true, isDeletable: true },
  product_categories: { hasUpdatedAt: true, isDeletable: true },
  products: { hasUpdatedAt: true, isDeletable: true },
  promos: { hasUpdatedAt: true, isDeletable: true },
  gift_denominations: { hasUpdatedAt: false, isDeletable: false },
} as const satisfies Partial<
  Record<keyof Schema, { readonly hasUpdatedAt: boolean; readonly isDeletable: boolean }>
>;

export type ChangeableTable = keyof typeof changeable;

/** The old and new value of each changed column. */
export type ColumnChanges = Readonly<
  Record<string, { readonly from: unknown; readonly to: unknown }>
>;

/** A row as the database has it: its columns by their names. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether rows of a table are marked as deleted instead of being removed. */
export const isDeletable = (table: ChangeableTable): boolean => changeable[table].isDeletable;

const isLive = (table: ChangeableTable) =>
  isDeletable(table) ? sql`deleted_at is null` : sql`true`;

/** Reads one row; undefined where the id does not exist or is deleted. */
export async function findRow(
  database: Database,
  table: ChangeableTable,
  id: number,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where id = ${id} and ${isLive(table)}`.execute(database);
  return rows[0];
}

/** All rows of a small table that are not deleted. */
export async function findAllRows(
  database: Database,
  table: ChangeableTable,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where ${isLive(table)} order by id`.execute(database);
  return rows;
}

/** Reads and locks one row; undefined where the id does not exist or is deleted. */
export async function lockRow(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where id = ${id} and ${isLive(table)}
    for no key update`.execute(transaction);
  return rows[0];
}

/**
 * The given columns whose values differ, with their old values. Decimals are compared as text, so
 * they need the digits of their column.
 */
export const differences = (before: Row, values: Row): ColumnChanges =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([column, value]) => value !== undefined && !isSame(value, before[column] ?? null))
      .map(([column, to]) => [column, { from: before[column] ?? null, to }]),
  );

const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;

/**
 * Changes the given columns of one row that differ. Returns them, empty when nothing differs;
 * undefined where the row does not exist.
 */
export async function changeRow<Table extends ChangeableTable>(
  transaction: DatabaseTransaction,
  table: Table,
  id: number,
  values: Updateable<Schema[Table]>,
): Promise<ColumnChanges | undefined> {
  const before = await lockRow(transaction, table, id);
  if (!before) return undefined;
  const changes = differences(before, values as Row);
  const row = Object.fromEntries(Object.entries(changes).map(([column, { to }]) => [column, to]));
  if (Object.keys(row).length > 0) await changeRows(transaction, table, [{ id, ...row }]);
  return changes;
}

/** Changes many rows at once; all have their ids and the same columns. */
export async function changeRows(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'id');
  const assignments = columns.map((column) => sql`${sql.ref(column)} = given.${sql.ref(column)}`);
  if (changeable[table].hasUpdatedAt) assignments.push(sql`updated_at = now()`);
  const name = sql.table(table);
  await sql`
    update ${name} set ${sql.join(assignments)}
    from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb) as given
    where ${name}.id = given.id`.execute(transaction);
}

/** Ends the selling prices of a denomination or at a merchant; returns the number. */
export async function endPrices(
  transaction: DatabaseTransaction,
  column: 'denomination_id' | 'merchant_id',
  id: number,
): Promise<number> {
  const result = await transaction
    .updateTable('partner_gift_denomination_prices')
    .set({ replaced_at: sql<Date>`now()` })
    .where(column, '=', id)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
