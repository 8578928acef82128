import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { TopupKind } from '../../domain/topup.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { lockOperation, type OperationIdentity } from '../operations/operations.js';
import {
  digestsOf,
  type StoredOperation,
  storedOperation,
} from '../operations/stored-operations.js';
import type { TopupStatus, TopupsTable } from '../schema/all-tables.js';

/** The kinds of operations that the requests of top-ups are. */
export const TOPUP_KIND = 'top-up';
export const RETRY_KIND = 'retry-topup';

/** What a new top-up is asked to be. */
export interface NewTopup {
  readonly kind: TopupKind;
  /** Of a package. */
  readonly productId: number | null;
  /** Decimal string, of airtime. */
  readonly amount: string | null;
  /** E.164 */
  readonly msisdn: string;
  readonly exchangeRate: string;
  readonly currency: string;
  readonly originatingCountry: string;
  readonly foreignCurrencyAmount: string | null;
}

/** The number of a top-up, which its partner knows, and its workflow. */
type RecordedRow = Pick<Selectable<TopupsTable>, 'id' | 'workflow_id'>;

/** A request with its number, and what an earlier one under its key came to. */
export interface RecordedTopup {
  /** Undefined of one that was refused. */
  readonly topup: RecordedRow | undefined;
  /** Undefined where this request was recorded now. */
  readonly stored: StoredOperation | undefined;
}

/**
 * Writes a new top-up down before its workflow is started, the operation and the top-up in one
 * statement: from here on every answer can name its number. A request under a key that is known
 * writes nothing; a corrected one takes the place of one that was refused.
 */
export async function recordTopup(
  database: Database,
  identity: OperationIdentity,
  topup: NewTopup & {
    /** The id of its workflow, with `%s` for the number that it will have. */
    readonly workflowIdFormat: string;
  },
): Promise<RecordedTopup> {
  const { operationId, requestDigest, company } = identity;
  type Rows = { stored: StoredOperation | null } & Record<'made' | 'known', RecordedRow | null>;
  const statement = sql<Rows>`
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
      returning id, workflow_id),
    known as (select id, workflow_id from topups where operation_id = ${operationId})
    select (select to_jsonb(stored) from stored) as stored,
      (select to_jsonb(made) from made) as made, (select to_jsonb(known) from known) as known`;
  return untilSeen(async () => {
    const { rows } = await statement.execute(database);
    const [row] = rows;
    if (row?.made) return { topup: row.made, stored: undefined };
    return row?.stored ? { topup: row.known ?? undefined, stored: row.stored } : undefined;
  });
}

/** A retry that a partner asks for. */
export interface NewRetry {
  readonly topupId: number;
  /** E.164; null is the number of the attempt before. */
  readonly msisdn: string | null;
}

/** The top-up that is to be retried, and what an earlier request under the key came to. */
export interface RecordedRetry {
  readonly status: TopupStatus;
  /** The operation that made the top-up, and its workflow. */
  readonly creationId: string;
  readonly workflowId: string | null;
  /** The attempt that the request asks for. */
  readonly attempt: number;
  readonly isRecorded: boolean;
  readonly stored: StoredOperation | undefined;
}

/**
 * Writes a retry of a failed top-up down before its workflow is asked for it, in one statement that
 * finds the top-up too: what is lost on the way to the workflow leaves a trace. Undefined where the
 * partner has no such top-up.
 */
export async function recordRetry(
  database: Database,
  identity: OperationIdentity,
  retry: NewRetry,
): Promise<RecordedRetry | undefined> {
  const { operationId, requestDigest, company } = identity;
  const statement = sql<{
    stored: StoredOperation | null;
    status: TopupStatus;
    operation_id: string;
    workflow_id: string | null;
    attempt: number;
    known_attempt: number | null;
    new_attempt: number | null;
  }>`
    with topup as (
      select id, status, operation_id, workflow_id, attempt from topups
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
      select operation.id, topup.id, topup.attempt + 1, ${retry.msisdn}, ${requestDigest}
      from operation, topup
      returning attempt)
    select topup.*, (select to_jsonb(stored) from stored) as stored,
      (select attempt from topup_retries where operation_id = ${operationId}) as known_attempt,
      (select attempt from retry) as new_attempt
    from topup`;
  return untilSeen(async () => {
    const { rows } = await statement.execute(database);
    const [row] = rows;
    if (!row) return 'unknown';
    if (row.status === 'FAILED' && !row.stored && row.new_attempt === null) return undefined;
    return {
      status: row.status,
      creationId: row.operation_id,
      workflowId: row.workflow_id,
      attempt: row.new_attempt ?? row.known_attempt ?? row.attempt + 1,
      isRecorded: row.new_attempt !== null,
      stored: row.new_attempt === null ? (row.stored ?? undefined) : undefined,
    };
  }).then((recorded) => (recorded === 'unknown' ? undefined : recorded));
}

/** A corrected request replaces a refused one. */
const insertOperation = (
  identity: OperationIdentity,
  kind: string,
  condition: RawBuilder<unknown>,
) => sql`
  insert into operations (id, company_kind, company_id, kind, request_id, request_digest, status)
  select ${identity.operationId}, ${identity.company.kind}, ${identity.company.id}::bigint,
    ${kind}, ${identity.requestId}::uuid, ${identity.requestDigest}, 'RUNNING'
  ${condition}
  on conflict (id) do update set status = 'RUNNING', outcome = null, settled_at = null,
    request_id = excluded.request_id, request_digest = excluded.request_digest,
    created_at = now(), accepted_at = null
    where operations.status = 'REFUSED'
      and operations.request_digest <> all(${digestsOf(identity)}::text[])
  returning id`;

const MAXIMUM_LOOKS = 5;

/** A duplicate of this moment is seen by the next statement, not by the one that waited for it. */
async function untilSeen<Row>(look: () => Promise<Row | undefined>): Promise<Row> {
  for (let looks = 0; looks < MAXIMUM_LOOKS; looks += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error('The operation comes and goes');
}

/**
 * Forgets a request whose workflow was provably not asked, unless another request under its key may
 * have asked it, or was told that it is accepted. Returns whether it is forgotten.
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

/** Deletes a top-up that was never begun, or a request for a retry; false where there is neither. */
export async function dropRequest(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<boolean> {
  const { rows } = await sql`
    with topup as (
      delete from topups where operation_id = ${operationId} and status = 'PENDING' returning id),
    retry as (
      delete from topup_retries where operation_id = ${operationId} and is_open
      returning topup_id)
    select id from topup union all select topup_id from retry`.execute(transaction);
  return rows.length > 0;
}

/** Notes that a request for a retry was answered by another one's attempt. */
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

/**
 * Notes, before a caller is told so, that a request is accepted: its number stays, whatever becomes of
 * it. Returns the operation; undefined where it was refused and forgotten.
 */
export async function acceptRequest(
  database: Database,
  operationId: string,
): Promise<StoredOperation | undefined> {
  const { rows } = await sql<StoredOperation>`
    update operations set accepted_at = coalesce(accepted_at, now()) where id = ${operationId}
    returning status, request_id, request_digest, outcome`.execute(database);
  return rows[0];
}
