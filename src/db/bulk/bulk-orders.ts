import { type Selectable, sql } from 'kysely';
import type { BulkLineStatus } from '../../domain/vouchers/bulk-order.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { listColumns } from '../lists/list-columns.ts';
import type { ListSource } from '../lists/list-query.ts';
import type { BulkOrdersTable } from '../schema/all-tables.ts';

export type BulkOrder = Selectable<BulkOrdersTable>;

/** What a list shows of an order. */
export type ListedBulkOrder = Pick<
  BulkOrder,
  | 'id'
  | 'created_at'
  | 'lines'
  | 'generated'
  | 'refused'
  | 'cancelled'
  | 'cancel_requested_at'
  | 'ended_at'
>;

/** The orders of a partner. */
export const bulkOrderSource: ListSource<ListedBulkOrder> = {
  name: 'bulk-orders',
  select: sql`id, created_at, lines, generated, refused, cancelled, cancel_requested_at, ended_at`,
  from: () => sql`bulk_orders`,
  where: (partnerId) => sql`partner_id = ${partnerId}::bigint`,
  id: sql`id`,
  columns: {
    id: listColumns.integer(sql`id`),
    createdAt: listColumns.time(sql`created_at`),
  },
};

/** An order of a partner; undefined where it has none with this id. */
export const findBulkOrder = (
  database: Database,
  partnerId: number,
  id: number,
): Promise<BulkOrder | undefined> =>
  database
    .selectFrom('bulk_orders')
    .selectAll()
    .where('id', '=', id)
    .where('partner_id', '=', partnerId)
    .executeTakeFirst();

/**
 * Requests that no further line is generated; an ended order stays as it is. Undefined where the
 * partner has no such order.
 */
export async function requestBulkCancellation(
  database: Database,
  partnerId: number,
  id: number,
): Promise<BulkOrder | undefined> {
  const requested = await database
    .updateTable('bulk_orders')
    .set({ cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, now())` })
    .where('id', '=', id)
    .where('partner_id', '=', partnerId)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return requested ?? findBulkOrder(database, partnerId, id);
}

/** Locks an order until the transaction ends: one batch at a time, and none beside a cancellation. */
export const lockBulkOrder = (transaction: DatabaseTransaction, id: number): Promise<BulkOrder> =>
  transaction
    .selectFrom('bulk_orders')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();

/** Counts settled lines, and ends the order with the last of them. */
export const countBulkLines = (
  transaction: DatabaseTransaction,
  id: number,
  settled: Readonly<Partial<Record<Exclude<BulkLineStatus, 'PENDING'>, number>>>,
): Promise<BulkOrder> => {
  const { GENERATED = 0, REFUSED = 0, CANCELLED = 0 } = settled;
  const isLast = sql`generated + refused + cancelled + ${GENERATED + REFUSED + CANCELLED}::integer = lines`;
  return transaction
    .updateTable('bulk_orders')
    .set({
      generated: sql<number>`generated + ${GENERATED}::integer`,
      refused: sql<number>`refused + ${REFUSED}::integer`,
      cancelled: sql<number>`cancelled + ${CANCELLED}::integer`,
      ended_at: sql<Date>`case when ${isLast} then now() end`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
};

/** Orders without an end, page by page. */
export const unfinishedBulkOrders = (
  database: Database,
  page: { readonly afterId: number; readonly limit: number },
): Promise<BulkOrder[]> =>
  database
    .selectFrom('bulk_orders')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('id', '>', page.afterId)
    .orderBy('id')
    .limit(page.limit)
    .execute();
