import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import {
  type Entries,
  type NamedTransfer,
  type PositionAccount,
  target,
  targetAsOrdered,
  transfersTo,
} from '../../domain/positions/position.ts';
import { allRows, type DatabaseTransaction } from '../connection.ts';
import { addTransfers, type Transfer } from '../ledger/ledger.ts';
import { ArchivedError, archivedDayOf } from '../ledger/read-archives.ts';
import { releaseVoucher } from '../vouchers/claims.ts';
import { chargeVoucher, growVoucher } from '../vouchers/redemptions.ts';
import { lockVoucher } from '../vouchers/vouchers.ts';
import type { AfterPosition } from './change.ts';
import { type LockedOrder, lostOperationId } from './orders.ts';

/** Ends the hold of a payment on its voucher. */
export async function releaseValue(
  transaction: DatabaseTransaction,
  { voucherId }: LockedOrder,
  { order }: AfterPosition,
): Promise<void> {
  if (voucherId !== null && order.price !== 0n)
    await releaseVoucher(transaction, voucherId, order.isCharged ? 'spent' : 'returned');
}

/** Moves the value between a voucher and its payment after the end of the hold; returns where the value is now. */
export async function moveValue(
  transaction: DatabaseTransaction,
  { voucherId, position: { order: before } }: LockedOrder,
  after: AfterPosition,
): Promise<AfterPosition> {
  const { order } = after;
  if (voucherId === null || order.price === 0n || before.isCharged === order.isCharged)
    return after;
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

/** The sums of several entries, by account. */
function addedUp(...parts: Iterable<readonly [AccountKind, Money]>[]): Map<AccountKind, Money> {
  const sums = new Map<AccountKind, Money>();
  for (const part of parts)
    for (const [account, amount] of part) sums.set(account, (sums.get(account) ?? 0n) + amount);
  return sums;
}

/** The target balances of the ledger's accounts for an order, by their kinds. */
const goalOf = ({ kind }: Pick<LockedOrder, 'kind'>, entries: Entries): Map<AccountKind, Money> =>
  addedUp(
    accountOrder.map((account) => [accountsOf[kind][account], entries[account] ?? 0n] as const),
  );

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
  const transfers =
    before.position.order.state === 'open'
      ? await endOfHold(transaction, before, after)
      : await laterChange(transaction, before, after);
  await addTransfers(transaction, transfers);
}

type Move = NamedTransfer<AccountKind>;

/**
 * The hold ends as the order was: payments, top-ups and fees in the ledger are those of the records. A difference
 * of the providers is a change after that. The bookings of a lost order are taken back, because the order has them now.
 */
async function endOfHold(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
): Promise<Transfer[]> {
  const held = goalOf(before, target(before.position));
  const asOrdered = goalOf(before, targetAsOrdered(after.order));
  const lost = isUntouched(before) ? nothing : await readLost(transaction, before);
  const { clearing, suspense } = accountsOf[before.kind];
  const lostDone = lost.booked.get(clearing) ?? 0n;
  const takenBack: Move[] =
    lostDone > 0n ? [{ debit: clearing, credit: suspense, amount: lostDone }] : [];
  const booked = addedUp(asOrdered, lost.booked, [
    [clearing, -lostDone],
    [suspense, lostDone],
  ]);
  const moves = [
    ...transfersTo(asOrdered, held),
    ...transfersTo(goalOf(before, target(after)), booked),
  ];
  return [
    ...named({ ...before, operationId: lostOperationId(before.reference) }, takenBack, lost),
    ...named(before, moves, nothing),
  ];
}

async function laterChange(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
): Promise<Transfer[]> {
  const earlier = await readBooked(transaction, before);
  return named(before, transfersTo(goalOf(before, target(after)), earlier.booked), earlier);
}

/** The movements of an operation as transfers, behind its earlier adjustments. */
function named(
  { operationId, partnerId }: Pick<LockedOrder, 'operationId' | 'partnerId'>,
  moves: readonly Move[],
  { adjustments }: Pick<Booked, 'adjustments'>,
): Transfer[] {
  let number = adjustments;
  return moves.map((move) => {
    const step = steps[`${move.debit} ${move.credit}`];
    if (step === undefined) number += 1;
    return { operationId, partnerId: partnerId ?? 0, step: step ?? `${ADJUST}${number}`, ...move };
  });
}

/** Whether no provider has said anything about an order, so that a restore has lost nothing of it. */
const isUntouched = ({ position: { placements } }: LockedOrder): boolean =>
  placements.every(({ said }) => said === 'none');

/** The sums that operations have moved by the kinds of accounts, and the number of adjustments. */
interface Booked {
  readonly booked: ReadonlyMap<AccountKind, Money>;
  readonly adjustments: number;
}

const nothing: Booked = { booked: new Map(), adjustments: 0 };

interface BookedRow {
  readonly kind: AccountKind | null;
  readonly amount: string;
  readonly adjustments: number;
  readonly archivedDay: string | null;
}

/**
 * Reads the transfers of operations, and the adjustments of one of them, in one statement: transfers that move to or
 * from a file meanwhile are in one place.
 *
 * @throws {ArchivedError} where transfers of the order are archived: its step is repeated until they are back
 */
async function readBookedOf(
  transaction: DatabaseTransaction,
  operationIds: readonly string[],
  own: Pick<LockedOrder, 'operationId' | 'partnerId'>,
): Promise<Booked> {
  const rows = await allRows<BookedRow>(transaction)`
    with moved as (
      select operation_id, step, debit_account_id, credit_account_id, amount from ledger_transfers
      where operation_id = any(${operationIds}::text[])
    ), sums as (
      select kind, sum(change)::text as amount
      from (
        select credit_account_id as account_id, amount as change from moved
        union all select debit_account_id, -amount from moved) as entries
      join ledger_accounts on ledger_accounts.id = account_id
      group by kind
    )
    select kind, amount, (select count(*) from moved
        where operation_id = ${own.operationId} and step like ${`${ADJUST}%`}) as adjustments,
      ${archivedDayOf(own)} as "archivedDay"
    from (values (1)) as one left join sums on true`;
  const archivedDay = rows[0]?.archivedDay ?? null;
  if (archivedDay !== null) throw new ArchivedError({ day: archivedDay });
  const sums = rows.flatMap(({ kind, amount }) =>
    kind === null ? [] : [[kind, parseMoney(amount)] as const],
  );
  return { booked: new Map(sums), adjustments: rows[0]?.adjustments ?? 0 };
}

const readBooked = (transaction: DatabaseTransaction, order: LockedOrder): Promise<Booked> =>
  readBookedOf(transaction, [order.operationId, lostOperationId(order.reference)], order);

/** The sums of what a restore lost of an order. They are never archived. */
const readLost = (
  transaction: DatabaseTransaction,
  { reference }: LockedOrder,
): Promise<Booked> => {
  const operationId = lostOperationId(reference);
  return readBookedOf(transaction, [operationId], { operationId, partnerId: null });
};
