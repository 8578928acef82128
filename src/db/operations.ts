import { sql } from 'kysely';
import {
  type AnsweredOperation,
  answered,
  isFinal,
  type OperationOutcome,
  type Refusal,
} from '../domain/refusals.ts';
import type { Company } from '../domain/vouchers/voucher.ts';
import {
  allRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstRow,
  hasRows,
  now,
  type Sql,
} from './connection.ts';
import type { OperationsTable } from './generated/tables.ts';
import { providerReferenceOf } from './positions/placements.ts';
import { FORGET_LEFT_REQUESTS_HOURS } from './pruning.ts';
import { MissingRowError } from './refused-rows.ts';

/** The keyed digest of a request's content. */
export interface RequestDigest {
  readonly requestDigest: string;
}

/** An operation as stored, or as reconstructed from its effect. */
export interface StoredOperation {
  readonly status: OperationsTable['status'];
  readonly request_id: string;
  readonly request_digest: string;
  readonly outcome: unknown;
  /** Null for an effect whose operation was pruned. */
  readonly age_seconds?: number | null;
}

/** Whether a stored digest belongs to this request. */
export const isSameRequest = (digest: string, request: RequestDigest): boolean =>
  digest === request.requestDigest;

/** An effect does not record which sending of its request made it. */
const noRequest = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/** The outcome of a top-up's attempt, as its operation answered. */
const attemptStatus = sql`case made.status when 'POSTED' then 'SUCCEEDED'
  when 'VOIDED' then 'FAILED' else 'RUNNING' end`;

const attemptOutcome = sql`case made.status
  when 'POSTED' then jsonb_build_object('ok', true, 'transactionId', made.topup_id,
    'referenceNumber', coalesce(${providerReferenceOf(sql`made.operation_id`)}, ''))
  when 'VOIDED' then jsonb_build_object('ok', false, 'reason', 'topup-failed',
    'detail', made.provider_message, 'transactionId', made.topup_id) end`;

/** An id, or the SQL expression that has it. */
type OperationId = string | Sql;

/**
 * The effect of an operation by its kind, in the columns of a stored operation: pruning deletes the
 * operation, never its effect. A claim has no lasting effect.
 */
const effects: Readonly<Record<string, (operationId: OperationId) => Sql>> = {
  'generate-voucher': (operationId) => sql`
    select 'SUCCEEDED' as status, ${noRequest} as request_id, request_digest,
      jsonb_build_object('ok', true, 'voucherId', id) as outcome
    from vouchers where operation_id = ${operationId}`,
  'redeem-gift': (operationId) => sql`
    select case status when 'POSTED' then 'SUCCEEDED' when 'VOIDED' then 'FAILED'
        else 'RUNNING' end as status,
      ${noRequest} as request_id, request_digest,
      case status
        when 'POSTED' then jsonb_build_object('ok', true,
          'providerReference', ${providerReferenceOf(sql`redemptions.operation_id`)},
          'platformReference', platform_reference)
        when 'VOIDED' then jsonb_build_object('ok', false, 'reason', 'payment-refused',
          'detail', provider_message) end as outcome
    from redemptions where operation_id = ${operationId}`,
  'reverse-redemption': (operationId) => sql`
    select case status when 'SUCCESS' then 'SUCCEEDED' when 'FAILED' then 'FAILED'
        else 'RUNNING' end as status,
      ${noRequest} as request_id, reversal.request_digest,
      case reversal.status
        when 'SUCCESS' then jsonb_build_object('ok', true, 'amount', (
            select (to_merchant + service_fee)::text from redemptions
            where redemptions.id = redemption_id),
          'creditedTo', credited_to, 'providerReference', provider_reference)
        when 'FAILED' then jsonb_build_object('ok', false, 'reason', 'reversal-refused',
          'detail', provider_message) end as outcome
    from redemption_reversals as reversal where operation_id = ${operationId}`,
  'order-vouchers': (operationId) => sql`
    select 'SUCCEEDED' as status, ${noRequest} as request_id, request_digest,
      jsonb_build_object('ok', true, 'bulkOrderId', id) as outcome
    from bulk_orders where operation_id = ${operationId}`,
  // The attempt that the operation made, regardless of retries. Without one it failed before it began.
  'top-up': (operationId) => sql`
    select case when made.status is null and topups.status <> 'PENDING' then 'FAILED'
        else ${attemptStatus} end as status,
      ${noRequest} as request_id, request_digest,
      case when made.status is null and topups.status <> 'PENDING' then
        jsonb_build_object('ok', false, 'reason', 'topup-failed', 'transactionId', topups.id,
          -- later messages are those of retries
          'detail', case when topups.attempt = 0 then topups.message end)
        else ${attemptOutcome} end as outcome
    from topups
    left join topup_attempts as made on made.operation_id = topups.operation_id
    where topups.operation_id = ${operationId}`,
  // The attempt that the operation made, or joined.
  'retry-topup': (operationId) => sql`
    select ${attemptStatus} as status, ${noRequest} as request_id, request_digest,
      ${attemptOutcome} as outcome
    from topup_retries as request
    left join topup_attempts as made
      on made.topup_id = request.topup_id and made.attempt = request.attempt
    where request.operation_id = ${operationId}`,
};

/** SQL expression: the effect as a row or none. */
const effectOf = (kind: string, operationId: OperationId): Sql =>
  effects[kind]?.(operationId) ??
  sql`select null::text as status, ${noRequest} as request_id, null::text as request_digest,
    null::jsonb as outcome where false`;

/** SQL expression: the operation as a row or none; the effect of a pruned operation replaces it. */
export const storedOperation = (kind: string, operationId: OperationId): Sql => sql`
  select status, request_id, request_digest, outcome,
    extract(epoch from clock_timestamp() - created_at)::float8 as age_seconds
  from operations where id = ${operationId}
  union all
  select effect.status, effect.request_id, effect.request_digest, effect.outcome, null::float8
  from (${effectOf(kind, operationId)}) as effect
  where not exists (select from operations where id = ${operationId})`;

/** The stored operation of a request; undefined for a new request. */
export const findOperation = (database: Database, kind: string, operationId: string) =>
  firstRow<StoredOperation>(database)`${storedOperation(kind, operationId)}`;

/** The effect of a completed and pruned operation. */
export const endedEffect = (database: Database, kind: string, operationId: string) =>
  firstRow<StoredOperation>(database)`
    select status, request_id, request_digest, outcome
    from (${effectOf(kind, operationId)}) as effect where status <> 'RUNNING'`;

/** The existing operations with these ids, by id. */
export async function findOperations(
  database: Database,
  operationIds: readonly string[],
): Promise<Map<string, StoredOperation>> {
  const rows = await allRows<StoredOperation & { id: string }>(database)`
    select id, status, request_id, request_digest, outcome
    from operations where id = any(${operationIds}::text[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

export interface OperationIdentity extends RequestDigest {
  readonly operationId: string;
  readonly requestId: string;
  readonly company: Company;
}

/** SQL expression for `operations`: the request of an operation, from which its command can be made again. */
export const requestOfOperation = sql<OperationIdentity>`jsonb_build_object('operationId', operations.id,
  'requestId', operations.request_id, 'requestDigest', operations.request_digest,
  'company', jsonb_build_object('kind', operations.company_kind, 'id', operations.company_id))`;

/** The outcome of a new request, which carries no other data of the request. */
export const outcomeFor = <Result>(
  { requestId, requestDigest }: Pick<OperationIdentity, 'requestId' | 'requestDigest'>,
  result: Result | Refusal,
): OperationOutcome<Result> => ({ requestId, requestDigest, result });

type BeginResult<Result> =
  /** The row is new, or a corrected request replaced a refused one. */
  | { readonly kind: 'begun' }
  /** An earlier attempt of this request got as far as its first commit. */
  | { readonly kind: 'resumed'; readonly isAccepted: boolean }
  | AnsweredOperation<Result>;

const operationColumns = ['status', 'request_id', 'request_digest', 'outcome'] as const;

/** The stored answer of a settled operation. */
export const storedOutcome = <Result>(operation: StoredOperation): OperationOutcome<Result> => ({
  requestId: operation.request_id,
  requestDigest: operation.request_digest,
  result: operation.outcome as Result | Refusal,
});

/** A kept refusal answers only the identical request. Unless money was held, a corrected request may use the key. */
export const isSuperseded = (operation: StoredOperation, identity: OperationIdentity): boolean =>
  operation.status === 'REFUSED' && !isSameRequest(operation.request_digest, identity);

/** SQL statement: inserts the row of an operation, if there is none and a `from` or `where` has a row; returns its id. */
export const insertOperation = (identity: OperationIdentity, kind: string, condition: Sql) => sql`
  insert into operations (id, company_kind, company_id, kind, request_id, request_digest, status)
  select ${identity.operationId}, ${identity.company.kind}, ${identity.company.id}::bigint,
    ${kind}, ${identity.requestId}::uuid, ${identity.requestDigest}, 'RUNNING'
  ${condition}
  on conflict (id) do nothing
  returning id`;

/**
 * Inserts the operation's row or returns the existing one. Waits for a concurrent insert
 * of the same row, so of two duplicates one begins and the other gets its answer. For a pruned
 * operation the effect provides the answer.
 */
export async function beginOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  kind: string,
): Promise<BeginResult<Result>> {
  const isNew = sql`where not exists (
    select from (${effectOf(kind, identity.operationId)}) as effect where status <> 'RUNNING')`;
  if (await hasRows(transaction)`${insertOperation(identity, kind, isNew)}`)
    return { kind: 'begun' };

  const existing = await lockOperation(transaction, identity.operationId);
  if (existing) return joinOperation(transaction, identity, existing);
  const effect = await endedEffect(transaction, kind, identity.operationId);
  return answered(storedOutcome(present(effect)));
}

/** Begins an operation that was recorded before its workflow was called. */
export async function beginRecorded<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  kind: string,
): Promise<BeginResult<Result>> {
  const recorded = await lockOperation(transaction, identity.operationId);
  // Retries that a person of the service asks for are not recorded.
  return recorded
    ? joinOperation(transaction, identity, recorded)
    : beginOperation(transaction, identity, kind);
}

async function joinOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  existing: StoredOperation & { readonly accepted_at: Date | null },
): Promise<BeginResult<Result>> {
  if (isSuperseded(existing, identity)) {
    await replaceRefused(transaction, identity);
    return { kind: 'begun' };
  }
  if (existing.status !== 'RUNNING') return answered(storedOutcome(existing));
  return isSameRequest(existing.request_digest, identity)
    ? { kind: 'resumed', isAccepted: existing.accepted_at !== null }
    : answered<Result>({ ...storedOutcome(existing), result: keyReused });
}

const keyReused: Refusal = { ok: false, reason: 'key-reused' };

/** Locks an operation's row until the transaction ends, if there is one. */
export const lockOperation = (
  transaction: Database,
  operationId: string,
): Promise<(StoredOperation & { readonly accepted_at: Date | null }) | undefined> =>
  transaction
    .selectFrom('operations')
    .select([...operationColumns, 'accepted_at'])
    .where('id', '=', operationId)
    .forNoKeyUpdate()
    .executeTakeFirst();

/**
 * The row of an operation that must exist.
 *
 * @throws {MissingRowError} where a restore has lost it
 */
function present<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new MissingRowError('The operation is gone');
  return found;
}

async function replaceRefused(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
): Promise<void> {
  await transaction
    .updateTable('operations')
    .set({
      status: 'RUNNING',
      outcome: null,
      request_id: identity.requestId,
      request_digest: identity.requestDigest,
      accepted_at: null,
      created_at: now,
    })
    .where('id', '=', identity.operationId)
    .execute();
}

/** The answer of a settled operation; undefined where it was deleted. */
async function findSettledOutcome<Result>(
  transaction: Database,
  operationId: string,
): Promise<OperationOutcome<Result> | undefined> {
  const operation = await lockOperation(transaction, operationId);
  return operation && storedOutcome(operation);
}

/** The answer of a settled operation. */
export const settledOutcome = async <Result>(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<OperationOutcome<Result>> => present(await findSettledOutcome(transaction, operationId));

/**
 * Stores an operation's answer once: a settled operation keeps its first answer. Returns the stored
 * answer.
 */
export const settleOperation = async <Result>(
  transaction: DatabaseTransaction,
  operationId: string,
  status: Exclude<OperationsTable['status'], 'RUNNING'>,
  result: Result | Refusal,
): Promise<OperationOutcome<Result>> =>
  present(await settleKnownOperation(transaction, operationId, status, result));

/** Settles an operation that may have been refused and deleted; then undefined. */
export async function settleKnownOperation<Result>(
  database: Database,
  operationId: string,
  status: Exclude<OperationsTable['status'], 'RUNNING'>,
  result: Result | Refusal,
): Promise<OperationOutcome<Result> | undefined> {
  const row = await database
    .updateTable('operations')
    .set({ status, outcome: JSON.stringify(result), settled_at: now })
    .where('id', '=', operationId)
    .where('status', '=', 'RUNNING')
    .returning(operationColumns)
    .executeTakeFirst();
  return row ? storedOutcome(row) : findSettledOutcome(database, operationId);
}

/**
 * Ends an operation that was refused before any hold. A final refusal is stored for the identical
 * request. Any other refusal is deleted, so that a repetition runs again. A settled operation keeps
 * its answer.
 */
export async function refuseOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  refusal: Refusal,
): Promise<OperationOutcome<Result>> {
  if (isFinal(refusal))
    return settleOperation<Result>(transaction, identity.operationId, 'REFUSED', refusal);
  const isDeleted = await transaction
    .deleteFrom('operations')
    .where('id', '=', identity.operationId)
    .where('status', '=', 'RUNNING')
    .$call(changesRow);
  const settled = isDeleted
    ? undefined
    : await findSettledOutcome<Result>(transaction, identity.operationId);
  return settled ?? outcomeFor<Result>(identity, refusal);
}

/** Ends an operation that was refused before any hold, and returns the refusal as its answer. */
export const answerRefusal = async <Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  refusal: Refusal,
): Promise<AnsweredOperation<Result>> =>
  answered(await refuseOperation(transaction, identity, refusal));

/** Refuses an operation in a separate transaction. */
export const recordRefusal = <Result>(
  database: Database,
  identity: OperationIdentity,
  kind: string,
  refusal: Refusal,
): Promise<OperationOutcome<Result>> =>
  database.transaction().execute(async (transaction) => {
    const begun = await beginOperation<Result>(transaction, identity, kind);
    if (begun.kind === 'answered') return begun.outcome;
    return refuseOperation(transaction, identity, refusal);
  });

/**
 * Whether an earlier attempt of this request is running or has its answer. Checked before a caller
 * gets "nothing was changed".
 */
export async function isBegun(database: Database, identity: OperationIdentity): Promise<boolean> {
  const stored = await database
    .selectFrom('operations')
    .select('request_digest')
    .where('id', '=', identity.operationId)
    .executeTakeFirst();
  return stored !== undefined && isSameRequest(stored.request_digest, identity);
}

/**
 * Several callers may get "repeat the request", and the service cannot distinguish them: after the
 * first repetition, the others have this time to get the same answer.
 */
const RETURN_SECONDS = 60;

const isOver = sql<boolean>`coalesce(
  left_requests.taken_at < now() - make_interval(secs => ${RETURN_SECONDS}::float8), false)`;

const stillProcessing: Refusal = { ok: false, reason: 'still-processing' };

/**
 * Records that a caller without a key got "repeat the request". An identical request gets the
 * outcome of this operation, or of the operation that it joined. An operation that has not begun by
 * now never begins, since the caller's next request replaces it.
 */
export async function recordAbandonedRequest(
  database: Database,
  identity: OperationIdentity & { readonly kind: string },
  waitedSeconds: number,
): Promise<void> {
  const { operationId, company, requestId, requestDigest } = identity;
  await sql`
    with unbegun as (
      insert into operations (id, company_kind, company_id, kind, request_id, request_digest,
        status, outcome)
      values (${operationId}, ${company.kind}, ${company.id}, ${identity.kind}, ${requestId}::uuid,
        ${requestDigest}, 'REFUSED', ${JSON.stringify(stillProcessing)}::jsonb)
      on conflict (id) do nothing)
    insert into left_requests (company_kind, company_id, request_digest, left_at)
    values (${company.kind}, ${company.id}, ${requestDigest},
      now() - make_interval(secs => ${waitedSeconds}::float8))
    on conflict (company_kind, company_id, request_digest) do update set
      left_at = case when ${isOver} then excluded.left_at
        else least(left_requests.left_at, excluded.left_at) end,
      taken_at = null`.execute(database);
}

/**
 * The outcome of an abandoned request for its repetition; undefined where there is none, or where
 * its callers have got it, so that this is a new request. A step that the workflow of the request repeats is no
 * repetition by its caller, and takes nothing.
 */
export async function takeAbandonedAnswer<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
): Promise<OperationOutcome<Result> | undefined> {
  const { company } = identity;
  const row = await firstRow<StoredOperation>(transaction)`
    with taken as (
      update left_requests set taken_at = coalesce(taken_at, now())
      where company_kind = ${company.kind} and company_id = ${company.id}
        and request_digest = ${identity.requestDigest} and not ${isOver}
        and left_at > now() - make_interval(hours => ${FORGET_LEFT_REQUESTS_HOURS}::int)
        and not exists (select from operations where id = ${identity.operationId})
      returning company_kind, company_id, request_digest, left_at)
    select status, request_id, operations.request_digest, outcome
    from operations join taken using (company_kind, company_id, request_digest)
    where kind = 'redeem-gift' and status <> 'RUNNING' and settled_at >= left_at
    order by settled_at desc limit 1`;
  return row && storedOutcome(row);
}
