import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import type { ChangeableTable } from './company-changes.ts';

/** A kind of row that depends on another row. */
interface Use {
  /** In the words of a sentence, such as "merchants in it (3)". */
  readonly words: string;
  /** The rows, as SQL from their table on. */
  readonly rows: (id: number) => RawBuilder<unknown>;
}

const isLiveVoucher = sql`status not in ('REDEEMED', 'EXPIRED', 'CANCELLED')`;

/** The dependent rows that prevent the deletion of a row of each table. */
const uses: Readonly<Partial<Record<ChangeableTable, readonly Use[]>>> = {
  merchants: [
    {
      words: 'vouchers for it that are not used up',
      rows: (id) => sql`vouchers where merchant_id = ${id} and ${isLiveVoucher}`,
    },
    {
      words: 'payments to it under way',
      rows: (id) => sql`redemptions where merchant_id = ${id} and status = 'HELD'`,
    },
  ],
  merchant_categories: [
    {
      words: 'merchants in it',
      rows: (id) => sql`merchants where merchant_category_id = ${id} and deleted_at is null`,
    },
  ],
  product_categories: [
    {
      words: 'products in it',
      rows: (id) => sql`products where product_category_id = ${id} and deleted_at is null`,
    },
    {
      words: 'promos for it',
      rows: (id) => sql`promos where product_category_id = ${id} and deleted_at is null`,
    },
  ],
  products: [
    {
      words: 'active denominations of it',
      rows: (id) => sql`gift_denominations where product_id = ${id} and status = 'ACTIVE'`,
    },
    {
      words: 'vouchers of it that are not used up',
      rows: (id) => sql`vouchers where ${isLiveVoucher} and denomination_id in (
        select id from gift_denominations where product_id = ${id})`,
    },
    {
      words: 'top-ups of it under way',
      rows: (id) => sql`topups where product_id = ${id}
        and status in ('PENDING', 'PROCESSING', 'UNKNOWN')`,
    },
  ],
  gift_denominations: [
    {
      words: 'vouchers that were generated with it',
      rows: (id) => sql`vouchers where denomination_id = ${id}`,
    },
    {
      words: 'selling prices that partners have set for it',
      rows: (id) => sql`partner_gift_denomination_prices where denomination_id = ${id}`,
    },
  ],
};

/** The dependent rows in words, each with its number; empty where the row may be deleted. */
export async function findDeleteBlockers(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  id: number,
): Promise<string[]> {
  const found: string[] = [];
  for (const { words, rows: from } of uses[table] ?? []) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${from(id)}`.execute(transaction);
    const count = rows[0]?.count ?? 0;
    if (count > 0) found.push(`${words} (${count})`);
  }
  return found;
}
