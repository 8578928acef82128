import { type Selectable, sql } from 'kysely';
import { isSameNumber, type Operator } from '../../domain/phone.ts';
import type { AirtimeProviderName } from '../../domain/providers.ts';
import { type OperationOutcome, type Refusal, refuse } from '../../domain/refusals.ts';
import { forestalled } from '../../domain/topup.ts';
import { allRows, allValues, type Database, type DatabaseTransaction, now } from '../connection.ts';
import type { TopupAttemptsTable } from '../generated/tables.ts';
import { type NumberCount, withNumberCount } from '../limits/daily-limits.ts';
import {
  endedEffect,
  type OperationIdentity,
  refuseOperation,
  requestOfOperation,
  settleOperation,
} from '../operations.ts';
import {
  currentPlacement,
  failoversOf,
  placing,
  providerOf,
  takenAs,
} from '../positions/placements.ts';
import { noteUnknown } from '../positions/sendings.ts';
import { isAmong, type RowStep, type Rows } from '../refused-rows.ts';
import { closeRetry, dropRequest, RETRY_KIND } from './requests.ts';

/** The row of a new attempt, and what its order and its top-up have of it. */
type NewAttempt = Pick<
  Selectable<TopupAttemptsTable>,
  'operation_id' | 'topup_id' | 'attempt' | 'reference' | 'msisdn' | 'provider_product_id'
> & {
  readonly operator: Operator;
  /** Decimal string: held, and charged on delivery. */
  readonly amount: string;
  readonly productId: number | null;
  readonly provider: AirtimeProviderName;
  /** Counts the attempt for its number. */
  readonly numberCount: NumberCount | undefined;
};

/**
 * Records an attempt before its sending, and closes its request. Returns the provider of the
 * attempt: the chosen one, or a provider that had it before a restore and may have done it.
 *
 * @throws a violation of `numberLimitConstraint` beyond the limit of its number
 */
export async function beginAttempt(
  transaction: DatabaseTransaction,
  { operator, amount, productId, provider, numberCount, ...attempt }: NewAttempt,
) {
  const { lost, placed } = placing({
    kind: 'top-up',
    reference: attempt.reference,
    provider,
    operationId: attempt.operation_id,
    voucherId: null,
    ordered: amount,
  });
  const { lost_at } = await withNumberCount(transaction, numberCount)
    .with('lost', () => lost)
    .with('placed', () => placed)
    .with('request', (requests) =>
      requests
        .updateTable('topup_retries')
        .set({ is_open: false })
        .where('operation_id', '=', attempt.operation_id),
    )
    .with('topup', (topups) =>
      topups
        .updateTable('topups')
        .set({
          status: 'PROCESSING',
          attempt: attempt.attempt,
          msisdn: attempt.msisdn,
          operator,
          amount,
          product_id: productId,
          message: null,
          updated_at: now,
        })
        .where('id', '=', attempt.topup_id),
    )
    .insertInto('topup_attempts')
    .values(attempt)
    .returning(sql<AirtimeProviderName | null>`(select provider from lost limit 1)`.as('lost_at'))
    .executeTakeFirstOrThrow();
  return { provider: lost_at ?? provider, isFoundAgain: lost_at !== null };
}

/** An attempt with the data for the provider. */
export const findAttempt = (database: Database, operationId: string) =>
  attempts(database, operationId)
    .innerJoin('partners', 'partners.id', 'topups.partner_id')
    .select([
      'partners.company_name as partner',
      failoversOf(sql.ref('topup_attempts.operation_id')).as('failovers'),
    ])
    .executeTakeFirstOrThrow();

/**
 * An attempt with the data for the provider; its top-up is locked, for a change. A status of the attempt's own row would
 * be from before the wait for that lock: the order has it (`readLockedOrder`).
 */
export const lockAttempt = (transaction: DatabaseTransaction, operationId: string) =>
  attempts(transaction, operationId).forNoKeyUpdate('topups').executeTakeFirstOrThrow();

const attempts = (database: Database, operationId: string) =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .leftJoin('products', 'products.id', 'topups.product_id')
    .innerJoinLateral(
      currentPlacement(sql.ref('topup_attempts.operation_id'))
        .$castTo<{ provider: AirtimeProviderName; ordered: string; said: string }>()
        .as('placed'),
      (join) => join.onTrue(),
    )
    .select([
      'topup_attempts.topup_id',
      'topup_attempts.attempt',
      'topup_attempts.reference',
      'topup_attempts.msisdn',
      'topups.kind',
      'topups.operator',
      'products.product_name',
      'topup_attempts.provider_product_id',
      'placed.provider',
      'placed.ordered as amount',
    ])
    .select(takenAs('placed').as('takenAs'))
    .where('topup_attempts.operation_id', '=', operationId);

/** Marks the top-up of an attempt without a result from the provider as UNKNOWN. */
export async function markAttemptUnknown(
  database: Database,
  operationId: string,
  message: string,
): Promise<void> {
  await database
    .updateTable('topups')
    .from('topup_attempts')
    .set({ status: 'UNKNOWN', message, updated_at: now })
    .whereRef('topups.id', '=', 'topup_attempts.topup_id')
    .where('topup_attempts.operation_id', '=', operationId)
    .where('topup_attempts.status', '=', 'HELD')
    .where('topups.status', 'in', ['PROCESSING', 'UNKNOWN'])
    .execute();
  await noteUnknown(database, operationId, message);
}

/** The status of a top-up, and the number of its newest attempt. */
export const topupNow = (database: Database, topupId: number) =>
  database
    .selectFrom('topups')
    .select(['status', 'attempt'])
    .where('id', '=', topupId)
    .executeTakeFirstOrThrow();

/** The attempt under our reference, and its top-up, if it is ours. */
export const attemptOfReference = (database: Database, reference: string) =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select([
      // Of the top-up, whose attempts have one workflow.
      'topups.operation_id as operationId',
      'topups.workflow_id as workflowId',
      sql<boolean>`topup_attempts.status = 'HELD'`.as('isOpen'),
      providerOf(sql.ref('topup_attempts.operation_id')).as('provider'),
    ])
    .where('topup_attempts.reference', '=', reference)
    .executeTakeFirst();

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
  listDue: (rows) => allValues<number>(database)`${staleTopups(batch, rows)}`,
});

/** Retries; their ids are those of their operations. */
export const staleRetriesStep = (database: Database, batch: Batch): RowStep<string> => ({
  end: (rows) =>
    database.transaction().execute((transaction) => failRetries(transaction, batch, rows)),
  listDue: (rows) => allValues<string>(database)`${staleRetries(batch, rows)}`,
});

const isStale = (column: string, { startSeconds }: Batch) =>
  sql`${sql.ref(column)} < now() - make_interval(secs => ${startSeconds}::float8)`;

const staleTopups = (batch: Batch, rows: Rows<number>) => sql`
  select topups.id from topups join operations on operations.id = topups.operation_id
  where topups.status = 'PENDING' and operations.status = 'RUNNING'
    and ${isStale('topups.created_at', batch)} and ${isAmong('topups.id', rows, 'bigint')}
  order by topups.created_at limit ${batch.batchSize}`;

/** Locks the operation's row first, in the lock order of a concurrent hold. */
async function failTopups(transaction: DatabaseTransaction, batch: Batch, among: Rows<number>) {
  const ids = await allValues<number>(transaction)`
    ${staleTopups(batch, among)} for no key update of operations skip locked`;
  if (ids.length === 0) return 0;
  await sql`
    with failed as (
      update topups set status = 'FAILED', message = ${NEVER_STARTED}, updated_at = now()
      where id = any(${ids}::bigint[]) and status = 'PENDING'
      returning id, operation_id)
    update operations set status = 'FAILED', settled_at = now(),
      outcome = jsonb_build_object('ok', false, 'reason', 'topup-failed',
        'detail', ${NEVER_STARTED}::text, 'transactionId', failed.id)
    from failed where operations.id = failed.operation_id`.execute(transaction);
  return ids.length;
}

interface StaleRetry {
  readonly request: OperationIdentity;
  readonly transactionId: number;
  readonly attempt: number;
}

/** Retries that wait for another request's running attempt are skipped. */
const staleRetries = (batch: Batch, rows: Rows<string>) => sql`
  select operations.id, ${requestOfOperation} as request, retry.topup_id as "transactionId", retry.attempt
  from topup_retries as retry join operations on operations.id = retry.operation_id
  where retry.is_open and operations.status = 'RUNNING'
    and ${isStale('retry.created_at', batch)} and ${isAmong('retry.operation_id', rows, 'text')}
    and not exists (
      select from topup_attempts as made
      where made.topup_id = retry.topup_id and made.attempt = retry.attempt
        and made.status = 'HELD')
  order by retry.created_at limit ${batch.batchSize}`;

async function failRetries(transaction: DatabaseTransaction, batch: Batch, among: Rows<string>) {
  const rows = await allRows<StaleRetry>(transaction)`
    ${staleRetries(batch, among)} for no key update of operations skip locked`;
  for (const retry of rows) await failRetry(transaction, retry);
  return rows.length;
}

/**
 * Ends a retry without an answer. It may have joined the attempt of another request whose workflow was lost before
 * its answer.
 */
async function failRetry(
  transaction: DatabaseTransaction,
  { request, transactionId, attempt }: StaleRetry,
): Promise<void> {
  const { operationId } = request;
  if (await shareEndedAttempt(transaction, operationId)) return;
  const made = await transaction
    .selectFrom('topup_attempts')
    .select('status')
    .where('topup_id', '=', transactionId)
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (made?.status === 'HELD') return;
  await dropRequest(transaction, operationId);
  if (!made) {
    const failure = refuse('topup-failed', { detail: NEVER_STARTED, transactionId });
    await settleOperation(transaction, operationId, 'FAILED', failure);
    return;
  }
  await refuseOperation(transaction, request, forestalled);
}

/**
 * Answers a retry that comes after its attempt: another request made it, to the same number, and it has ended.
 * Undefined where there is no such attempt.
 */
export async function shareEndedAttempt<Result>(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<OperationOutcome<Result> | undefined> {
  const numbers = await transaction
    .selectFrom('topup_retries as retry')
    .innerJoin('topup_attempts as made', (join) =>
      join
        .onRef('made.topup_id', '=', 'retry.topup_id')
        .onRef('made.attempt', '=', 'retry.attempt'),
    )
    .leftJoin('topup_attempts as before', (join) =>
      join
        .onRef('before.topup_id', '=', 'retry.topup_id')
        .on('before.attempt', '=', sql`retry.attempt - 1`),
    )
    .select((of) => ['made.msisdn', of.fn.coalesce('retry.msisdn', 'before.msisdn').as('asked')])
    .where('retry.operation_id', '=', operationId)
    .executeTakeFirst();
  if (!numbers?.asked || !isSameNumber(numbers.asked, numbers.msisdn)) return undefined;
  const ended = await endedEffect(transaction, RETRY_KIND, operationId);
  if (!ended) return undefined;
  await closeRetry(transaction, operationId);
  const status = ended.status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED';
  return settleOperation<Result>(transaction, operationId, status, ended.outcome as Refusal);
}
