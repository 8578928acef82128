import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { TopupKind, TopupStatus } from '../../domain/topup.ts';
import { type Database, type DatabaseTransaction, firstRow, hasRows } from '../connection.ts';
import {
  insertOperation,
  lockOperation,
  type OperationIdentity,
  type StoredOperation,
  storedOperation,
} from '../operations.ts';
import { numberKey } from '../phone-numbers.ts';

/** The operation kind of new top-ups. */
export const TOPUP_KIND = 'top-up';

/** A requested top-up. */
export interface NewTopup {
  readonly kind: TopupKind;
  /** For a package. */
  readonly productId: number | null;
  /** Decimal string, for airtime. */
  readonly amount: string | null;
  readonly msisdn: StoredNumber;
  readonly exchangeRate: string;
  readonly currency: string;
  readonly originatingCountry: string;
  readonly foreignCurrencyAmount: string | null;
}

/** The number of a top-up and its workflow. */
interface RecordedRow {
  readonly transactionId: number;
  readonly workflowId: string;
}

/** A request with its number, and the outcome of an earlier request under its key. */
interface RecordedTopup {
  /** Undefined for a refused one. */
  readonly topup: RecordedRow | undefined;
  /** Undefined where this request was recorded now. */
  readonly stored: StoredOperation | undefined;
}

/**
 * Records a new top-up before its workflow starts, the operation and the top-up in one statement:
 * from here on every answer can contain its number. A request under a known key writes nothing.
 */
export async function recordTopup(
  database: Database,
  identity: OperationIdentity,
  topup: NewTopup & {
    /** The id of its workflow, with `%s` for the number. */
    readonly workflowIdFormat: string;
  },
): Promise<RecordedTopup> {
  const { operationId, requestDigest, company } = identity;
  type Row = { stored: StoredOperation | null } & Record<'made' | 'known', RecordedRow | null>;
  const statement = sql`
    with stored as (${storedOperation(TOPUP_KIND, operationId)}),
    operation as (${insertOperation(
      identity,
      TOPUP_KIND,
      sql`
      where not exists (select from topups where operation_id = ${operationId})`,
    )}),
    numbered as (
      select id as operation_id, nextval(pg_get_serial_sequence('topups', 'id')) as number
      from operation),
    made as (
      insert into topups (id, workflow_id, operation_id, request_digest, partner_id, kind,
        product_id, amount, msisdn, exchange_rate, currency, originating_country,
        foreign_currency_amount)
      overriding system value
      select number, format(${topup.workflowIdFormat}::text, number), operation_id,
        ${requestDigest}, ${company.id}::bigint, ${topup.kind}, ${topup.productId}::bigint,
        ${topup.amount}::numeric, ${topup.msisdn}, ${topup.exchangeRate}, ${topup.currency},
        ${topup.originatingCountry}, ${topup.foreignCurrencyAmount}
      from numbered
      returning id as "transactionId", workflow_id as "workflowId"),
    known as (select id as "transactionId", workflow_id as "workflowId" from topups where operation_id = ${operationId})
    select (select to_jsonb(stored) from stored) as stored,
      (select to_jsonb(made) from made) as made, (select to_jsonb(known) from known) as known`;
  return untilSeen(async () => {
    const row = await firstRow<Row>(database)`${statement}`;
    if (row?.made) return { topup: row.made, stored: undefined };
    return row?.stored ? { topup: row.known ?? undefined, stored: row.stored } : undefined;
  });
}

const MAXIMUM_LOOKS = 5;

/** A concurrent duplicate is visible to the next statement, not to the statement that waited for it. */
async function untilSeen<Row>(look: () => Promise<Row | undefined>): Promise<Row> {
  for (let looks = 0; looks < MAXIMUM_LOOKS; looks += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error('The operation was deleted and written several times');
}

/**
 * Deletes a request whose workflow was provably not called, unless another request under its key
 * may have called it, or got the answer "accepted". Returns whether it was deleted.
 */
export const withdrawRequest = (
  database: Database,
  { operationId, requestId }: OperationIdentity,
): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    const operation = await lockOperation(transaction, operationId);
    if (!operation) return true;
    const isOurs = operation.request_id === requestId && operation.status === 'RUNNING';
    if (!isOurs || operation.accepted_at !== null) return false;
    const dropped = await dropRequest(transaction, operationId);
    if (!dropped) return false;
    await transaction.deleteFrom('operations').where('id', '=', operationId).execute();
    return true;
  });

/** SQL expression: since when there are top-ups that have not begun and may be deleted; null where there are none. */
export const unbegunSince = sql`(select min(created_at) from topups where status = 'PENDING')`;

/** Deletes a top-up that never began, or a request for a retry; false where there is neither. */
export const dropRequest = (transaction: DatabaseTransaction, operationId: string) =>
  hasRows(transaction)`
    with topup as (
      delete from topups where operation_id = ${operationId} and status = 'PENDING' returning id),
    retry as (
      delete from topup_retries where operation_id = ${operationId} and is_open
      returning topup_id)
    select id from topup union all select topup_id from retry`;

/**
 * Records that a request is accepted, before the caller gets this answer: its number stays,
 * whatever the outcome. Returns the operation; undefined where it was refused and deleted.
 */
export const acceptRequest = (database: Database, operationId: string) =>
  firstRow<StoredOperation>(database)`
    update operations set accepted_at = coalesce(accepted_at, now()) where id = ${operationId}
    returning status, request_id, request_digest, outcome`;

/** The operation kind of retries. */
export const RETRY_KIND = 'retry-topup';

/** A requested retry. */
interface NewRetry {
  readonly topupId: number;
  /** Null means the number of the previous attempt. */
  readonly msisdn: StoredNumber | null;
}

/** The top-up to retry, and the outcome of an earlier request under the key. */
interface RecordedRetry {
  readonly status: TopupStatus;
  /** The operation of the top-up, and its workflow. */
  readonly creationId: string;
  readonly workflowId: string;
  /** The requested attempt. */
  readonly attempt: number;
  /** The number of the attempt before it. */
  readonly previous: StoredNumber;
  /** Whether it goes to that number, named or not. */
  readonly isToPrevious: boolean;
  readonly isRecorded: boolean;
  readonly stored: StoredOperation | undefined;
}

/**
 * Records a retry of a failed top-up before its workflow is called, in one statement that also
 * finds the top-up: a lost call leaves a trace. Undefined where the partner has no such top-up.
 */
export async function recordRetry(
  database: Database,
  identity: OperationIdentity,
  retry: NewRetry,
): Promise<RecordedRetry | undefined> {
  const { operationId, requestDigest, company } = identity;
  const asked = sql`${retry.msisdn}::text`;
  type Row = Omit<RecordedRetry, 'stored'> & { readonly stored: StoredOperation | null };
  const statement = sql`
    with topup as (
      select id, status, operation_id, workflow_id, attempt, msisdn from topups
      where id = ${retry.topupId} and partner_id = ${company.id}),
    stored as (${storedOperation(RETRY_KIND, operationId)}),
    operation as (${insertOperation(
      identity,
      RETRY_KIND,
      sql`
      from topup where topup.status = 'FAILED'
        and not exists (select from topup_retries where operation_id = ${operationId})`,
    )}),
    retry as (
      insert into topup_retries (operation_id, topup_id, attempt, msisdn, request_digest)
      select operation.id, topup.id, topup.attempt + 1,
        case when ${numberKey(asked)} <> ${numberKey(sql`topup.msisdn`)} then ${asked} end,
        ${requestDigest}
      from operation, topup
      returning attempt, msisdn)
    select topup.status, topup.operation_id as "creationId", topup.workflow_id as "workflowId",
      topup.msisdn as previous, exists (select from retry) as "isRecorded",
      (select to_jsonb(stored) from stored where not exists (select from retry)) as stored,
      coalesce((select attempt from retry), (select attempt from topup_retries
        where operation_id = ${operationId}), topup.attempt + 1) as attempt,
      coalesce((select msisdn is null from retry), (select msisdn is null from topup_retries
        where operation_id = ${operationId}), false) as "isToPrevious"
    from topup`;
  return untilSeen(async () => {
    const row = await firstRow<Row>(database)`${statement}`;
    if (!row) return 'unknown';
    if (row.status === 'FAILED' && !row.stored && !row.isRecorded) return undefined;
    return { ...row, stored: row.stored ?? undefined };
  }).then((recorded) => (recorded === 'unknown' ? undefined : recorded));
}

/** Records that another request's attempt answered a request for a retry. */
export async function closeRetry(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<void> {
  await transaction
    .updateTable('topup_retries')
    .set({ is_open: false })
    .where('operation_id', '=', operationId)
    .execute();
}
