import type { Money } from '../../domain/money.js';
import { GOODWILL } from '../../domain/statements/statement-labels.js';
import type { DatabaseTransaction } from '../connection.js';
import { addTransfers } from './ledger.js';

/** The ledger's operation of a goodwill credit. */
const operationOf = (reference: string) => `goodwill:${reference}`;

/** Whether a goodwill credit has this reference. */
export const hasGoodwill = async (
  database: DatabaseTransaction,
  reference: string,
): Promise<boolean> =>
  (await database
    .selectFrom('ledger_transfers')
    .select('id')
    .where('operation_id', '=', operationOf(reference))
    .where('step', '=', GOODWILL)
    .executeTakeFirst()) !== undefined;

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
