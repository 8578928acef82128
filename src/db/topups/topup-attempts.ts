import { type Selectable, sql } from 'kysely';
import type { Operator } from '../../domain/operator.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { firstInquiry, firstWatch } from '../reconciliation/refusal-inquiries.js';
import type { TopupAttemptsTable, TopupStatus } from '../schema/all-tables.js';
import { refreshTopup } from './topup-state.js';

export type AttemptRow = Selectable<TopupAttemptsTable>;

export interface NewAttempt {
  readonly topupId: number;
  readonly attempt: number;
  readonly operationId: string;
  readonly reference: string;
  readonly msisdn: string;
  readonly operator: Operator;
  /** Decimal string: held, and charged on delivery. */
  readonly amount: string;
  readonly productId: number | null;
  readonly providerProductId: number | null;
}

/** Records an attempt before its sending, and closes its request. */
export async function beginAttempt(
  transaction: DatabaseTransaction,
  attempt: NewAttempt,
): Promise<void> {
  await transaction
    .with('request', (requests) =>
      requests
        .updateTable('topup_retries')
        .set({ is_open: false })
        .where('operation_id', '=', attempt.operationId),
    )
    .insertInto('topup_attempts')
    .values({
      topup_id: attempt.topupId,
      attempt: attempt.attempt,
      operation_id: attempt.operationId,
      reference: attempt.reference,
      msisdn: attempt.msisdn,
      provider_product_id: attempt.providerProductId,
    })
    .execute();
  await transaction
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
    .where('id', '=', attempt.topupId)
    .execute();
}

/** An attempt with the data for the provider, optionally locked. */
export const findAttempt = (database: Database, operationId: string) =>
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
      'topups.partner_id',
      'topups.kind',
      'topups.amount',
      'topups.operator',
      'products.product_name',
      'topup_attempts.provider_product_id',
    ])
    .where('topup_attempts.operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

/** Marks a top-up without a result from the provider as UNKNOWN. */
export async function markTopupUnknown(database: Database, topupId: number, message: string) {
  await database
    .updateTable('topups')
    .set({ status: 'UNKNOWN', message, updated_at: sql<Date>`now()` })
    .where('id', '=', topupId)
    .where('status', 'in', ['PROCESSING', 'UNKNOWN'])
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
    /** The provider reversed it in the meantime; the next inquiry finds this. */
    readonly isReversed: boolean;
  },
  watchSeconds: number,
): Promise<boolean> {
  const ended = await transaction
    .updateTable('topup_attempts')
    .set({
      status: ending.status === 'SUCCESS' ? 'POSTED' : 'VOIDED',
      provider_reference: ending.providerReference,
      provider_message: ending.message,
      settled_at: sql<Date>`now()`,
      recheck_at: ending.isReversed
        ? sql<Date>`now()`
        : ending.status === 'FAILED'
          ? firstInquiry
          : firstWatch(watchSeconds),
    })
    .where('operation_id', '=', attempt.operationId)
    .where('status', '=', 'HELD')
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return false;
  const topup = await transaction
    .updateTable('topups')
    .set({
      status: ending.status,
      provider_reference: ending.providerReference,
      message: ending.message,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', attempt.topupId)
    .executeTakeFirst();
  if (topup.numUpdatedRows !== 1n) throw new Error('An attempt without a top-up');
  // An earlier attempt may have been delivered late during this one.
  if (ending.status === 'FAILED')
    await refreshTopup(transaction, attempt.topupId, {
      message: 'An earlier attempt was delivered after it had failed',
      providerReference: null,
    });
  return true;
}

/** The attempts of a top-up, first to last. */
export const topupAttempts = (database: Database, topupId: number): Promise<AttemptRow[]> =>
  database
    .selectFrom('topup_attempts')
    .selectAll()
    .where('topup_id', '=', topupId)
    .orderBy('attempt')
    .execute();

/** The attempt under our reference, and the operation of its top-up. */
export const attemptOfReference = (
  database: Database,
  reference: string,
): Promise<
  { status: AttemptRow['status']; creationId: string; workflowId: string | null } | undefined
> =>
  database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select([
      'topup_attempts.status',
      'topups.operation_id as creationId',
      'topups.workflow_id as workflowId',
    ])
    .where('topup_attempts.reference', '=', reference)
    .executeTakeFirst();
