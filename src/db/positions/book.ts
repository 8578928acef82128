import { caseOf, difference, isBlocking, isUnclear } from '../../domain/positions/position.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { followCase } from './cases.ts';
import type { AfterPosition, BookSettings, PositionChange } from './change.ts';
import { moveMoney, moveValue } from './move-money.ts';
import type { LockedOrder } from './orders.ts';
import { writeOrder } from './write-order.ts';
import { writePlacements } from './write-placements.ts';

/**
 * Brings the books to a position: the only writer of placements after they were made, of the state of orders, and of
 * what moves between their accounts. An open order moves nothing. The caller has locked the order.
 */
export async function book(
  transaction: DatabaseTransaction,
  before: LockedOrder,
  after: AfterPosition,
  change: PositionChange,
  settings: BookSettings,
): Promise<LockedOrder> {
  const why = caseOf(after, before.now);
  await writePlacements(transaction, before, after, {
    change,
    settings,
    hasCase: why !== undefined,
  });
  if (after.order.state === 'open') return { ...before, position: after };
  const position = await moveValue(transaction, before, after);
  await moveMoney(transaction, before, position);
  await writeOrder(transaction, before, position, change);
  const order = { ...before, position };
  await followCase(
    transaction,
    order,
    why && {
      why,
      amount: difference(position),
      words: wordsOf(position),
      isBlocking: isBlocking(position, why),
    },
  );
  return order;
}

const wordsOf = ({ placements }: AfterPosition): string | null =>
  placements.find(isUnclear)?.words ?? null;
