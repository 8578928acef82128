import { sql } from 'kysely';
import { formatMoney, type Money } from '../../domain/money.ts';
import { whyNoPayer } from '../../domain/positions/case-texts.ts';
import { hasChanged } from '../../domain/positions/placement.ts';
import {
  type Bearer,
  caseOf,
  difference,
  differenceOf,
  endHold,
  isBlocking,
  isUnclear,
  mayPutRight,
  settle,
} from '../../domain/positions/position.ts';
import type { Ending } from '../../domain/providers.ts';
import {
  type Database,
  type DatabaseTransaction,
  firstValue,
  sendTogether,
} from '../connection.ts';
import { type Case, closeCase, openOrCloseCase } from './cases.ts';
import {
  type AfterPosition,
  type BookSettings,
  type FirstAnswer,
  observed,
  type PositionChange,
  writeOrder,
} from './change.ts';
import { moveMoney, moveValue, releaseValue } from './move-money.ts';
import { currentOf, type LockedOrder, lockOrder } from './orders.ts';
import { writePlacements } from './placements.ts';

/**
 * Brings the books to a position. It is the only writer of placements after they were made, of the
 * state of orders, and of movements between their accounts. An open order moves nothing. The caller
 * has locked the order.
 */
export async function book(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
  change: PositionChange,
  settings: BookSettings,
): Promise<LockedOrder> {
  const why = caseOf(after, before.now);
  const placed = { change, settings, hasCase: why !== undefined };
  if (after.order.state === 'open' || (why === undefined && confirms(before, after, change))) {
    await writePlacements(transaction, before, after, placed);
    return { ...before, position: after };
  }
  const isHeld = before.position.order.state === 'open';
  const position = isHeld ? after : await moveValue(transaction, before, after);
  await sendTogether(transaction, (together) => [
    isHeld && releaseValue(together, before, after),
    writePlacements(together, before, after, placed),
    moveMoney(together, before, position),
    writeOrder(together, before, position, change),
  ]);
  const order = { ...before, position };
  await openOrCloseCase(
    transaction,
    order,
    why && {
      why,
      difference: differenceOf(position),
      amount: formatMoney(difference(position)),
      message: messageOf(position),
      is_blocking: isBlocking(position, why),
    },
  );
  return order;
}

/** Whether an answer only confirms the books, as nearly all answers after the end of an order do. */
const confirms = (
  { cases, position: { order, placements } }: LockedOrder,
  after: AfterPosition,
  { source }: PositionChange,
): boolean =>
  source === 'inquiry' &&
  order === after.order &&
  cases.length === 0 &&
  after.placements.every((one, index) => !hasChanged(placements[index] ?? one, one));

const messageOf = ({ placements }: AfterPosition): string | null =>
  placements.find(isUnclear)?.message ?? null;

/** How a case is settled. */
interface SettlementChoice {
  /** Null where nothing is in suspense: the provider's message is cleared. */
  readonly by: Bearer | null;
  /** The partner that pays or gets an amount that a restore lost: our books do not know it. */
  readonly partnerId: number | null;
  readonly actor: string;
  readonly note: string;
}

/** Why a case cannot be settled so; undefined where it can. */
export function refuseSettlement(
  found: Pick<Case, 'why' | 'subjectKind' | 'closedAt' | 'voucherId'>,
  order: LockedOrder | undefined,
  by: Bearer | null,
  isPayable: boolean,
): string | undefined {
  if (found.closedAt !== null) return 'The case is closed: nothing is left to settle.';
  if (found.why === 'unread') return 'It ends when the day is compared: use "money reconcile".';
  if (found.why === 'unbooked')
    return 'It ends when the answer is booked: remove the cause in the database.';
  if (order === undefined)
    return found.subjectKind === 'order'
      ? 'Its request was repeated: the case ends with that payment or top-up.'
      : undefined;
  const open = difference(order.position);
  if (open === 0n) return undefined;
  if (by === null) return 'An amount is in suspense: say who bears it.';
  if (by === 'provider' && !mayPutRight(order.position))
    return 'The provider has not done this amount. Choose another bearer.';
  const why = by === 'payer' ? whyNoPayer({ ...order, isPayable }) : undefined;
  return why && `${why} Choose another bearer.`;
}

/**
 * Settles a case of an order, in the transaction of the caller. It books the amount that the bearer
 * pays or gets. Later answers of the provider are booked again. Returns what was in suspense.
 *
 * @throws a violation of `balanceConstraint` when a wallet does not cover it
 */
export async function settleOrder(
  transaction: DatabaseTransaction,
  found: Case,
  { by, partnerId, actor, note }: SettlementChoice,
  settings: BookSettings,
): Promise<Money> {
  const locked = await lockOrder(transaction, found.subject);
  const order = { ...locked, partnerId: locked.partnerId ?? partnerId };
  const open = difference(order.position);
  // The payer of a top-up is the wallet of its partner.
  const bearer =
    by === 'partner' && order.kind === 'top-up' && !order.isLost ? 'payer' : (by ?? 'provider');
  const settled = settle(order.position, bearer, order.now);
  const added = settled.settlements.slice(order.position.settlements.length);
  for (const { by: party, amount } of added)
    await sql`
      insert into settlements (operation_id, party, partner_id, amount, actor, note)
      values (${order.operationId}, ${party}, ${party === 'partner' ? order.partnerId : null}::bigint,
        ${formatMoney(amount)}::numeric, ${actor}, ${note})`.execute(transaction);
  await book(transaction, order, settled, { source: 'person' }, settings);
  if (caseOf(settled, order.now) === undefined)
    await closeCase(transaction, found.id, { actor, note, borneBy: open === 0n ? null : by });
  return open;
}

/** Whether the voucher of a payment has its value, and is not claimed. */
export const hasVoucherValue = (database: Database, operationId: string) =>
  firstValue<boolean>(database, false)`
    select vouchers.status = 'ACTIVE' and remaining >= to_merchant + service_fee
    from redemptions join vouchers on vouchers.id = voucher_id
    where redemptions.operation_id = ${operationId}`;

/** The source of the observation that ends an order. */
export const sourceOf = ({ by }: Ending) => (by === 'staff' ? 'person' : 'answer');

/**
 * Ends the hold of an order. The order is done where any provider did it. If another provider has not said so yet, its
 * part is booked when it does.
 */
export async function endOrder(
  transaction: DatabaseTransaction,
  order: LockedOrder,
  ending: Ending,
  settings: BookSettings,
): Promise<LockedOrder> {
  const source = sourceOf(ending);
  const { placements } = order.position;
  const at = ending.kind === 'done' ? ending.at : undefined;
  const placed =
    placements.find(({ kind, provider }) => kind !== 'reversal' && provider === at) ??
    currentOf(placements);
  // Another provider did the order, or a list after a restore shows that; the present provider has not said so.
  const isKnownDone =
    ending.by !== 'staff' &&
    (ending.kind === 'done'
      ? placements.some(
          ({ done, providerReference }) =>
            done > 0n && (providerReference ?? '') === ending.providerReference,
        )
      : placed.done > 0n);
  const told = isKnownDone
    ? order.position
    : observed(order.position, placed.id, {
        at: order.now,
        source,
        ...(ending.kind === 'done'
          ? { said: 'done', providerReference: ending.providerReference }
          : { said: 'nothing', message: ending.message }),
      });
  const decided = endHold(told);
  const after = {
    ...told,
    order: { ...decided.order, state: 'decided' as const },
  };
  return book(
    transaction,
    order,
    after,
    {
      source,
      ending: firstAnswer(order, ending, after.order.isCharged),
      ...(ending.kind === 'done' && ending.reversal !== undefined && { askNow: placed.id }),
    },
    settings,
  );
}

/** The answer that an order keeps. A payment that was made keeps no words. */
function firstAnswer({ kind }: LockedOrder, ending: Ending, isCharged: boolean): FirstAnswer {
  if (ending.kind === 'done') {
    const message = kind === 'top-up' ? (ending.reversal ?? 'Delivered') : null;
    return { message, notDoneBy: null };
  }
  const message = isCharged ? 'Done by a provider that was asked before' : ending.message;
  return { message, notDoneBy: ending.by };
}

/** The reference of the provider that did an order; empty where it gave none. */
export const referenceOf = ({ position: { placements } }: LockedOrder): string =>
  placements.findLast(({ kind, done }) => kind !== 'reversal' && done > 0n)?.providerReference ??
  '';
