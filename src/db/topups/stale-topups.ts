import { type RawBuilder, sql } from 'kysely';
import { isSameNumber, type StoredNumber } from '../../domain/phone.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { refuseOperation, settleOperation } from '../operations/operations.ts';
import { endedEffect } from '../operations/stored-operations.ts';
import { isAmong, type RowStep, type Rows } from '../refused-rows.ts';
import { closeRetry, RETRY_KIND } from './retry-requests.ts';
import { dropRequest } from './topup-requests.ts';

/** The message of a top-up that never reached its workflow. */
export const NEVER_STARTED = 'It was never started and nothing was charged';

interface Batch {
  readonly startSeconds: number;
  readonly batchSize: number;
}

/**
 * Fails top-ups and retries whose start was lost, up to `batchSize` in a transaction, after a time in
 * which their workflows would have begun. A workflow that begins later finds this answer.
 */
export const staleTopupsStep = (database: Database, batch: Batch): RowStep<number> => ({
  end: (rows) =>
    database.transaction().execute((transaction) => failTopups(transaction, batch, rows)),
  listDue: (rows) => idsOf(database, staleTopups(batch, rows)),
});

/** Retries; their ids are those of their operations. */
export const staleRetriesStep = (database: Database, batch: Batch): RowStep<string> => ({
  end: (rows) =>
    database.transaction().execute((transaction) => failRetries(transaction, batch, rows)),
  async listDue(among) {
    const { rows } = await staleRetries(batch, among).execute(database);
    return rows.map(({ operation_id }) => operation_id);
  },
});

async function idsOf(database: Database, due: RawBuilder<{ id: number }>): Promise<number[]> {
  const { rows } = await due.execute(database);
  return rows.map(({ id }) => id);
}

const isStale = (column: string, { startSeconds }: Batch) =>
  sql`${sql.ref(column)} < now() - make_interval(secs => ${startSeconds}::float8)`;

const staleTopups = (batch: Batch, rows: Rows<number>) => sql<{ id: number }>`
  select topups.id from topups join operations on operations.id = topups.operation_id
  where topups.status = 'PENDING' and operations.status = 'RUNNING'
    and ${isStale('topups.created_at', batch)} and ${isAmong('topups.id', rows, 'bigint')}
  order by topups.created_at limit ${batch.batchSize}`;

/** Locks the operation's row first, in the lock order of a concurrent hold. */
async function failTopups(transaction: DatabaseTransaction, batch: Batch, among: Rows<number>) {
  const { rows } = await sql<{ id: number }>`
    ${staleTopups(batch, among)} for update of operations skip locked`.execute(transaction);
  if (rows.length === 0) return 0;
  await sql`
    with failed as (
      update topups set status = 'FAILED', message = ${NEVER_STARTED}, updated_at = now()
      where id = any(${rows.map(({ id }) => id)}::bigint[]) and status = 'PENDING'
      returning id, operation_id)
    update operations set status = 'FAILED', settled_at = now(),
      outcome = jsonb_build_object('ok', false, 'reason', 'topup-failed',
        'detail', ${NEVER_STARTED}::text, 'transactionId', failed.id)
    from failed where operations.id = failed.operation_id`.execute(transaction);
  return rows.length;
}

interface StaleRetry {
  readonly operation_id: string;
  readonly request_id: string;
  readonly request_digest: string;
  readonly company_kind: 'partner';
  readonly company_id: number;
  readonly topup_id: number;
  readonly attempt: number;
  readonly msisdn: StoredNumber | null;
}

/** Retries that wait for another request's running attempt are skipped. */
const staleRetries = (batch: Batch, rows: Rows<string>) => sql<StaleRetry>`
  select retry.operation_id, operations.request_id, operations.request_digest,
    operations.company_kind, operations.company_id, retry.topup_id, retry.attempt, retry.msisdn
  from topup_retries as retry join operations on operations.id = retry.operation_id
  where retry.is_open and operations.status = 'RUNNING'
    and ${isStale('retry.created_at', batch)} and ${isAmong('retry.operation_id', rows, 'text')}
    and not exists (
      select from topup_attempts as made
      where made.topup_id = retry.topup_id and made.attempt = retry.attempt
        and made.status = 'HELD')
  order by retry.created_at limit ${batch.batchSize}`;

async function failRetries(transaction: DatabaseTransaction, batch: Batch, among: Rows<string>) {
  const { rows } = await sql<StaleRetry>`
    ${staleRetries(batch, among)} for update of operations skip locked`.execute(transaction);
  for (const retry of rows) await failRetry(transaction, retry);
  return rows.length;
}

/** It may have joined another request's attempt whose workflow was lost before it could answer. */
async function failRetry(transaction: DatabaseTransaction, retry: StaleRetry): Promise<void> {
  const { operation_id: operationId, topup_id: transactionId } = retry;
  const made = await transaction
    .selectFrom('topup_attempts')
    .select(['status', 'msisdn'])
    .where('topup_id', '=', retry.topup_id)
    .where('attempt', '=', retry.attempt)
    .executeTakeFirst();
  if (!made) {
    const failure = refuse('topup-failed', { detail: NEVER_STARTED, transactionId });
    await dropRequest(transaction, operationId);
    await settleOperation<never>(transaction, operationId, 'FAILED', failure);
    return;
  }
  const ended = await endedEffect(transaction, RETRY_KIND, operationId);
  if (ended && (retry.msisdn === null || isSameNumber(retry.msisdn, made.msisdn))) {
    const result = ended.outcome as Refusal;
    const status = ended.status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED';
    await closeRetry(transaction, operationId);
    await settleOperation(transaction, operationId, status, result);
    return;
  }
  if (made.status === 'HELD') return;
  await dropRequest(transaction, operationId);
  const refusal = refuse('topup-not-failed', { detail: 'another number was tried' });
  const { request_id: requestId, request_digest: requestDigest } = retry;
  const company = { kind: retry.company_kind, id: retry.company_id } as const;
  await refuseOperation(transaction, { operationId, requestId, requestDigest, company }, refusal);
}
