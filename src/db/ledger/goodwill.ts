import type { Money } from '../../domain/money.ts';
import { GOODWILL } from '../../domain/statements/statement-labels.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { lockName } from '../lock-name.ts';
import { addTransfers, isNamed } from './ledger.ts';

/** The ledger's operation of a goodwill credit. */
const operationOf = (reference: string) => `goodwill:${reference}`;

/**
 * Lets goodwill credits be judged one after another, so that two neither spend the same fees nor have the
 * same reference.
 */
export const lockGoodwill = (transaction: DatabaseTransaction): Promise<void> =>
  lockName(transaction, 'goodwill');

/**
 * The reference of the goodwill credit, of whichever partner, that has this one in whichever case: a ticket that
 * two people write differently is one ticket. Undefined where there is none.
 */
export async function findGoodwill(
  transaction: DatabaseTransaction,
  reference: string,
): Promise<string | undefined> {
  const found = await transaction
    .selectFrom('ledger_transfers')
    .select('operation_id')
    .where(isNamed('goodwill', reference))
    .where('step', '=', GOODWILL)
    .executeTakeFirst();
  return found?.operation_id.slice(operationOf('').length);
}

/**
 * Credits a wallet out of the platform's service fees: service-fees → wallet. The ledger refuses to
 * repeat a reference.
 */
export const creditGoodwill = (
  transaction: DatabaseTransaction,
  credit: {
    readonly partnerId: number;
    readonly wallet: 'gift' | 'airtime';
    readonly amount: Money;
    readonly reference: string;
  },
): Promise<void> =>
  addTransfers(transaction, [
    {
      operationId: operationOf(credit.reference),
      partnerId: credit.partnerId,
      step: GOODWILL,
      debit: 'service-fees',
      credit: credit.wallet,
      amount: credit.amount,
    },
  ]);
