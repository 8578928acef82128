import { sql } from 'kysely';
import { isFinal, type Refusal } from '../../domain/refusals.ts';
import type { Company } from '../../domain/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { MissingRowError } from '../missing-row.ts';
import type { OperationStatus } from '../schema/all-tables.ts';
import {
  effectOf,
  endedEffect,
  isSameRequest,
  type RequestDigest,
  type StoredOperation,
} from './stored-operations.ts';

export interface OperationIdentity extends RequestDigest {
  readonly operationId: string;
  readonly requestId: string;
  readonly company: Company;
}

/** A stored answer and its request. */
export interface StoredOutcome<Result> {
  readonly requestId: string;
  readonly requestDigest: string;
  readonly result: Result | Refusal;
}

/** The outcome of a new request, which carries no other data of the request. */
export const outcomeFor = <Result>(
  { requestId, requestDigest }: Pick<OperationIdentity, 'requestId' | 'requestDigest'>,
  result: Result | Refusal,
): StoredOutcome<Result> => ({ requestId, requestDigest, result });

export type BeginResult<Result> =
  /** The row is new, or a corrected request replaced a refused one. */
  | { readonly kind: 'begun' }
  /** An earlier attempt of this request got as far as its first commit. */
  | { readonly kind: 'resumed'; readonly isAccepted: boolean }
  | { readonly kind: 'answered'; readonly outcome: StoredOutcome<Result> };

const operationColumns = ['status', 'request_id', 'request_digest', 'outcome'] as const;

/** The stored answer of a settled operation. */
export const storedOutcome = <Result>(operation: StoredOperation): StoredOutcome<Result> => ({
  requestId: operation.request_id,
  requestDigest: operation.request_digest,
  result: operation.outcome as Result | Refusal,
});

/** A final refusal before any hold releases its key, too: a corrected request may use it. */
export const isSuperseded = (operation: StoredOperation, identity: OperationIdentity): boolean =>
  operation.status === 'REFUSED' && !isSameRequest(operation.request_digest, identity);

/**
 * Inserts the operation's row or returns the existing one (design 6). Waits for a concurrent insert
 * of the same row, so of two duplicates one begins and the other gets its answer. For a pruned
 * operation the effect provides the answer.
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
  if (existing.status !== 'RUNNING') return { kind: 'answered', outcome: storedOutcome(existing) };
  return isSameRequest(existing.request_digest, identity)
    ? { kind: 'resumed', isAccepted: existing.accepted_at !== null }
    : { kind: 'answered', outcome: { ...storedOutcome(existing), result: keyReused } };
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
    .forUpdate()
    .executeTakeFirst();

/** For callers that know that the operation exists. */
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
      created_at: sql<Date>`now()`,
    })
    .where('id', '=', identity.operationId)
    .execute();
}

/** The answer of a settled operation; undefined where it was deleted. */
async function findSettledOutcome<Result>(
  transaction: Database,
  operationId: string,
): Promise<StoredOutcome<Result> | undefined> {
  const operation = await lockOperation(transaction, operationId);
  return operation && storedOutcome(operation);
}

/** The answer of a settled operation. */
export const settledOutcome = async <Result>(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<StoredOutcome<Result>> =>
  present(await findSettledOutcome<Result>(transaction, operationId));

/**
 * Stores an operation's answer once: a settled operation keeps its first answer. Returns the stored
 * answer.
 */
export const settleOperation = async <Result>(
  transaction: DatabaseTransaction,
  operationId: string,
  status: Exclude<OperationStatus, 'RUNNING'>,
  result: Result | Refusal,
): Promise<StoredOutcome<Result>> =>
  present(await settleKnownOperation(transaction, operationId, status, result));

/** Settles an operation that may have been refused and deleted; then undefined. */
export async function settleKnownOperation<Result>(
  database: Database,
  operationId: string,
  status: Exclude<OperationStatus, 'RUNNING'>,
  result: Result | Refusal,
): Promise<StoredOutcome<Result> | undefined> {
  const row = await database
    .updateTable('operations')
    .set({ status, outcome: JSON.stringify(result), settled_at: sql<Date>`now()` })
    .where('id', '=', operationId)
    .where('status', '=', 'RUNNING')
    .returning(operationColumns)
    .executeTakeFirst();
  return row ? storedOutcome(row) : findSettledOutcome(database, operationId);
}

/**
 * Ends an operation that was refused before any hold: a final refusal is stored for the identical
 * request, any other one is deleted, so that a repetition runs again. A settled operation keeps its
 * answer.
 */
export async function refuseOperation<Result>(
  transaction: DatabaseTransaction,
  identity: OperationIdentity,
  refusal: Refusal,
): Promise<StoredOutcome<Result>> {
  if (isFinal(refusal))
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

/** Refuses an operation in a separate transaction. */
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
