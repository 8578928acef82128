import { sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import {
  type Entries,
  type PositionAccount,
  target,
  transfersTo,
} from '../../domain/positions/position.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { addTransfers, type Transfer } from '../ledger/ledger.ts';
import { requireOperationInLedger } from '../ledger/read-archives.ts';
import { chargeVoucher, growVoucher, releaseVoucher } from '../vouchers/redemptions.ts';
import { lockVoucher } from '../vouchers/vouchers.ts';
import type { AfterPosition } from './change.ts';
import { type LockedOrder, lostOperationId } from './orders.ts';

/** Moves the value between a voucher and what was paid for it, and says where it is. */
export async function moveValue(
  transaction: DatabaseTransaction,
  { voucherId, position: { order: before } }: LockedOrder,
  after: AfterPosition,
): Promise<AfterPosition> {
  const { order } = after;
  if (voucherId === null || order.price === 0n) return after;
  if (before.state === 'open') {
    await releaseVoucher(transaction, voucherId, order.isCharged ? 'spent' : 'returned');
    return after;
  }
  if (before.isCharged === order.isCharged) return after;
  const voucher = await lockVoucher(transaction, voucherId);
  if (!voucher) throw new Error('The voucher of a payment is gone');
  const whole = formatMoney(order.price + order.fee);
  if (order.isCharged) {
    // Where its value has gone to the partner, the partner pays.
    const from = before.creditedTo === 'payer' ? 'voucher' : 'partner';
    await chargeVoucher(transaction, voucherId, whole, from);
    return { ...after, order: { ...order, creditedTo: 'payer' } };
  }
  const creditedTo = await growVoucher(transaction, voucher, whole);
  return { ...after, order: { ...order, creditedTo: creditedTo === 'gift' ? 'partner' : 'payer' } };
}

type AccountKind = Transfer['debit'];

/** The accounts of an order in the ledger. The payer of a top-up is the wallet of its partner. */
const accountsOf: Readonly<
  Record<'payment' | 'top-up', Readonly<Record<PositionAccount, AccountKind>>>
> = {
  payment: {
    hold: 'gift-hold',
    payer: 'reserved',
    partner: 'gift',
    clearing: 'mobile-money-clearing',
    fees: 'service-fees',
    suspense: 'suspense',
  },
  'top-up': {
    hold: 'airtime-hold',
    payer: 'airtime',
    partner: 'airtime',
    clearing: 'airtime-clearing',
    fees: 'service-fees',
    suspense: 'suspense',
  },
};

const accountOrder = ['hold', 'payer', 'partner', 'clearing', 'fees', 'suspense'] as const;

/** The target balances of the ledger's accounts for an order, by their kinds. */
function goalOf({ kind }: Pick<LockedOrder, 'kind'>, entries: Entries): Map<AccountKind, Money> {
  const names = accountsOf[kind];
  const goal = new Map<AccountKind, Money>();
  for (const account of accountOrder)
    goal.set(names[account], (goal.get(names[account]) ?? 0n) + (entries[account] ?? 0n));
  return goal;
}

/** The first end of a hold has steps of its own; every later change is a numbered one. */
const steps: Readonly<Record<string, string>> = {
  'gift-hold mobile-money-clearing': 'post-payment',
  'gift-hold service-fees': 'post-service-fee',
  'gift-hold reserved': 'void',
  'airtime-hold airtime-clearing': 'post',
  'airtime-hold airtime': 'void',
};

const ADJUST = 'adjust-';

/** Books what is missing between what an order has moved and what it is to move. */
export async function moveMoney(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
): Promise<void> {
  const goal = goalOf(before, target(after));
  const { booked, adjustments } = isUntouched(before)
    ? { booked: goalOf(before, target(before.position)), adjustments: 0 }
    : await readBooked(transaction, before);
  let number = adjustments;
  const transfers = transfersTo(goal, booked).map(({ debit, credit, amount }): Transfer => {
    const step = steps[`${debit} ${credit}`];
    if (step === undefined) number += 1;
    return {
      operationId: before.operationId,
      partnerId: before.partnerId ?? 0,
      step: step ?? `${ADJUST}${number}`,
      debit,
      credit,
      amount,
    };
  });
  await addTransfers(transaction, transfers);
}

/** Whether nothing but the hold was booked of it. */
const isUntouched = ({ position: { order, placements, settlements } }: LockedOrder): boolean =>
  order.state === 'open' &&
  settlements.length === 0 &&
  placements.every(
    ({ done, saidAt, said }) => done === 0n && (saidAt === null || said === 'nothing'),
  );

/** @throws {ArchivedError} where transfers of the order are archived: its step is repeated until they are back */
async function readBooked(
  transaction: DatabaseTransaction,
  { operationId, partnerId, reference }: LockedOrder,
): Promise<{ booked: Map<AccountKind, Money>; adjustments: number }> {
  // Without a partner it is a lost operation, whose transfers are never archived.
  if (partnerId !== null) await requireOperationInLedger(transaction, partnerId, operationId);
  const { rows } = await sql<{ kind: AccountKind; amount: string; adjustments: number }>`
    with moved as (
      select operation_id, step, debit_account_id, credit_account_id, amount from ledger_transfers
      where operation_id in (${operationId}, ${lostOperationId(reference)}))
    select kind, sum(change)::text as amount, (select count(*) from moved
        where operation_id = ${operationId} and step like ${`${ADJUST}%`}) as adjustments
    from (
      select credit_account_id as account_id, amount as change from moved
      union all select debit_account_id, -amount from moved) as entries
    join ledger_accounts on ledger_accounts.id = account_id
    group by kind`.execute(transaction);
  return {
    booked: new Map(rows.map(({ kind, amount }) => [kind, parseMoney(amount)])),
    adjustments: rows[0]?.adjustments ?? 0,
  };
}
