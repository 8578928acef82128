import type { Money } from '../../domain/money.js';
import { GOODWILL } from '../../domain/statements/statement-labels.js';
import type { DatabaseTransaction } from '../connection.js';
import { addTransfers, lockOperationName } from './ledger.js';

/** The ledger's operation of a goodwill credit. */
const operationOf = (reference: string) => `goodwill:${reference}`;

/**
 * Lets goodwill credits be judged one after another, so that two neither spend the same fees nor have the
 * same reference.
 */
export const lockGoodwill = (transaction: DatabaseTransaction): Promise<void> =>
  lockOperationName(transaction, 'goodwill');

/** Whether a goodwill credit has this reference, of whichever partner. */
export async function hasGoodwill(
  transaction: DatabaseTransaction,
  reference: string,
): Promise<boolean> {
  const found = await transaction
    .selectFrom('ledger_transfers')
    .select('id')
    .where('operation_id', '=', operationOf(reference))
    .where('step', '=', GOODWILL)
    .executeTakeFirst();
  return found !== undefined;
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
