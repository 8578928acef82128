import { type Insertable, type Selectable, sql } from 'kysely';
import type { MobileMoneyProviderName } from '../../domain/providers.ts';
import type { ReversalState } from '../../domain/vouchers/redemption.ts';
import {
  type Database,
  type DatabaseTransaction,
  firstValue,
  hasRows,
  now,
  type Sql,
  updateRow,
} from '../connection.ts';
import type { RedemptionReversalsTable } from '../generated/tables.ts';
import { doerOf, doingPlacement, takenAs } from '../positions/placements.ts';

/** The voucher of a redemption; undefined where the redemption does not exist. */
export const voucherOfRedemption = (database: Database, redemptionId: number) =>
  firstValue<number>(database)`select voucher_id from redemptions where id = ${redemptionId}`;

/** SQL condition on `redemption`: it has a reversal of this status. */
export const hasReversal = (status: 'PENDING' | 'SUCCESS') => sql<boolean>`exists (
  select from redemption_reversals as reversal
  where reversal.redemption_id = redemption.id and reversal.status = ${status})`;

/** SQL condition on `redemption`: the merchant has paid it back, or its provider took it back. */
export const isReversed = sql<boolean>`(redemption.status = 'POSTED'
  and (not redemption.is_done or ${hasReversal('SUCCESS')}))`;

/** SQL condition on `redemption`: its provider has taken back no part of it, and paid no less than was ordered. */
const isWhole = sql<boolean>`(
  select coalesce(sum(case part.kind when 'reversal' then -part.done else part.done end), 0)
    >= redemption.to_merchant
  from placements as part
  where part.operation_id = redemption.operation_id
    and part.provider = ${doerOf(sql`redemption.operation_id`)})`;

/**
 * SQL condition on `redemption`: the voucher pays for it since its end, and its provider has paid the whole, so that a
 * reversal of the whole returns the value. Who bears a payment that the provider made later, again or in part, is
 * settled in its case.
 */
export const isReturnable = sql<boolean>`(redemption.status = 'POSTED' and redemption.charged
  and ${isWhole})`;

/**
 * SQL expression on `redemption`: the references under which its provider has told of the reversal that is under way. The
 * statement may have had a line without a reference of ours, before the provider told of our own order.
 */
export const toldReversals = sql<readonly string[]>`array(
  select told.provider_reference from redemption_reversals as reversal
  join placements as ours on ours.reference = reversal.reference::text
  join placements as told on told.operation_id = ours.operation_id and told.provider = ours.provider
  where reversal.redemption_id = redemption.id and reversal.status = 'PENDING'
    and told.kind = 'reversal' and told.done > 0 and (told.id = ours.id or ours.done = 0)
    and told.provider_reference is not null)`;

/** Whether the payment of an operation has a reversal under way. */
export const isBeingReversed = (database: Database, operationId: string) =>
  hasRows(database)`
    select from redemptions as redemption
    where operation_id = ${operationId} and ${hasReversal('PENDING')}`;

/** Locks a redemption for its reversal. A provider reversal is recorded under this lock, too. */
export async function lockForReversal(
  transaction: DatabaseTransaction,
  redemptionId: number,
): Promise<void> {
  await sql`select from redemptions where id = ${redemptionId} for no key update`.execute(
    transaction,
  );
}

/** SQL: places a reversal with its `payment`, a placement, and returns its id. By default it takes back what was ordered. */
export const placingReversal = (
  reference: string | null,
  payment: Sql,
  ordered = sql`payment.ordered`,
) => sql`
  insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, position)
  select 'reversal', ${reference}, payment.provider, payment.operation_id, payment.voucher_id,
    ${ordered}, payment.position
  from ${payment} as payment
  on conflict (reference, provider) do update set operation_id = excluded.operation_id
  returning id`;

/** Records a reversal before it is sent, and places it at the provider of its payment. */
export async function insertReversal(
  transaction: DatabaseTransaction,
  reversal: Insertable<RedemptionReversalsTable> &
    Pick<Selectable<RedemptionReversalsTable>, 'reason'>,
): Promise<void> {
  await transaction
    .with(
      'placed',
      () =>
        sql`(${placingReversal(
          reversal.reference,
          doingPlacement(
            sql`(select operation_id from redemptions where id = ${reversal.redemption_id})`,
          ),
        )})`,
    )
    .insertInto('redemption_reversals')
    .values(reversal)
    .execute();
}

/** A reversal with what its redemption paid. */
export const findReversal = (database: Database, operationId: string) =>
  reversalsWithPayment(database)
    .where('reversal.operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

/** The reversal of a placement; undefined where the provider reversed by itself, or a restore lost the request. */
export const findReversalOfPlacement = (database: Database, placementId: number) =>
  reversalsWithPayment(database).where('placed.id', '=', placementId).executeTakeFirst();

/** A reversal stays at the provider where it was placed, even where another one did the payment, too. */
const reversalsWithPayment = (database: Database) =>
  database
    .selectFrom('redemption_reversals as reversal')
    .innerJoin('redemptions', 'redemptions.id', 'reversal.redemption_id')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .innerJoin('merchants', 'merchants.id', 'redemptions.merchant_id')
    .innerJoin('placements as placed', 'placed.operation_id', 'redemptions.operation_id')
    .innerJoin('placements as payment', (join) =>
      join
        .onRef('payment.operation_id', '=', 'placed.operation_id')
        .onRef('payment.provider', '=', 'placed.provider'),
    )
    .where('payment.kind', '=', 'payment')
    .where('placed.kind', '=', 'reversal')
    .where(sql<boolean>`placed.reference = reversal.reference::text`)
    .select([
      'reversal.id',
      'reversal.reference',
      'redemptions.voucher_id',
      'redemptions.payment_reference',
      'redemptions.platform_reference',
      'redemptions.operation_id as payment_operation_id',
      'redemptions.to_merchant',
      'redemptions.service_fee',
      'redemptions.payee',
      'vouchers.serial_number',
      'merchants.merchant_name',
      'payment.provider_reference as payment_provider_reference',
    ])
    .select(takenAs('placed').as('takenAs'))
    .select((of) => of.ref('placed.provider').$castTo<MobileMoneyProviderName>().as('provider'));

/** Whether a reversal is pending; locks it until the transaction ends. */
export async function lockPendingReversal(
  transaction: DatabaseTransaction,
  reversalId: number,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('redemption_reversals')
    .select('status')
    .where('id', '=', reversalId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return row.status === 'PENDING';
}

/** How a reversal ended. */
type ReversalEnding =
  | {
      readonly status: 'SUCCESS';
      readonly providerReference: string;
      readonly creditedTo: 'voucher' | 'gift';
    }
  | { readonly status: 'FAILED'; readonly providerMessage: string };

/** Records the end of a reversal: its first answer. */
export const recordReversalEnd = (
  transaction: DatabaseTransaction,
  reversalId: number,
  ending: ReversalEnding,
) =>
  updateRow(transaction, 'redemption_reversals', reversalId, {
    status: ending.status,
    settled_at: now,
    needs_action_since: null,
    ...(ending.status === 'SUCCESS'
      ? { provider_reference: ending.providerReference, credited_to: ending.creditedTo }
      : { provider_message: ending.providerMessage }),
  });

/** Records that a person must look at a pending reversal. */
export async function noteReversalNeedsAction(
  database: Database,
  operationId: string,
): Promise<void> {
  await sql`
    update redemption_reversals set needs_action_since = coalesce(needs_action_since, now())
    where operation_id = ${operationId} and status = 'PENDING'`.execute(database);
}

/** The newest reversal of a redemption, for people; times are texts in ISO 8601. */
export interface ShownReversal {
  readonly status: ReversalState;
  readonly requestedAt: string;
  readonly settledAt: string | null;
  readonly reason: string | null;
  /** Where the value went. */
  readonly creditedTo: 'voucher' | 'gift' | null;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly operationId: string;
  /** Ours, towards the provider. */
  readonly reference: string;
  /** Whether support asked for the reversal, and not the merchant. */
  readonly isRepair: boolean;
}

/** SQL expression: the newest reversal of a redemption as JSON; null where there is none. */
export const newestReversal = (redemptionId: Sql) => sql<ShownReversal | null>`(
  select json_build_object('requestedAt', newest.created_at, 'settledAt', newest.settled_at,
    'status', case when newest.needs_action_since is null then newest.status
      else 'NEEDS_ACTION' end,
    'reason', newest.reason, 'creditedTo', newest.credited_to,
    'providerReference', newest.provider_reference, 'providerMessage', newest.provider_message,
    'operationId', newest.operation_id, 'reference', newest.reference,
    'isRepair', exists (select from repairs where repairs.operation_id = newest.operation_id))
  from redemption_reversals as newest where newest.redemption_id = ${redemptionId}
  order by newest.id desc limit 1)`;
