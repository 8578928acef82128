import type { Money } from '../money.ts';
import type { Placement } from './placement.ts';

/** The possible bearers of a difference: they pay for more than was ordered, or get the amount of less. */
export const bearers = ['payer', 'partner', 'platform', 'provider'] as const;
export type Bearer = (typeof bearers)[number];

/** The order of a partner or merchant, and its present payer. */
export interface Order {
  /** The amount for the provider. */
  readonly price: Money;
  /** Our fee, charged together with the price. */
  readonly fee: Money;
  /** While it is open its money is on hold, and a workflow waits for the provider. */
  readonly state: 'open' | 'decided';
  /** Whether its payer, a voucher or a wallet, pays for it. */
  readonly isCharged: boolean;
  /** Where the money is while it is not charged: the partner gets it where the voucher has ended. */
  readonly creditedTo: 'payer' | 'partner';
}

/**
 * The amount that somebody bears for good instead of the payer: positive where it pays, negative
 * where it gets.
 */
export interface Settlement {
  readonly by: 'partner' | 'platform';
  readonly amount: Money;
}

/** An order with what all providers did of it, and who bears the difference. */
export interface Position<Row extends Placement = Placement> {
  readonly order: Order;
  readonly placements: readonly Row[];
  readonly settlements: readonly Settlement[];
}

const sum = (amounts: readonly Money[]): Money => amounts.reduce((one, other) => one + other, 0n);

/**
 * What the providers did in the end: below zero where they took back more than they had done. A reversed amount counts
 * where its payment stands: some providers say of the payment itself that it is undone.
 */
export function netDone({ placements }: Pick<Position, 'placements'>): Money {
  return sum(placements.map((placement) => netOf(placement, placements)));
}

/** The providers that did something in the end. */
export const doersOf = ({ placements }: Pick<Position, 'placements'>): readonly string[] => [
  ...new Set(
    placements.filter((one) => netOf(one, placements) > 0n).map(({ provider }) => provider),
  ),
];

function netOf(placement: Placement, placements: readonly Placement[]): Money {
  if (placement.kind === 'reversal') return 0n;
  const reversals = placements.filter(isReversalAt(placement.provider));
  const isUnderWay = reversals.some(({ said }) => said === 'none' || said === 'pending');
  // The effect of a reversal counts when the reversal has ended.
  if (isUnderWay && placement.said === 'undone') return placement.ordered;
  const taken = takenBackBy(reversals);
  if (placement.done > 0n) return placement.done - taken;
  // The reversal has undone the payment, and does not count twice. Only a surplus is missing at the receiver.
  return taken > placement.ordered ? placement.ordered - taken : 0n;
}

const isReversalAt =
  (provider: string) =>
  (one: Placement): boolean =>
    one.kind === 'reversal' && one.provider === provider;

/**
 * What reversals took back. A statement may have told of a reversal before its own answer came: it is placed twice then,
 * under one reference of the provider.
 */
function takenBackBy(reversals: readonly Placement[]): Money {
  const taken = new Map<string | symbol, Money>();
  for (const one of reversals) {
    const name = one.providerReference || Symbol();
    if (one.done >= (taken.get(name) ?? 0n)) taken.set(name, one.done);
  }
  return sum([...taken.values()]);
}

/** Whether a hold can end, and how: some provider did the order, or each one certainly did not. */
export function decide({ placements }: Pick<Position, 'placements'>): 'open' | 'done' | 'not-done' {
  const orders = placements.filter(({ kind }) => kind !== 'reversal');
  if (orders.some(({ done }) => done > 0n)) return 'done';
  const isOver = ({ said }: Placement) => said === 'nothing' || said === 'undone';
  return orders.every(isOver) ? 'not-done' : 'open';
}

/** The amount in suspense: what providers did, less what the payer pays, less what others bear. */
export function difference(position: Position): Money {
  const { order, settlements } = position;
  if (order.state === 'open') return 0n;
  return (
    netDone(position) -
    (order.isCharged ? order.price : 0n) -
    sum(settlements.map(({ amount }) => amount))
  );
}

/** How what providers did differs from what is paid for. */
export type Difference = 'late' | 'twice' | 'amount' | 'taken-back' | 'lost';

/** The kind of what stands in suspense; null where nothing does. */
export function differenceOf(position: Position): Difference | null {
  const { order, placements } = position;
  const open = difference(position);
  if (open === 0n) return null;
  const done = netDone(position);
  // A surplus that was taken back is owed to the receiver, as a missing part is.
  const isOwed = done < 0n ? open === done : done > 0n && -open < order.price;
  if (open < 0n) return isOwed ? 'amount' : 'taken-back';
  // Only an order that a restore lost has no price.
  if (order.price === 0n) return 'lost';
  if (placements.filter((one) => netOf(one, placements) > 0n).length > 1) return 'twice';
  // The rest of a payment whose reversal took back a part of it was not made late.
  const isRest = placements.some((one) => one.kind === 'reversal' && one.done > 0n);
  return open === done && !isRest ? 'late' : 'amount';
}

/** The accounts that an order moves money between. */
export type PositionAccount = 'payer' | 'hold' | 'partner' | 'clearing' | 'fees' | 'suspense';

/** Credits minus debits of an order, by account; an account that is absent has nothing. */
export type Entries = Readonly<Partial<Record<PositionAccount, Money>>>;

/** The sum that a party bears: positive where it paid, negative where it got. */
export const sumBorneBy = (
  { settlements }: Pick<Position, 'settlements'>,
  party: Settlement['by'],
): Money => sum(settlements.filter(({ by }) => by === party).map(({ amount }) => amount));

/** The target balances of an order. The sum is zero. */
export function target(position: Position): Entries {
  const { order } = position;
  const whole = order.price + order.fee;
  if (order.state === 'open') return { payer: -whole, hold: whole };
  const isWithPartner = !order.isCharged && order.creditedTo === 'partner';
  return {
    payer: order.isCharged || isWithPartner ? -whole : 0n,
    partner: (isWithPartner ? whole : 0n) - sumBorneBy(position, 'partner'),
    clearing: netDone(position),
    fees: (order.isCharged ? order.fee : 0n) - sumBorneBy(position, 'platform'),
    suspense: -difference(position),
  };
}

/**
 * The target balances of an order that ends as it was ordered: one provider did all of it, or none did anything. The
 * hold goes there first, and what providers did otherwise is a further change.
 */
export function targetAsOrdered({ isCharged, price, fee }: Order): Entries {
  return isCharged ? { payer: -(price + fee), clearing: price, fees: fee } : {};
}

export interface NamedTransfer<Account extends string> {
  readonly debit: Account;
  readonly credit: Account;
  readonly amount: Money;
}

/** The transfers that lead from what is booked to the goal, the accounts matched in the order of the goal. */
export function transfersTo<Account extends string>(
  goal: ReadonlyMap<Account, Money>,
  booked: ReadonlyMap<Account, Money>,
): NamedTransfer<Account>[] {
  const changes = [...new Set([...goal.keys(), ...booked.keys()])].map((account) => ({
    account,
    left: (goal.get(account) ?? 0n) - (booked.get(account) ?? 0n),
  }));
  const moved: NamedTransfer<Account>[] = [];
  for (const debit of changes)
    for (const credit of changes) {
      const amount = -debit.left < credit.left ? -debit.left : credit.left;
      if (amount <= 0n) continue;
      moved.push({ debit: debit.account, credit: credit.account, amount });
      debit.left += amount;
      credit.left -= amount;
    }
  return moved;
}

/** Ends a hold that can be ended. */
export function endHold<Row extends Placement>(position: Position<Row>): Position<Row> {
  const end = position.order.state === 'open' ? decide(position) : 'open';
  if (end === 'open') return position;
  return { ...position, order: { ...position.order, state: 'decided', isCharged: end === 'done' } };
}

/**
 * Lets somebody bear what is in suspense, and clears what the providers said. A callback that came a moment ago is not
 * cleared: the person may not have seen it. `payer`: the voucher or the wallet pays
 * the whole order, or gets it back; a rest is the partner's. `provider`: a person says that the provider has put it
 * right, and its later answers count again.
 */
export function settle<Row extends Placement>(
  position: Position<Row>,
  by: Bearer,
  now: number,
): Position<Row> {
  const { order, settlements } = position;
  const cleared = {
    ...position,
    placements: position.placements.map((one) => ({
      ...one,
      cleared: one.message,
      doubtedAt: isUnexplained(one, now) ? null : one.doubtedAt,
    })),
  };
  const open = difference(position);
  if (open === 0n) return cleared;
  if (by === 'provider') return { ...cleared, placements: putRight(cleared, now) };
  if (by !== 'payer') return { ...cleared, settlements: [...settlements, { by, amount: open }] };
  const isPaidNow = mayCharge(position);
  const isPaidBack = mayCredit(position);
  return settle(
    isPaidNow || isPaidBack ? { ...cleared, order: { ...order, isCharged: isPaidNow } } : cleared,
    'partner',
    now,
  );
}

/** Whether the payer can be charged for what stands in suspense. */
export const mayCharge = (position: Position): boolean =>
  position.order.price > 0n &&
  !position.order.isCharged &&
  difference(position) >= position.order.price;

/** Whether what stands in suspense can go back to the payer. */
export const mayCredit = (position: Position): boolean =>
  position.order.price > 0n &&
  position.order.isCharged &&
  difference(position) <= -position.order.price;

/**
 * Whether a provider can have put right what stands in suspense. It cannot where it stands there only because somebody
 * got a surplus that the provider did not take back in the end.
 */
export const mayPutRight = (position: Position): boolean =>
  sum(suspenseOf(position)) === difference(position);

/**
 * A decision of a person about the providers: they have given back the surplus, or done the missing
 * part. A part that was taken back before stays so, because somebody bears it.
 */
const putRight = <Row extends Placement>(position: Position<Row>, now: number): readonly Row[] => {
  const { placements } = position;
  const shares = suspenseOf(position);
  const withDone = (one: Row, done: Money): Row => ({
    ...one,
    done,
    said: done > 0n ? 'done' : 'undone',
    saidAt: now,
    silentSince: null,
  });
  /** The missing amount, by provider. */
  const missing = new Map<string, Money>();
  for (const [index, { provider }] of placements.entries())
    missing.set(provider, (missing.get(provider) ?? 0n) + larger(-(shares[index] ?? 0n), 0n));
  const again = placements
    .toReversed()
    .map((one) => {
      if (one.kind !== 'reversal') return one;
      const lacking = missing.get(one.provider) ?? 0n;
      const repaid = one.done < lacking ? one.done : lacking;
      missing.set(one.provider, lacking - repaid);
      return repaid === 0n ? one : withDone(one, one.done - repaid);
    })
    .toReversed();
  return again.map((one, index) => {
    const share = shares[index] ?? 0n;
    if (share === 0n) return one;
    const takenBack = takenBackBy(again.filter(isReversalAt(one.provider)));
    return withDone(one, (share < 0n ? netOf(one, placements) + takenBack : one.done) - share);
  });
};

/**
 * The share of each placement in the difference: positive where it did too much, negative where it did too little.
 * The service goes to another provider only after a refusal. So a later placement keeps the amount that is paid for,
 * and an earlier one is the surplus. A surplus that was taken back belongs to its payment. Another missing amount belongs to the
 * placement that was last done or undone.
 */
export function suspenseOf(position: Position): readonly Money[] {
  const { placements } = position;
  const nets = placements.map((one) => netOf(one, placements));
  const paid = sum(nets) - difference(position);
  // The latest placements keep the amount that is paid for, and a surplus that somebody got.
  let [kept, got] = paid < 0n ? [0n, paid] : [paid, 0n];
  const latestFirst = nets.toReversed().map((net) => {
    const own = net < 0n ? larger(net, got) : -larger(-net, -kept);
    if (net < 0n) got -= own;
    else kept -= own;
    return net - own;
  });
  const shares = latestFirst.toReversed();
  const isAny = ({ kind }: Placement) => kind !== 'reversal';
  const isChanged = (one: Placement) =>
    isAny(one) && (one.said === 'done' || one.said === 'undone');
  const changed = placements.findLastIndex(isChanged);
  const missing = changed >= 0 ? changed : placements.findLastIndex(isAny);
  return shares.map((share, index) => (index === missing ? share - kept : share));
}

const larger = (one: Money, other: Money): Money => (one > other ? one : other);

/** Days that news of a provider may stay unexplained before a person is asked. */
export const PATIENCE_MS = 3 * 24 * 60 * 60 * 1_000;

/** Whether a person must look at the message of a provider, which cannot be booked. */
export const isUnclear = ({ said, message, cleared }: Placement): boolean =>
  said === 'other' && message !== cleared;

/** Why an order needs a person; undefined where it needs none. */
export type PositionCase = 'difference' | 'unclear' | 'silence';

export function caseOf(position: Position, now: number): PositionCase | undefined {
  if (position.order.state === 'open') return undefined;
  if (difference(position) !== 0n) return 'difference';
  if (position.placements.some(isUnclear)) return 'unclear';
  return position.placements.some((one) => isUnexplained(one, now)) ? 'silence' : undefined;
}

/** Whether a person must ask the provider about its news. */
const isUnexplained = ({ doubtedAt }: Placement, now: number): boolean =>
  doubtedAt !== null && now - doubtedAt >= PATIENCE_MS;

/** Whether paying the voucher, or repeating the top-up, could pay for the same thing twice. */
export const isBlocking = (position: Position, why: PositionCase | undefined): boolean =>
  why !== undefined && !position.order.isCharged;
