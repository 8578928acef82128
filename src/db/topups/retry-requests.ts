import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { OperationIdentity } from '../operations/operations.ts';
import { type StoredOperation, storedOperation } from '../operations/stored-operations.ts';
import type { TopupStatus } from '../schema/all-tables.ts';
import { insertOperation, untilSeen } from './topup-requests.ts';

/** The operation kind of retries. */
export const RETRY_KIND = 'retry-topup';

/** A requested retry. */
export interface NewRetry {
  readonly topupId: number;
  /** Null means the number of the previous attempt. */
  readonly msisdn: StoredNumber | null;
}

/** The top-up to retry, and the outcome of an earlier request under the key. */
export interface RecordedRetry {
  readonly status: TopupStatus;
  /** The operation of the top-up, and its workflow. */
  readonly creationId: string;
  readonly workflowId: string;
  /** The requested attempt. */
  readonly attempt: number;
  /** The number of the attempt before it. */
  readonly previous: StoredNumber;
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
  const statement = sql<{
    stored: StoredOperation | null;
    status: TopupStatus;
    operation_id: string;
    workflow_id: string;
    attempt: number;
    msisdn: StoredNumber;
    known_attempt: number | null;
    new_attempt: number | null;
  }>`
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
      select operation.id, topup.id, topup.attempt + 1, ${retry.msisdn}, ${requestDigest}
      from operation, topup
      returning attempt)
    select topup.id, topup.status, topup.operation_id, topup.workflow_id, topup.attempt,
      topup.msisdn,
      (select to_jsonb(stored) from stored) as stored,
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
      previous: row.msisdn,
      isRecorded: row.new_attempt !== null,
      stored: row.new_attempt === null ? (row.stored ?? undefined) : undefined,
    };
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
