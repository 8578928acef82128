import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { DOUBLE_DELIVERY, doubleOperationId } from '../../domain/statements/statement-labels.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { addTransfers } from '../ledger/ledger.ts';
import { suspenseAccountOf } from '../ledger/suspense.ts';
import { findEnded, type RefusalInquiry, tableOf } from '../reconciliation/ended-payments.ts';
import { bookLateSuccess } from '../reconciliation/late-successes.ts';
import { firstInquiry } from '../reconciliation/refusal-inquiries.ts';
import { refreshTopup } from '../topups/topup-state.ts';
import { type FirstAsked, nothingDiffers, nothingDone } from './failover-inquiries.ts';

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
      provider_reference = ${providerReference}, ${nothingDiffers}, unanswered_since = null, doubted_since = null,
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
  // The other one may have taken its own back, or have given back what was found late.
  if (ended.topup_id !== null)
    await refreshTopup(transaction, ended.topup_id, {
      message: 'The provider delivered it after it had said that it failed',
      providerReference,
    });
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
    update provider_failovers set recheck_at = null, doubted_since = null, ${nothingDone}, ${nothingDiffers}
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
