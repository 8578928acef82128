import { sql } from 'kysely';
import { isRemembered, type Refusal } from '../../domain/errors.js';
import type { Company } from '../../domain/voucher.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { OperationStatus } from '../schema/all-tables.js';
import {
  effectOf,
  endedEffect,
  isSameRequest,
  type RequestDigests,
  type StoredOperation,
} from './stored-operations.js';

export interface OperationIdentity extends RequestDigests {
  readonly operationId: string;
  readonly requestId: string;
  readonly company: Company;
}

/** A stored answer and the request that it was given to. */
export interface StoredOutcome<Result> {
  readonly requestId: string;
  readonly requestDigest: string;
  readonly result: Result | Refusal;
}

/** The outcome of a request that nobody had asked before; nothing else of the request goes along. */
export const outcomeFor = <Result>(
  { requestId, requestDigest }: Pick<OperationIdentity, 'requestId' | 'requestDigest'>,
  result: Result | Refusal,
): StoredOutcome<Result> => ({ requestId, requestDigest, result });

export type BeginResult<Result> =
  /** The row is new, or a corrected request took the place of a refused one. */
  | { readonly kind: 'begun' }
  /** An earlier try of this very request got as far as its first commit. */
  | { readonly kind: 'resumed'; readonly isAccepted: boolean }
  | { readonly kind: 'answered'; readonly outcome: StoredOutcome<Result> };

const operationColumns = ['status', 'request_id', 'request_digest', 'outcome'] as const;

/** A settled operation's answer, as it was given first. */
export const storedOutcome = <Result>(operation: StoredOperation): StoredOutcome<Result> => ({
  requestId: operation.request_id,
  requestDigest: operation.request_digest ?? '',
  result: operation.outcome as Result | Refusal,
});

/** A refusal from before any hold binds its key to nothing: a corrected request may use it. */
export const isSuperseded = (operation: StoredOperation, identity: OperationIdentity): boolean =>
  operation.status === 'REFUSED' && !isSameRequest(operation.request_digest, identity);

/**
 * Inserts the operation's row or says what is there (design 6). Waits for a transaction that is
 * inserting the same row at this moment, so of two duplicates one begins and the other is answered.
 * One that was pruned is answered with its effect.
 */
export async function beginOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  kind: string,
): Promise<BeginResult<Result>> {
  const { rows } = await sql`
    insert into operations (id, company_kind, company_id, kind, request_id, request_digest, status)
    select ${identity.operationId}, ${identity.company.kind}, ${identity.company.id}::bigint,
      ${kind}, ${identity.requestId}::uuid, ${identity.requestDigest}, 'RUNNING'
    where not exists (
      select from (${effectOf(kind, identity.operationId)}) as effect where status <> 'RUNNING')
    on conflict (id) do nothing
    returning id`.execute(transaction);
  if (rows.length > 0) return { kind: 'begun' };

  const existing = await lockOperation(transaction, identity.operationId);
  if (existing) return joinOperation(transaction, identity, existing);
  const effect = await endedEffect(transaction, kind, identity.operationId);
  return { kind: 'answered', outcome: storedOutcome(present(effect)) };
}

/** The same of an operation that was recorded before its workflow was asked. */
export async function beginRecorded<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  kind: string,
): Promise<BeginResult<Result>> {
  const recorded = await lockOperation(transaction, identity.operationId);
  // Support staff's retries, and what another version of the service has started, are not recorded.
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
  if (existing.status !== 'RUNNING') return { kind: 'answered', outcome: storedOutcome(existing) };
  return isSameRequest(existing.request_digest, identity)
    ? { kind: 'resumed', isAccepted: existing.accepted_at !== null }
    : { kind: 'answered', outcome: { ...storedOutcome(existing), result: keyReused } };
}

const keyReused: Refusal = { ok: false, reason: 'key-reused' };

/** Locks an operation's row until the transaction ends. */
export const lockOperation = (
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<(StoredOperation & { readonly accepted_at: Date | null }) | undefined> =>
  transaction
    .selectFrom('operations')
    .select([...operationColumns, 'accepted_at'])
    .where('id', '=', operationId)
    .forUpdate()
    .executeTakeFirst();

/** For who knows that the operation is there. */
function present<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Error('The operation is gone');
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
      created_at: sql<Date>`now()`,
    })
    .where('id', '=', identity.operationId)
    .execute();
}

/** The answer of an operation that is settled already; undefined where it was forgotten. */
async function findSettledOutcome<Result>(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<StoredOutcome<Result> | undefined> {
  const operation = await lockOperation(transaction, operationId);
  return operation && storedOutcome(operation);
}

/** The answer of an operation that is settled already. */
export const settledOutcome = async <Result>(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<StoredOutcome<Result>> =>
  present(await findSettledOutcome<Result>(transaction, operationId));

/**
 * Writes an operation's answer, once: an operation that is settled keeps what it answered first.
 * Returns the answer as every later asker will get it.
 */
export const settleOperation = async <Result>(
  transaction: DatabaseTransaction,
  operationId: string,
  status: Exclude<OperationStatus, 'RUNNING'>,
  result: Result | Refusal,
): Promise<StoredOutcome<Result>> =>
  present(await settleKnownOperation(transaction, operationId, status, result));

/** The same for an operation that may have been refused and forgotten; then undefined. */
export async function settleKnownOperation<Result>(
  transaction: DatabaseTransaction,
  operationId: string,
  status: Exclude<OperationStatus, 'RUNNING'>,
  result: Result | Refusal,
): Promise<StoredOutcome<Result> | undefined> {
  const row = await transaction
    .updateTable('operations')
    .set({ status, outcome: JSON.stringify(result), settled_at: sql<Date>`now()` })
    .where('id', '=', operationId)
    .where('status', '=', 'RUNNING')
    .returning(operationColumns)
    .executeTakeFirst();
  return row ? storedOutcome(row) : findSettledOutcome(transaction, operationId);
}

/**
 * Ends an operation that was refused before anything was held: remembered for the identical request,
 * or forgotten where a repetition is to be carried out anew. One that is settled keeps its answer.
 */
export async function refuseOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  refusal: Refusal,
): Promise<StoredOutcome<Result>> {
  if (isRemembered(refusal))
    return settleOperation<Result>(transaction, identity.operationId, 'REFUSED', refusal);
  const deleted = await transaction
    .deleteFrom('operations')
    .where('id', '=', identity.operationId)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
  const settled =
    deleted.numDeletedRows === 0n
      ? await findSettledOutcome<Result>(transaction, identity.operationId)
      : undefined;
  return settled ?? outcomeFor<Result>(identity, refusal);
}

/** The same in a transaction of its own, for an operation that has none yet. */
export const recordRefusal = <Result>(
  database: Database,
  identity: OperationIdentity,
  kind: string,
  refusal: Refusal,
): Promise<StoredOutcome<Result>> =>
  database.transaction().execute(async (transaction) => {
    const begun = await beginOperation<Result>(transaction, identity, kind);
    if (begun.kind === 'answered') return begun.outcome;
    return refuseOperation<Result>(transaction, identity, refusal);
  });

/**
 * Whether an earlier try of this very request has left something: it runs, or it has its answer. Asked
 * before a caller is told that nothing was changed.
 */
export async function isBegun(database: Database, identity: OperationIdentity): Promise<boolean> {
  const stored = await database
    .selectFrom('operations')
    .select('request_digest')
    .where('id', '=', identity.operationId)
    .executeTakeFirst();
  return stored !== undefined && isSameRequest(stored.request_digest, identity);
}
