import { type Selectable, sql } from 'kysely';
import type { Refusal } from '../../domain/refusals.ts';
import type { BulkLineStatus } from '../../domain/vouchers/bulk-order.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { BulkLinesTable } from '../schema/all-tables.ts';

export type BulkLine = Selectable<BulkLinesTable>;

/** The next lines that nothing has happened to. */
export const pendingBulkLines = (
  database: Database,
  bulkOrderId: number,
  limit: number,
): Promise<BulkLine[]> =>
  database
    .selectFrom('bulk_lines')
    .selectAll()
    .where('bulk_order_id', '=', bulkOrderId)
    .where('status', '=', 'PENDING')
    .orderBy('line')
    .limit(limit)
    .execute();

/** What became of a line. */
export type SettledLine = { readonly line: number } & (
  | { readonly voucherId: number }
  | { readonly refusal: Refusal }
);

/** Records what became of lines, in one statement. */
export async function settleBulkLines(
  transaction: DatabaseTransaction,
  bulkOrderId: number,
  settled: readonly SettledLine[],
): Promise<void> {
  const rows = settled.map((row) => ({
    line: row.line,
    voucher_id: 'voucherId' in row ? row.voucherId : null,
    refusal: 'refusal' in row ? row.refusal : null,
  }));
  await sql`
    update bulk_lines
    set status = case when settled.voucher_id is null then 'REFUSED' else 'GENERATED' end,
      voucher_id = settled.voucher_id, refusal = settled.refusal, settled_at = now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as settled (line integer, voucher_id bigint, refusal jsonb)
    where bulk_lines.bulk_order_id = ${bulkOrderId} and bulk_lines.line = settled.line`.execute(
    transaction,
  );
}

/** Cancels pending lines, at most `limit`; returns their number. */
export async function cancelBulkLines(
  transaction: DatabaseTransaction,
  bulkOrderId: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update bulk_lines set status = 'CANCELLED', settled_at = now()
    where bulk_order_id = ${bulkOrderId} and line in (
      select line from bulk_lines
      where bulk_order_id = ${bulkOrderId} and status = 'PENDING' order by line limit ${limit})
  `.execute(transaction);
  return Number(numAffectedRows ?? 0);
}

/** A line with the voucher that it generated; the code is still encrypted. */
export interface BulkLineWithVoucher extends Pick<BulkLine, 'line' | 'reference' | 'status'> {
  readonly refusal: Refusal | null;
  readonly voucher_id: number | null;
  readonly amount: string | null;
  readonly serial_number: string | null;
  readonly code_ciphertext: string | null;
  /** The operation that generated the voucher: its code is sealed with it. */
  readonly generation_id: string | null;
}

/** The lines of an order after a line, in their order. */
export const bulkLinesAfter = (
  database: Database,
  bulkOrderId: number,
  page: {
    readonly after: number;
    readonly limit: number;
    readonly status: BulkLineStatus | undefined;
  },
): Promise<BulkLineWithVoucher[]> => {
  const query = database
    .selectFrom('bulk_lines')
    .leftJoin('vouchers', 'vouchers.id', 'voucher_id')
    .select([
      'line',
      'reference',
      'bulk_lines.status',
      'refusal',
      'voucher_id',
      'vouchers.amount',
      'serial_number',
      'code_ciphertext',
      'vouchers.operation_id as generation_id',
    ])
    .where('bulk_order_id', '=', bulkOrderId)
    .where('line', '>', page.after)
    .orderBy('line')
    .limit(page.limit);
  return (
    page.status === undefined ? query : query.where('bulk_lines.status', '=', page.status)
  ).execute();
};
