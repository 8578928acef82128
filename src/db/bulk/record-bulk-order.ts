import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../domain/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import {
  beginOperation,
  type OperationIdentity,
  type StoredOutcome,
  settleOperation,
} from '../operations/operations.ts';
import type { BulkLinesTable, BulkOrdersTable } from '../schema/all-tables.ts';

/** The operation kind of bulk orders. */
export const BULK_ORDER_KIND = 'order-vouchers';

/** A line to be generated. */
export type NewBulkLine = Pick<
  BulkLinesTable,
  | 'reference'
  | 'operation_id'
  | 'request_digest'
  | 'denomination_id'
  | 'merchant_id'
  | 'merchant_identifier'
  | 'owner_msisdn'
  | 'is_restricted'
  | 'exchange_rate'
  | 'currency'
  | 'originating_country'
  | 'foreign_currency_amount'
>;

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
): Promise<StoredOutcome<BulkOrdered>> =>
  database.transaction().execute(async (transaction) => {
    const begun = await beginOperation<BulkOrdered>(transaction, identity, BULK_ORDER_KIND);
    if (begun.kind === 'answered') return begun.outcome;
    const bulkOrderId = await insertOrder(transaction, identity, lines.length);
    for (let from = 0; from < lines.length; from += LINES_PER_STATEMENT) {
      const part = lines.slice(from, from + LINES_PER_STATEMENT);
      await insertLines(transaction, { bulkOrderId, from }, part);
    }
    return settleOperation<BulkOrdered>(transaction, identity.operationId, 'SUCCEEDED', {
      ok: true,
      bulkOrderId,
    });
  });

async function insertOrder(
  transaction: DatabaseTransaction,
  { operationId, requestId, requestDigest, company }: OperationIdentity & { company: Caller },
  lines: number,
): Promise<number> {
  const { id } = await transaction
    .insertInto('bulk_orders')
    .values({
      operation_id: operationId,
      request_id: requestId,
      request_digest: requestDigest,
      partner_id: company.id,
      ...authorityOf(company),
      lines,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

function authorityOf({
  credential,
}: Caller): Pick<BulkOrdersTable, 'api_key_id' | 'token_version' | 'portal_account_id'> {
  const none = { api_key_id: null, token_version: null, portal_account_id: null };
  if (credential && 'portalAccountId' in credential)
    return { ...none, portal_account_id: credential.portalAccountId };
  if (credential && 'apiKeyId' in credential)
    return { ...none, api_key_id: credential.apiKeyId, token_version: credential.tokenVersion };
  throw new Error('An order needs an API key or a person');
}

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
} as const satisfies Record<keyof NewBulkLine, string>;

const names = Object.keys(columns) as (keyof NewBulkLine)[];
const listed = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql`, `);

/** One array per column: the statement is the same for any number of lines. */
async function insertLines(
  transaction: DatabaseTransaction,
  { bulkOrderId, from }: { readonly bulkOrderId: number; readonly from: number },
  lines: readonly NewBulkLine[],
): Promise<void> {
  const arrays = names.map(
    (name) => sql`${lines.map((line) => line[name])}::${sql.raw(columns[name])}[]`,
  );
  await sql`
    insert into bulk_lines (bulk_order_id, line, ${listed(names.map((name) => sql.ref(name)))})
    select ${bulkOrderId}::bigint, ${from}::integer + place,
      ${listed(names.map((name) => sql.ref(`given.${name}`)))}
    from unnest(${listed(arrays)}) with ordinality
      as given (${listed(names.map((name) => sql.ref(name)))}, place)`.execute(transaction);
}
