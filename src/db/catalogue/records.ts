import { sql } from 'kysely';
import {
  allRows,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  lockName,
  type Sql,
} from '../connection.ts';
import type { ChangeableTable, Row } from './companies.ts';

/**
 * Serialises transactions that assign identities in a table, so that two cannot add one identity.
 */
export const lockIdentities = (transaction: DatabaseTransaction, table: ChangeableTable) =>
  lockName(transaction, `identities of ${table}`);

/**
 * Locks the rows with one of the values in a column, including deleted ones, in the order of their
 * ids, which avoids deadlocks between imports.
 */
export function lockRowsBy(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  column: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const texts = [...new Set(values.map(String))];
  return allRows<Row>(transaction)`
    select * from ${sql.table(table)} where ${sql.ref(column)}::text = any(${texts}::text[])
    order by id for no key update`;
}

/** Adds rows; an omitted column gets its default. Returns the new rows. */
export function insertRows(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const tuples = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => row[column] ?? sql`default`))})`,
  );
  return allRows<Row>(transaction)`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(tuples)} returning *`;
}

/** Locks a row, possibly deleted, against all changes and new references. */
export const lockForDeletion = (
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
) =>
  firstRow<Row>(transaction)`
    select * from ${sql.table(table)} where id = ${id} for update`;

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

/**
 * The kinds of rows that depend on another row, in the words of a sentence, such as "merchants in it (3)". Each is SQL
 * from its table on.
 */
type Uses = Readonly<Record<string, (id: number) => Sql>>;

const isLiveVoucher = sql`status not in ('REDEEMED', 'EXPIRED', 'CANCELLED')`;

/** The dependent rows that prevent the deletion of a row of each table. */
const uses: Readonly<Partial<Record<ChangeableTable, Uses>>> = {
  merchants: {
    'vouchers for it that are not used up': (id) =>
      sql`vouchers where merchant_id = ${id} and ${isLiveVoucher}`,
    'payments to it under way': (id) =>
      sql`redemptions where merchant_id = ${id} and status = 'HELD'`,
  },
  merchant_categories: {
    'merchants in it': (id) =>
      sql`merchants where merchant_category_id = ${id} and deleted_at is null`,
  },
  product_categories: {
    'products in it': (id) =>
      sql`products where product_category_id = ${id} and deleted_at is null`,
    'promos for it': (id) => sql`promos where product_category_id = ${id} and deleted_at is null`,
  },
  products: {
    'active denominations of it': (id) =>
      sql`gift_denominations where product_id = ${id} and status = 'ACTIVE'`,
    'vouchers of it that are not used up': (id) => sql`vouchers where ${isLiveVoucher}
        and denomination_id in (select id from gift_denominations where product_id = ${id})`,
    'top-ups of it under way': (id) => sql`topups where product_id = ${id}
        and status in ('PENDING', 'PROCESSING', 'UNKNOWN')`,
  },
  gift_denominations: {
    'vouchers that were generated with it': (id) => sql`vouchers where denomination_id = ${id}`,
    'selling prices that partners have set for it': (id) =>
      sql`partner_gift_denomination_prices where denomination_id = ${id}`,
  },
};

/** The dependent rows in words, each with its number; empty where the row may be deleted. */
export async function findDeleteBlockers(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
): Promise<string[]> {
  const found: string[] = [];
  for (const [words, from] of Object.entries(uses[table] ?? {})) {
    const count = await firstValue<number>(transaction)`select count(*) from ${from(id)}`;
    if (count) found.push(`${words} (${count})`);
  }
  return found;
}
