import { type RawBuilder, sql } from 'kysely';
import { parseMoney } from '../../domain/money.js';
import {
  DOUBLE_DELIVERY,
  DOUBLE_SETTLEMENT,
  doubleOperationId,
} from '../../domain/statements/statement-labels.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { heldAmount } from '../ledger/holds.js';
import { addTransfers } from '../ledger/ledger.js';
import { type SuspenseCase, type SuspenseParty, suspenseAccountOf } from '../ledger/suspense.js';
import { findEnded, type RefusalInquiry, tableOf } from '../reconciliation/ended-payments.js';
import { bookLateSuccess } from '../reconciliation/late-successes.js';
import { firstInquiry } from '../reconciliation/refusal-inquiries.js';
import { type FirstAsked, nothingDiffers, nothingDone } from './failover-inquiries.js';

/**
 * A payment or top-up that its first provider did after all, although it had certainly done nothing, so
 * that another provider was asked: both may have done it. Or the first one has another content under our
 * reference: what it did is not known, and nothing is booked.
 */
export interface DoubleDelivery
  extends Omit<SuspenseCase, 'settledAccount' | 'provider'>,
    Pick<FirstAsked, 'failoverId'> {
  /** Ours and the provider's name, since several providers may have done it: what a case is named by. */
  readonly name: string;
  /** The first provider. */
  readonly provider: string;
  readonly providerReference: string | null;
  /** The operation has no outcome yet, so nothing is booked beside its hold. */
  readonly isHeld: boolean;
  readonly isBooked: boolean;
  /** The deviating content of the first provider; null where it did what was ordered. */
  readonly difference: string | null;
  readonly settledBy: SuspenseParty | null;
}

/** What became of the word of a first provider that it did it. */
export type DoubleBooking = 'double' | 'late-success' | 'held' | 'known';

/**
 * Books that the first provider did it after all. Where the others refused, it is a late success of the
 * first one, and the others are asked about it from now on; else the platform has paid twice, and the
 * amount is in suspense until a person settles it. While the operation is on hold, it is only noted:
 * what it is depends on its outcome. Idempotent.
 */
export async function bookDoubleDelivery(
  transaction: DatabaseTransaction,
  failover: FirstAsked,
  providerReference: string,
): Promise<DoubleBooking> {
  // Locks the operation before its failover, the order of all who change both.
  const ended = await findEnded(transaction, failover);
  const isLate = ended?.status === 'VOIDED' && !ended.is_booked;
  // After a restore, `recover` may have found it at the first one: it is the one payment in our books. Or it has
  // noted this provider twice, and what it did is booked.
  const isInBooks = ended?.status === 'POSTED' && ended.provider === failover.provider;
  if (isInBooks || (ended && (await isBookedOtherwise(transaction, failover)))) {
    await forgetInquiry(transaction, failover);
    return 'known';
  }
  const { numAffectedRows } = await sql`
    update provider_failovers set done_at = coalesce(done_at, now()),
      provider_reference = ${providerReference}, ${nothingDiffers}, unanswered_since = null,
      recheck_at = ${ended ? sql`null` : firstInquiry},
      booked_at = ${ended && !isLate ? sql`now()` : sql`null`},
      settled_at = ${isLate ? sql`now()` : sql`null`},
      settled_by = ${isLate ? 'late-success' : null}
    where id = ${failover.failoverId} and booked_at is null and settled_at is null`.execute(
    transaction,
  );
  if (numAffectedRows !== 1n) return 'known';
  if (!ended) return 'held';
  if (isLate) {
    await moveTo(transaction, failover);
    await bookLateSuccess(transaction, failover, providerReference);
    return 'late-success';
  }
  await addTransfers(transaction, [
    {
      operationId: doubleOperationId(ended.reference, failover.provider),
      partnerId: ended.partner_id,
      step: DOUBLE_DELIVERY,
      debit: 'suspense',
      credit: suspenseAccountOf('provider', failover.kind === 'topup' ? 'top-up' : 'payment'),
      amount: parseMoney(ended.amount),
    },
  ]);
  return 'double';
}

/** Whether another row of the same provider has led to a booking. */
async function isBookedOtherwise(
  transaction: DatabaseTransaction,
  { failoverId, operationId, provider }: FirstAsked,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('provider_failovers')
    .select('id')
    .where('operation_id', '=', operationId)
    .where('from_provider', '=', provider)
    .where('id', '<>', failoverId)
    .where((where) =>
      where.or([where('booked_at', 'is not', null), where('settled_at', 'is not', null)]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

const forgetInquiry = (transaction: DatabaseTransaction, { failoverId }: FirstAsked) =>
  sql`
    update provider_failovers set recheck_at = null, ${nothingDone}, ${nothingDiffers}
    where id = ${failoverId} and booked_at is null and settled_at is null`.execute(transaction);

/**
 * Books what first providers have said of an operation while it was on hold, in the transaction that ends it:
 * nobody can pay it once more meanwhile. Books nothing while it is on hold.
 */
export async function bookNotedFailovers(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
): Promise<void> {
  if (!(await findEnded(transaction, inquiry))) return;
  const { rows } = await sql<
    Pick<FirstAsked, 'failoverId' | 'provider'> & { providerReference: string }
  >`
    select id as "failoverId", from_provider as provider,
      provider_reference as "providerReference"
    from provider_failovers
    where operation_id = ${inquiry.operationId} and done_at is not null
      and booked_at is null and settled_at is null
    order by id`.execute(transaction);
  for (const { providerReference, ...failover } of rows)
    await bookDoubleDelivery(transaction, { ...inquiry, ...failover }, providerReference);
}

/** Names the first provider again in the row; the one that refused is asked about it as a failover. */
async function moveTo(transaction: DatabaseTransaction, failover: FirstAsked): Promise<void> {
  const table = tableOf(failover);
  await sql`
    insert into provider_failovers (operation_id, from_provider, to_provider, message, recheck_at)
    select operation_id, provider, ${failover.provider}, 'It refused, and the first one had done it',
      ${firstInquiry}
    from ${table} where operation_id = ${failover.operationId}
      and provider <> ${failover.provider}`.execute(transaction);
  await sql`
    update ${table} set provider = ${failover.provider}
    where operation_id = ${failover.operationId}`.execute(transaction);
}

const doubles = (condition: RawBuilder<unknown>) => sql<DoubleDelivery>`
  select * from (
    select failover.id as "failoverId", failover.operation_id as "operationId",
      case when redemptions.id is null then 'top-up' else 'payment' end as kind,
      coalesce(done_at, disagreed_at) as "foundAt", failover.provider_reference as "providerReference",
      coalesce(redemptions.payment_reference::text, attempt.reference) as reference,
      coalesce(redemptions.payment_reference::text, attempt.reference) || ':' || from_provider
        as name,
      from_provider as provider,
      coalesce(redemptions.status, attempt.status) = 'HELD' as "isHeld",
      booked_at is not null as "isBooked",
      case when done_at is null then failover.disagreement end as difference,
      coalesce(vouchers.partner_id, topups.partner_id) as "partnerId",
      coalesce(redemptions.to_merchant, ${heldAmount(sql`failover.operation_id`)}) as amount,
      attempt.topup_id as "topupId", attempt.attempt,
      redemptions.platform_reference as "redemptionReference",
      vouchers.serial_number as "serialNumber", redemptions.merchant_id as "merchantId",
      coalesce(failover.settled_at, case when done_at is null then disagreement_settled_at end)
        as "settledAt", failover.settled_by as "settledBy"
    from provider_failovers as failover
    left join redemptions on redemptions.operation_id = failover.operation_id
    left join vouchers on vouchers.id = redemptions.voucher_id
    left join topup_attempts as attempt on attempt.operation_id = failover.operation_id
    left join topups on topups.id = attempt.topup_id
    where (failover.done_at is not null or failover.disagreement is not null) and ${condition}
  ) as found`;

/** The open double deliveries, or all but those that became late successes; oldest first. */
export async function listDoubleDeliveries(
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<DoubleDelivery[]> {
  const which = selection.includeSettled
    ? sql`failover.settled_by is distinct from 'late-success'`
    : sql`failover.settled_at is null and (done_at is not null or disagreement_settled_at is null)`;
  const { rows } = await sql<DoubleDelivery>`
    ${doubles(which)} order by "foundAt", "failoverId"`.execute(database);
  return rows;
}

/** The double delivery of this name; undefined where there is none. */
export async function findDoubleDelivery(
  database: Database,
  name: string,
): Promise<DoubleDelivery | undefined> {
  const [reference, provider] = name.split(':');
  // A reference leads to its operation by an index.
  const { rows } = await sql<DoubleDelivery>`
    ${doubles(sql`failover.settled_by is distinct from 'late-success'
      and failover.from_provider = ${provider} and failover.operation_id in (
        select operation_id from redemptions where payment_reference = ${uuidOf(reference)}::uuid
        union all select operation_id from topup_attempts where reference = ${reference})`)}
  `.execute(database);
  return rows[0];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidOf = (text = ''): string | null => (UUID.test(text) ? text : null);

/**
 * Settles a double delivery once. Partner: its wallet pays. Platform: its fees pay. Provider: one of
 * them has given it back. Returns undefined on success; if it was settled before, returns it unchanged.
 *
 * @throws a violation of `balanceConstraint` when the partner's wallet does not cover it
 */
export async function settleDoubleDelivery(
  transaction: DatabaseTransaction,
  double: DoubleDelivery,
  by: SuspenseParty,
): Promise<DoubleDelivery | undefined> {
  const { numAffectedRows } = await sql`
    update provider_failovers set settled_at = now(), settled_by = ${by}
    where id = ${double.failoverId} and booked_at is not null and settled_at is null`.execute(
    transaction,
  );
  if (numAffectedRows !== 1n) return findDoubleDelivery(transaction, double.name);
  await addTransfers(transaction, [
    {
      operationId: doubleOperationId(double.reference, double.provider),
      partnerId: double.partnerId,
      step: DOUBLE_SETTLEMENT,
      debit: suspenseAccountOf(by, double.kind),
      credit: 'suspense',
      amount: parseMoney(double.amount),
    },
  ]);
  return undefined;
}
