import { sql } from 'kysely';
import { isRemembered, type Refusal } from '../domain/errors.js';
import type { Company } from '../domain/voucher.js';
import type { Database, DatabaseTransaction } from './connection.js';
import type { OperationStatus } from './schema.js';

export interface OperationIdentity {
  readonly operationId: string;
  readonly requestId: string;
  readonly requestDigest: string;
  readonly company: Company;
}

/** A stored answer and the request that it was given to. */
export interface StoredOutcome<Result> {
  readonly requestId: string;
  readonly requestDigest: string;
  readonly result: Result | Refusal;
}

export interface StoredOperation {
  readonly status: OperationStatus;
  readonly request_id: string;
  readonly request_digest: string;
  readonly outcome: unknown;
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
  | { readonly kind: 'resumed' }
  | { readonly kind: 'answered'; readonly outcome: StoredOutcome<Result> };

const operationColumns = ['status', 'request_id', 'request_digest', 'outcome'] as const;

/** The operation with this id, undefined where there is none (or it is older than is kept). */
export const findOperation = (
  database: Database,
  operationId: string,
): Promise<StoredOperation | undefined> =>
  database
    .selectFrom('operations')
    .select(operationColumns)
    .where('id', '=', operationId)
    .executeTakeFirst();

/** A settled operation's answer, as it was given first. */
export const storedOutcome = <Result>(operation: StoredOperation): StoredOutcome<Result> => ({
  requestId: operation.request_id,
  requestDigest: operation.request_digest,
  result: operation.outcome as Result | Refusal,
});

/** A refusal from before any hold binds its key to nothing: a corrected request may use it. */
export const isSuperseded = (operation: StoredOperation, requestDigest: string): boolean =>
  operation.status === 'REFUSED' && operation.request_digest !== requestDigest;

/**
 * Inserts the operation's row or says what is there (design 6). Waits for a transaction that is
 * inserting the same row at this moment, so of two duplicates one begins and the other is answered.
 */
export async function beginOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  kind: string,
): Promise<BeginResult<Result>> {
  const inserted = await transaction
    .insertInto('operations')
    .values({
      id: identity.operationId,
      company_kind: identity.company.kind,
      company_id: identity.company.id,
      kind,
      request_id: identity.requestId,
      request_digest: identity.requestDigest,
      status: 'RUNNING',
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return { kind: 'begun' };

  const existing = present(await lockOperation(transaction, identity.operationId));
  if (isSuperseded(existing, identity.requestDigest)) {
    await replaceRefused(transaction, identity);
    return { kind: 'begun' };
  }
  if (existing.status !== 'RUNNING') return { kind: 'answered', outcome: storedOutcome(existing) };
  return existing.request_digest === identity.requestDigest
    ? { kind: 'resumed' }
    : { kind: 'answered', outcome: { ...storedOutcome(existing), result: keyReused } };
}

const keyReused: Refusal = { ok: false, reason: 'key-reused' };

const lockOperation = (
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<StoredOperation | undefined> =>
  transaction
    .selectFrom('operations')
    .select(operationColumns)
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
export const isBegun = (
  database: Database,
  { operationId, requestDigest }: OperationIdentity,
): Promise<boolean> =>
  findOperation(database, operationId).then((stored) => stored?.request_digest === requestDigest);
