import { type Selectable, sql } from 'kysely';
import type { Operator } from '../../domain/operator.ts';
import type { StoredNumber } from '../../domain/phone.ts';
import type { AirtimeProviderName } from '../../domain/providers/provider-names.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { heldAmount } from '../ledger/holds.ts';
import { type NumberCount, withNumberCount } from '../limits/number-counts.ts';
import {
  failoversOf,
  noteUnknown,
  placing,
  providerOf,
  providerReferenceOf,
} from '../positions/placements.ts';
import type { TopupAttemptsTable, TopupStatus } from '../schema/all-tables.ts';

type AttemptRow = Selectable<TopupAttemptsTable>;

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
 * Records an attempt before its sending, and closes its request. Returns the provider that has it: the chosen one, or
 * the one that had it before a restore, which may have done it.
 *
 * @throws a violation of `numberLimitConstraint` beyond the limit of its number
 */
export async function beginAttempt(
  transaction: DatabaseTransaction,
  attempt: NewAttempt,
): Promise<{ readonly provider: AirtimeProviderName; readonly isFoundAgain: boolean }> {
  const { lost, placed } = placing({
    kind: 'top-up',
    reference: attempt.reference,
    provider: attempt.provider,
    operationId: attempt.operationId,
    voucherId: null,
    ordered: attempt.amount,
  });
  const { lost_at } = await withNumberCount(transaction, attempt.numberCount)
    .with('lost', () => lost)
    .with('placed', () => placed)
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
    })
    .returning(sql<AirtimeProviderName | null>`(select provider from lost limit 1)`.as('lost_at'))
    .executeTakeFirstOrThrow();
  return { provider: lost_at ?? attempt.provider, isFoundAgain: lost_at !== null };
}

/** An attempt with the data for the provider. */
export const findAttempt = (database: Database, operationId: string) =>
  attempts(database, operationId)
    .select(failoversOf(sql.ref('topup_attempts.operation_id')).as('failovers'))
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
  attempts(transaction, operationId).forNoKeyUpdate('topups').executeTakeFirstOrThrow();

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
    ])
    .select(
      providerOf(sql.ref('topup_attempts.operation_id'))
        .$castTo<AirtimeProviderName>()
        .as('provider'),
    )
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
  await noteUnknown(database, operationId);
}

/** The status of a top-up. */
export const topupStatus = (database: Database, topupId: number): Promise<TopupStatus> =>
  database
    .selectFrom('topups')
    .select('status')
    .where('id', '=', topupId)
    .executeTakeFirstOrThrow()
    .then(({ status }) => status);

/** An attempt with the reference of its provider. */
export type ListedAttempt = AttemptRow & { readonly provider_reference: string | null };

/** The attempts of a top-up, first to last. */
export const topupAttempts = (database: Database, topupId: number): Promise<ListedAttempt[]> =>
  database
    .selectFrom('topup_attempts')
    .selectAll()
    .select(providerReferenceOf(sql.ref('topup_attempts.operation_id')).as('provider_reference'))
    .where('topup_id', '=', topupId)
    .orderBy('attempt')
    .execute();

/** The attempt under our reference, and its top-up. */
export interface ReferencedAttempt {
  readonly status: AttemptRow['status'];
  readonly operationId: string;
  readonly provider: AirtimeProviderName;
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
      'topups.operation_id as creationId',
      'topups.workflow_id as workflowId',
    ])
    .select(
      providerOf(sql.ref('topup_attempts.operation_id'))
        .$castTo<AirtimeProviderName>()
        .as('provider'),
    )
    .where('topup_attempts.reference', '=', reference)
    .executeTakeFirst();
