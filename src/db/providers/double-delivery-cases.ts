import { type RawBuilder, sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { DOUBLE_SETTLEMENT, doubleOperationId } from '../../domain/statements/statement-labels.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { heldAmount } from '../ledger/holds.ts';
import { addTransfers } from '../ledger/ledger.ts';
import { type SuspenseCase, type SuspenseParty, suspenseAccountOf } from '../ledger/suspense.ts';
import { findEnded, noteTopupChange } from '../reconciliation/ended-payments.ts';
import { refreshTopup } from '../topups/topup-state.ts';
import type { FirstAsked } from './failover-inquiries.ts';

/**
 * A payment or top-up that its first provider did after all, although it had certainly done nothing, so
 * that another provider was asked: both may have done it. Or the first one has another content under our
 * reference: what it did is not known, and nothing is booked.
 */
export interface DoubleDelivery
  extends Omit<SuspenseCase, 'settledAccount' | 'provider' | 'doneBeside'>,
    Pick<FirstAsked, 'failoverId'> {
  /** Ours and the provider's name, since several providers may have done it: what a case is named by. */
  readonly name: string;
  /** The first provider. */
  readonly provider: string;
  readonly providerReference: string | null;
  /** The operation has no outcome yet, so nothing is booked beside its hold. */
  readonly isHeld: boolean;
  /** How the one that has the operation has taken it back since; what a merchant asked for is on the voucher again. */
  readonly takenBack: 'by-itself' | 'on-request' | null;
  readonly isBooked: boolean;
  /** The deviating content of the first provider; null where it did what was ordered. */
  readonly difference: string | null;
  readonly settledBy: SuspenseParty | null;
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
      case when exists (select from redemption_reversals as reversal
          where reversal.redemption_id = redemptions.id and reversal.status = 'SUCCESS')
        then 'on-request'
        when coalesce(redemptions.reversed_at, attempt.reversed_at) is not null then 'by-itself'
        end as "takenBack",
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
 * Settles a double delivery once. Partner: its wallet pays. Platform: its fees pay. Provider: the first one
 * has given it back. Returns undefined on success; if it was settled before, returns it unchanged.
 *
 * @throws a violation of `balanceConstraint` when the partner's wallet does not cover it
 */
export async function settleDoubleDelivery(
  transaction: DatabaseTransaction,
  double: DoubleDelivery,
  by: SuspenseParty,
): Promise<DoubleDelivery | undefined> {
  const { operationId, topupId } = double;
  const row = { kind: topupId === null ? 'redemption' : 'topup', operationId } as const;
  // Locks the operation before its failover, the order of all who change both.
  await findEnded(transaction, row);
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
  await noteTopupChange(transaction, row);
  if (topupId !== null && by === 'provider')
    await refreshTopup(transaction, topupId, {
      message: 'The provider has taken back what it had delivered late; nothing was charged',
      providerReference: null,
    });
  return undefined;
}
