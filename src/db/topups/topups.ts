import { type Selectable, type SqlBool, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { TopupKind } from '../../domain/topup.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { listColumns } from '../lists/list-columns.ts';
import type { ListSource } from '../lists/list-query.ts';
import { isTopupBlocked } from '../positions/cases.ts';
import type { TopupStatus, TopupsTable } from '../schema/all-tables.ts';
import { type TopupTruth, topupTruth } from './topup-state.ts';

/** A locked top-up with the facts of its checks. */
export interface LockedTopup {
  readonly id: number;
  readonly operation_id: string;
  readonly workflow_id: string;
  readonly request_digest: string;
  readonly provider_reference: string | null;
  readonly partner_id: number;
  readonly kind: TopupKind;
  readonly product_id: number | null;
  readonly amount: string | null;
  readonly msisdn: StoredNumber;
  readonly status: TopupStatus;
  readonly attempt: number;
  readonly message: string | null;
  /** A case is open: an attempt may have been delivered. */
  readonly is_blocked: SqlBool;
  /** The requesting operation has made an attempt. */
  readonly has_begun: SqlBool;
}

/**
 * Locks a top-up's row; every change of a top-up starts here. Without an id it is the top-up of the
 * operation.
 */
export const lockTopup = (
  transaction: DatabaseTransaction,
  topup: { readonly operationId?: string; readonly id?: number | undefined },
): Promise<LockedTopup | undefined> =>
  transaction
    .selectFrom('topups')
    .select([
      'id',
      'operation_id',
      'workflow_id',
      'request_digest',
      'provider_reference',
      'partner_id',
      'kind',
      'product_id',
      'amount',
      'msisdn',
      'status',
      'attempt',
      'message',
    ])
    .select(isTopupBlocked(sql.ref('topups.id')).as('is_blocked'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('topup_attempts')
          .select('attempt')
          .where('operation_id', '=', topup.operationId ?? ''),
      ).as('has_begun'),
    )
    .where((where) =>
      topup.id === undefined
        ? where('operation_id', '=', topup.operationId ?? '')
        : where('id', '=', topup.id),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Fails an accepted top-up that is refused before any hold. */
export async function failUnbegunTopup(
  transaction: DatabaseTransaction,
  topupId: number,
  message: string,
): Promise<void> {
  await transaction
    .updateTable('topups')
    .set({ status: 'FAILED', message, updated_at: sql<Date>`now()` })
    .where('id', '=', topupId)
    .where('status', '=', 'PENDING')
    .execute();
}

type TopupRow = Omit<Selectable<TopupsTable>, 'partner_id'>;

/** A top-up with its current state. */
export type ListedTopup = TopupRow & TopupTruth;

/** A partner's top-ups. The phone number can be neither filtered nor searched. */
export const topupSource: ListSource<ListedTopup> = {
  name: 'topups',
  select: sql`id, created_at, updated_at, operation_id, request_digest, kind, product_id, amount,
    msisdn, operator, status, attempt, provider_reference, message, exchange_rate, currency,
    originating_country, foreign_currency_amount, ${topupTruth}`,
  from: () => sql`topups`,
  where: (partnerId) => sql`partner_id = ${partnerId}::bigint`,
  id: sql`id`,
  addedAt: sql`created_at`,
  columns: {
    transactionId: listColumns.integer(sql`id`),
    createdAt: listColumns.time(sql`created_at`),
    updatedAt: listColumns.time(sql`updated_at`),
    kind: listColumns.text(sql`kind`),
    status: listColumns.text(sql`status`),
    amount: listColumns.decimal(sql`amount`),
    productId: listColumns.integer(sql`product_id`),
    attempt: listColumns.integer(sql`attempt`),
    // Ours or the provider's, of any attempt.
    reference: listColumns.lookUp(
      (reference) => sql`exists (
        select from topup_attempts as try join placements as placement using (operation_id)
        where try.topup_id = topups.id and (placement.reference = ${reference}::text
          or placement.provider_reference = ${reference}::text))`,
    ),
  },
};
