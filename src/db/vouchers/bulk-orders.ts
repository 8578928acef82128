import { type Selectable, sql } from 'kysely';
import type { OperationOutcome, Refusal } from '../../domain/refusals.ts';
import type { BulkLineStatus, Caller } from '../../domain/vouchers/voucher.ts';
import {
  addRow,
  allRows,
  allValues,
  changedRows,
  type Database,
  type DatabaseTransaction,
} from '../connection.ts';
import type { BulkLinesTable, BulkOrdersTable } from '../generated/tables.ts';
import { columnNames, givenRows } from '../given-rows.ts';
import { beginOperation, type OperationIdentity, settleOperation } from '../operations.ts';

export type BulkLine = Selectable<BulkLinesTable>;

/** The next pending lines of an order. */
export const pendingBulkLines = (database: Database, bulkOrderId: number, limit: number) =>
  database
    .selectFrom('bulk_lines')
    .selectAll()
    .where('bulk_order_id', '=', bulkOrderId)
    .where('status', '=', 'PENDING')
    .orderBy('line')
    .limit(limit)
    .execute();

/** The result of a line. */
export type SettledLine = { readonly line: number } & (
  | { readonly voucherId: number }
  | { readonly refusal: Refusal }
);

/** Records the results of lines, in one statement. */
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
export const cancelBulkLines = (
  transaction: DatabaseTransaction,
  bulkOrderId: number,
  limit: number,
) =>
  changedRows(transaction)`
    update bulk_lines set status = 'CANCELLED', settled_at = now()
    where bulk_order_id = ${bulkOrderId} and line in (
      select line from bulk_lines
      where bulk_order_id = ${bulkOrderId} and status = 'PENDING' order by line limit ${limit})
  `;

/** A line with the voucher that it generated; the code is still encrypted. */
export type BulkLineWithVoucher = Awaited<ReturnType<typeof bulkLinesAfter>>[number];

/** The lines of an order after a line, in their order. */
export const bulkLinesAfter = (
  database: Database,
  bulkOrderId: number,
  page: {
    readonly after: number;
    readonly limit: number;
    readonly status: BulkLineStatus | undefined;
  },
) => {
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
      // The operation that generated the voucher: its code is sealed with it.
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

export type BulkOrder = Selectable<BulkOrdersTable>;

/** An order of a partner; undefined where it has none with this id. */
export const findBulkOrder = (database: Database, partnerId: number, id: number) =>
  database
    .selectFrom('bulk_orders')
    .selectAll()
    .where('id', '=', id)
    .where('partner_id', '=', partnerId)
    .executeTakeFirst();

/** The partner of an order that exists. */
export const partnerOfBulkOrder = async (database: Database, id: number): Promise<number> => {
  const order = database.selectFrom('bulk_orders').select('partner_id').where('id', '=', id);
  return (await order.executeTakeFirstOrThrow()).partner_id;
};

/**
 * Requests that no further line is generated; an ended order stays as it is. Undefined where the
 * partner has no such order.
 */
export async function requestBulkCancellation(database: Database, partnerId: number, id: number) {
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

/** Locks an order until the transaction ends: one batch at a time, and no cancellation meanwhile. */
export const lockBulkOrder = (transaction: DatabaseTransaction, id: number) =>
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
) => {
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
) =>
  database
    .selectFrom('bulk_orders')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('id', '>', page.afterId)
    .orderBy('id')
    .limit(page.limit)
    .execute();

/** A merchant that lines of an order name. */
export interface NamedMerchant {
  readonly id: number;
  readonly identifier: string;
  readonly name: string;
}

/** The active merchants of these ids and identifiers. */
export const findNamedMerchants = (
  database: Database,
  names: { readonly ids: readonly number[]; readonly identifiers: readonly string[] },
) =>
  allRows<NamedMerchant>(database)`
    select id, identifier, merchant_name as name from merchants
    where (id = any(${names.ids}::bigint[]) or identifier = any(${names.identifiers}::text[]))
      and status = 'ACTIVE' and deleted_at is null`;

/** The given operations that have generated a voucher. */
export const operationsWithVoucher = async (
  database: Database,
  operationIds: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set(
    await allValues<string>(database)`
      select operation_id from vouchers where operation_id = any(${operationIds}::text[])`,
  );

/** The operation kind of bulk orders. */
export const BULK_ORDER_KIND = 'order-vouchers';

/** The columns of a line to be generated. */
const columns = {
  reference: 'text',
  operation_id: 'text',
  request_digest: 'text',
  denomination_id: 'bigint',
  merchant_id: 'bigint',
  merchant_identifier: 'text',
  owner_msisdn: 'text',
  is_restricted: 'boolean',
  exchange_rate: 'text',
  currency: 'text',
  originating_country: 'text',
  foreign_currency_amount: 'text',
} as const satisfies Partial<Record<keyof BulkLinesTable, string>>;

export type NewBulkLine = Pick<BulkLinesTable, keyof typeof columns>;

/** The result of an order's operation. */
export interface BulkOrdered {
  readonly ok: true;
  readonly bulkOrderId: number;
}

/** Lines of one statement. */
const LINES_PER_STATEMENT = 1_000;

/**
 * Records an order with all its lines in one transaction, before its workflow starts; or returns the
 * outcome of an earlier request under its key.
 */
export const recordBulkOrder = (
  database: Database,
  identity: OperationIdentity & { readonly company: Caller },
  lines: readonly NewBulkLine[],
): Promise<OperationOutcome<BulkOrdered>> =>
  database.transaction().execute(async (transaction) => {
    const begun = await beginOperation<BulkOrdered>(transaction, identity, BULK_ORDER_KIND);
    if (begun.kind === 'answered') return begun.outcome;
    const bulkOrderId = await insertOrder(transaction, identity, lines.length);
    for (let from = 0; from < lines.length; from += LINES_PER_STATEMENT) {
      const part = lines.slice(from, from + LINES_PER_STATEMENT);
      await insertLines(transaction, { bulkOrderId, from }, part);
    }
    return settleOperation(transaction, identity.operationId, 'SUCCEEDED', {
      ok: true,
      bulkOrderId,
    });
  });

const insertOrder = (
  transaction: DatabaseTransaction,
  { operationId, requestId, requestDigest, company }: OperationIdentity & { company: Caller },
  lines: number,
) =>
  addRow(transaction, 'bulk_orders', {
    operation_id: operationId,
    request_id: requestId,
    request_digest: requestDigest,
    partner_id: company.id,
    ...authorityOf(company),
    lines,
  });

function authorityOf({
  credential,
}: Caller): Pick<BulkOrdersTable, 'api_key_id' | 'token_version' | 'portal_account_id'> {
  const none = { api_key_id: null, token_version: null, portal_account_id: null };
  if (credential && 'portalAccountId' in credential)
    return { ...none, portal_account_id: credential.portalAccountId };
  if (credential && 'apiKeyId' in credential)
    return { ...none, api_key_id: credential.apiKeyId, token_version: credential.tokenVersion };
  throw new Error('A bulk order needs an API key or a person');
}

async function insertLines(
  transaction: DatabaseTransaction,
  { bulkOrderId, from }: { readonly bulkOrderId: number; readonly from: number },
  lines: readonly NewBulkLine[],
): Promise<void> {
  const names = columnNames(columns);
  await sql`
    insert into bulk_lines (bulk_order_id, line, ${names})
    select ${bulkOrderId}::bigint, ${from}::integer + place, ${names}
    from ${givenRows(columns, lines)}`.execute(transaction);
}
