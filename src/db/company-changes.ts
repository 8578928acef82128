import { sql, type Updateable } from 'kysely';
import type { Database, DatabaseTransaction } from './connection.js';
import type { Schema } from './schema.js';

/** The tables whose rows operators change, and whether a row says when it was changed. */
const changeable = {
  partners: true,
  merchants: true,
  merchant_categories: true,
  product_categories: true,
  products: true,
  gift_denominations: false,
} as const satisfies Partial<Record<keyof Schema, boolean>>;

export type ChangeableTable = keyof typeof changeable;

/** What each changed column was and is. */
export type ColumnChanges = Readonly<
  Record<string, { readonly from: unknown; readonly to: unknown }>
>;

type Row = Readonly<Record<string, unknown>>;

/** Reads one row, undefined when there is none with the id. */
export async function findRow(
  database: Database,
  table: ChangeableTable,
  id: number,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} where id = ${id}`.execute(
    database,
  );
  return rows[0];
}

/** The same, and nobody else changes it until the transaction ends. */
async function lockRow(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where id = ${id} for no key update`.execute(transaction);
  return rows[0];
}

/**
 * Changes the columns of one row that are given and are not so already. Returns those, none when
 * there was nothing to change; undefined when there is no such row. Decimals are compared as text,
 * so they are given with the digits of their column.
 */
export async function changeRow<Table extends ChangeableTable>(
  transaction: DatabaseTransaction,
  table: Table,
  id: number,
  values: Updateable<Schema[Table]>,
): Promise<ColumnChanges | undefined> {
  const before = await lockRow(transaction, table, id);
  if (!before) return undefined;
  const changed = Object.entries<unknown>(values).filter(
    ([column, value]) => value !== undefined && value !== before[column],
  );
  if (changed.length === 0) return {};
  const assignments = changed.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  if (changeable[table]) assignments.push(sql`updated_at = now()`);
  await sql`update ${sql.table(table)} set ${sql.join(assignments)} where id = ${id}`.execute(
    transaction,
  );
  return Object.fromEntries(
    changed.map(([column, to]) => [column, { from: before[column] ?? null, to }]),
  );
}

/** Ends the selling prices that partners have set for a denomination; returns how many. */
export async function endPrices(
  transaction: DatabaseTransaction,
  denominationId: number,
): Promise<number> {
  const result = await transaction
    .updateTable('partner_gift_denomination_prices')
    .set({ replaced_at: sql<Date>`now()` })
    .where('denomination_id', '=', denominationId)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Gives a merchant another account to be paid to; the one before stays as history. Two at the same
 * moment take turns on the merchant's row. Returns the ids of the new account and of the one before
 * it; the same id twice when the merchant has this account already.
 */
export async function replacePayoutAccount(
  transaction: DatabaseTransaction,
  merchantId: number,
  /** Key and value as GSMA's parties have them. */
  account: { readonly key: string; readonly value: string },
): Promise<{ readonly id: number; readonly replacedId: number | null }> {
  await lockRow(transaction, 'merchants', merchantId);
  const current = await transaction
    .selectFrom('merchant_payout_accounts')
    .select(['id', 'party_key as key', 'party_value as value'])
    .where('merchant_id', '=', merchantId)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  if (current?.key === account.key && current.value === account.value)
    return { id: current.id, replacedId: current.id };
  await transaction
    .updateTable('merchant_payout_accounts')
    .set({ replaced_at: sql<Date>`now()` })
    .where('id', '=', current?.id ?? 0)
    .execute();
  const { id } = await transaction
    .insertInto('merchant_payout_accounts')
    .values({ merchant_id: merchantId, party_key: account.key, party_value: account.value })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, replacedId: current?.id ?? null };
}
