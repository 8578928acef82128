import { type Selectable, sql } from 'kysely';
import type { Operator } from '../../domain/operator.ts';
import type { StoredNumber } from '../../domain/phone.ts';
import type { NotDoneBy } from '../../domain/providers/not-done-by.ts';
import type { AirtimeProviderName } from '../../domain/providers/provider-names.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { heldAmount } from '../ledger/holds.ts';
import { type NumberCount, withNumberCount } from '../limits/number-counts.ts';
import { failoversOf, isDoneByFirst } from '../providers/provider-failovers.ts';
import { firstInquiry, firstWatch } from '../reconciliation/refusal-inquiries.ts';
import type { TopupAttemptsTable, TopupStatus } from '../schema/all-tables.ts';
import { hasDelivery } from './topup-state.ts';

export type AttemptRow = Selectable<TopupAttemptsTable>;

export interface NewAttempt {
  readonly topupId: number;
  readonly attempt: number;
  readonly operationId: string;
  readonly reference: string;
  readonly msisdn: StoredNumber;
  readonly operator: Operator;
  /** Decimal string: held, and charged on delivery. */
  readonly amount: string;
  readonly productId: number | null;
  readonly providerProductId: number | null;
  readonly provider: AirtimeProviderName;
  /** Counts the attempt for its number. */
  readonly numberCount: NumberCount | undefined;
}

/**
 * Records an attempt before its sending, and closes its request.
 *
 * @throws a violation of `numberLimitConstraint` beyond the limit of its number
 */
export async function beginAttempt(
  transaction: DatabaseTransaction,
  attempt: NewAttempt,
): Promise<void> {
  await withNumberCount(transaction, attempt.numberCount)
    .with('request', (requests) =>
      requests
        .updateTable('topup_retries')
        .set({ is_open: false })
        .where('operation_id', '=', attempt.operationId),
    )
    .with('topup', (topups) =>
      topups
        .updateTable('topups')
        .set({
          status: 'PROCESSING',
          attempt: attempt.attempt,
          msisdn: attempt.msisdn,
          operator: attempt.operator,
          amount: attempt.amount,
          product_id: attempt.productId,
          message: null,
          updated_at: sql<Date>`now()`,
        })
        .where('id', '=', attempt.topupId),
    )
    .insertInto('topup_attempts')
    .values({
      topup_id: attempt.topupId,
      attempt: attempt.attempt,
      operation_id: attempt.operationId,
      reference: attempt.reference,
      msisdn: attempt.msisdn,
      provider_product_id: attempt.providerProductId,
      provider: attempt.provider,
    })
    .execute();
}

/** An attempt with the data for the provider. */
export const findAttempt = (database: Database, operationId: string) =>
  attempts(database, operationId)
    .select(failoversOf('operation_id', sql.ref('topup_attempts.operation_id')).as('failovers'))
    .executeTakeFirstOrThrow();

/** The same as it was ordered: a later attempt may have another price, and the ledger knows what this one held. */
export async function findOrderedAttempt(database: Database, operationId: string) {
  const { held, ...attempt } = await attempts(database, operationId)
    .select(heldAmount(sql.ref('topup_attempts.operation_id')).as('held'))
    .executeTakeFirstOrThrow();
  return { ...attempt, amount: held ?? attempt.amount };
}

/** The same with its top-up locked, for a change of the top-up. */
export const lockAttempt = (transaction: DatabaseTransaction, operationId: string) =>
  attempts(transaction, operationId)
    .select(isDoneByFirst(sql.ref('topup_attempts.operation_id')).as('is_done_by_first'))
    .forNoKeyUpdate('topups')
    .executeTakeFirstOrThrow();

const attempts = (database: Database, operationId: string) =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .leftJoin('products', 'products.id', 'topups.product_id')
    .select([
      'topup_attempts.topup_id',
      'topup_attempts.attempt',
      'topup_attempts.reference',
      'topup_attempts.msisdn',
      'topup_attempts.status',
      'topup_attempts.settled_at',
      'topups.partner_id',
      'topups.kind',
      'topups.amount',
      'topups.operator',
      'products.product_name',
      'topup_attempts.provider_product_id',
      'topup_attempts.provider',
    ])
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
    .set({ status: 'UNKNOWN', message, updated_at: sql<Date>`now()` })
    .whereRef('topups.id', '=', 'topup_attempts.topup_id')
    .where('topup_attempts.operation_id', '=', operationId)
    .where('topup_attempts.status', '=', 'HELD')
    .where('topups.status', 'in', ['PROCESSING', 'UNKNOWN'])
    .execute();
}

/** The status of a top-up. */
export const topupStatus = (database: Database, topupId: number): Promise<TopupStatus> =>
  database
    .selectFrom('topups')
    .select('status')
    .where('id', '=', topupId)
    .executeTakeFirstOrThrow()
    .then(({ status }) => status);

/** Ends an attempt and its top-up; false when it had already ended. */
export async function endAttempt(
  transaction: DatabaseTransaction,
  attempt: { readonly operationId: string; readonly topupId: number },
  ending: {
    readonly status: 'SUCCESS' | 'FAILED';
    readonly providerReference: string | null;
    readonly message: string;
    /** Null where it was done. */
    readonly notDoneBy: NotDoneBy | null;
    /** The provider reversed it in the meantime; the next inquiry finds this. */
    readonly isReversed: boolean;
  },
  watchSeconds: number,
): Promise<boolean> {
  const topup = await transaction
    .with('ended', (attempts) =>
      attempts
        .updateTable('topup_attempts')
        .set({
          status: ending.status === 'SUCCESS' ? 'POSTED' : 'VOIDED',
          provider_reference: ending.providerReference,
          provider_message: ending.message,
          not_done_by: ending.notDoneBy,
          settled_at: sql<Date>`now()`,
          recheck_at: ending.isReversed
            ? sql<Date>`now()`
            : ending.status === 'FAILED'
              ? firstInquiry
              : firstWatch(watchSeconds),
        })
        .where('operation_id', '=', attempt.operationId)
        .where('status', '=', 'HELD')
        .returning('topup_id'),
    )
    .updateTable('topups')
    .from('ended')
    .set({
      ...topupAfter(ending),
      updated_at: sql<Date>`now()`,
    })
    .whereRef('topups.id', '=', 'ended.topup_id')
    .executeTakeFirst();
  return topup.numUpdatedRows > 0n;
}

/** The columns of a top-up whose attempt ends; an earlier one may have been delivered meanwhile. */
function topupAfter(ending: {
  readonly status: 'SUCCESS' | 'FAILED';
  readonly providerReference: string | null;
  readonly message: string;
}) {
  const ended = { provider_reference: ending.providerReference, message: ending.message };
  if (ending.status === 'SUCCESS') return { ...ended, status: ending.status };
  const unlessDelivered = (failed: string | null, delivered: string | null) =>
    sql<string | null>`case when ${hasDelivery} then ${delivered} else ${failed} end`;
  return {
    status: sql<TopupStatus>`case when ${hasDelivery} then 'SUCCESS' else 'FAILED' end`,
    provider_reference: unlessDelivered(ended.provider_reference, null),
    message: unlessDelivered(ended.message, 'An earlier attempt was delivered after it had failed'),
  };
}

/** The attempts of a top-up, first to last. */
export const topupAttempts = (database: Database, topupId: number): Promise<AttemptRow[]> =>
  database
    .selectFrom('topup_attempts')
    .selectAll()
    .where('topup_id', '=', topupId)
    .orderBy('attempt')
    .execute();

/** The attempt under our reference, and its top-up. */
export interface ReferencedAttempt {
  readonly status: AttemptRow['status'];
  readonly operationId: string;
  readonly provider: AttemptRow['provider'];
  readonly creationId: string;
  readonly workflowId: string;
}

/** The attempt under our reference, if it is ours. */
export const attemptOfReference = (
  database: Database,
  reference: string,
): Promise<ReferencedAttempt | undefined> =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select([
      'topup_attempts.status',
      'topup_attempts.operation_id as operationId',
      'topup_attempts.provider',
      'topups.operation_id as creationId',
      'topups.workflow_id as workflowId',
    ])
    .where('topup_attempts.reference', '=', reference)
    .executeTakeFirst();
