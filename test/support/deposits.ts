import type { Database } from '../../src/db/connection.ts';
import { correctDeposit, findDeposit, lockDeposit } from '../../src/db/ledger/deposits.ts';
import type { Money } from '../../src/domain/money.ts';

/** Corrects a deposit as its repair does. */
export const correctedTo = (database: Database, reference: string, amount: Money): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    await lockDeposit(transaction, reference);
    const deposit = await findDeposit(transaction, reference);
    if (!deposit) throw new Error(`There is no deposit ${reference}`);
    await correctDeposit(transaction, deposit, amount);
  });
