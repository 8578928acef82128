import { advance } from '../../domain/positions/position.ts';
import type { NotDoneBy } from '../../domain/providers/not-done-by.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { MissingRowError } from '../missing-row.ts';
import { book } from './book.ts';
import { type BookSettings, observed } from './change.ts';
import { currentOf, type LockedOrder, readLockedOrder } from './orders.ts';

/** How a workflow found an order ended at its present provider. */
export type OrderEnding =
  | {
      readonly isDone: true;
      readonly providerReference: string;
      /** The provider reversed it in the meantime: it is asked again at once. */
      readonly isReversed: boolean;
      /** For people. */
      readonly message?: string;
    }
  | { readonly isDone: false; readonly message: string; readonly notDoneBy: NotDoneBy };

/**
 * Ends the hold of an order whose subject and row are locked. It is done where any provider did it; where another one
 * has not said, what it did is booked when it says so.
 */
export async function endOrder(
  transaction: DatabaseTransaction,
  {
    operationId,
    subject,
  }: { readonly operationId: string; readonly subject: 'payment' | 'top-up' },
  ending: OrderEnding,
  settings: BookSettings,
): Promise<LockedOrder> {
  const order = await readLockedOrder(transaction, operationId, subject);
  if (!order) throw new MissingRowError(`There is no order ${operationId}`);
  const current = currentOf(order);
  // What a provider said that it did, as its list after a restore, is not undone by a sending that came to nothing.
  const isKnownDone = !ending.isDone && ending.notDoneBy !== 'staff' && current.done > 0n;
  const told = isKnownDone
    ? order.position
    : observed(order.position, current.id, {
        at: order.now,
        source: ending.isDone || ending.notDoneBy !== 'staff' ? 'answer' : 'person',
        ...(ending.isDone
          ? { said: 'done', providerReference: ending.providerReference }
          : { said: 'nothing', words: ending.message }),
      });
  const decided = advance(told);
  const after = {
    ...told,
    order: { ...decided.order, state: 'decided' as const },
  };
  return book(
    transaction,
    order,
    after,
    {
      source: 'answer',
      ending: ending.isDone
        ? { message: ending.message ?? null, notDoneBy: null }
        : {
            message: after.order.isCharged
              ? 'Done by a provider that was asked before'
              : ending.message,
            notDoneBy: ending.notDoneBy,
          },
      ...(ending.isDone && ending.isReversed && { askNow: current.id }),
    },
    settings,
  );
}

/** The reference of the provider that did an order; empty where it gave none. */
export const referenceOf = ({ position: { placements } }: LockedOrder): string =>
  placements.findLast(({ done }) => done > 0n)?.providerReference ?? '';
