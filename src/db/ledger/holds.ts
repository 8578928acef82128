import { type RawBuilder, sql } from 'kysely';
import type { Money } from '../../domain/money.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { addTransfers, type Transfer } from './ledger.ts';

/** A hold of an operation on an account of a partner. Its end has the same amount. */
export interface Hold {
  readonly operationId: string;
  readonly partnerId: number;
  readonly amount: Money;
}

/** SQL expression: what an operation held, whatever its attempts after it cost. */
export const heldAmount = (operationId: RawBuilder<unknown>) => sql<string>`(
  select amount from ledger_transfers as hold
  where hold.operation_id = ${operationId} and hold.step = 'hold')`;

/**
 * Holds the money of a top-up: airtime → airtime-hold (design 4).
 *
 * @throws a violation of `balanceConstraint` when the wallet does not cover it
 */
export const holdAirtime = (transaction: DatabaseTransaction, hold: Hold): Promise<void> =>
  addTransfers(transaction, [{ ...hold, step: 'hold', debit: 'airtime', credit: 'airtime-hold' }]);

/**
 * Holds the money of a redemption: reserved → gift-hold (design 4).
 *
 * @throws a violation of `balanceConstraint` when the reserve of the vouchers does not cover it
 */
export const holdReserve = (transaction: DatabaseTransaction, hold: Hold): Promise<void> =>
  addTransfers(transaction, [{ ...hold, step: 'hold', debit: 'reserved', credit: 'gift-hold' }]);

/** Returns what remains of vouchers that expired or were cancelled: reserved → gift. */
export const returnReserve = (
  transaction: DatabaseTransaction,
  returned: readonly Hold[],
): Promise<void> =>
  addTransfers(
    transaction,
    returned.map(
      (hold): Transfer => ({ ...hold, step: 'return', debit: 'reserved', credit: 'gift' }),
    ),
  );
