import { type RawBuilder, sql } from 'kysely';
import type { Money } from '../../domain/money.ts';
import { FEE_REVERSAL, PAYMENT_REVERSAL } from '../../domain/statements/statement-labels.ts';
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

/** Posts a hold of a top-up that the provider has delivered: airtime-hold → airtime-clearing. */
export const postAirtime = (transaction: DatabaseTransaction, hold: Hold): Promise<void> =>
  addTransfers(transaction, [
    { ...hold, step: 'post', debit: 'airtime-hold', credit: 'airtime-clearing' },
  ]);

/** Voids a hold of a top-up that failed: airtime-hold → airtime. */
export const voidAirtime = (transaction: DatabaseTransaction, hold: Hold): Promise<void> =>
  addTransfers(transaction, [{ ...hold, step: 'void', debit: 'airtime-hold', credit: 'airtime' }]);

/**
 * Holds the money of a redemption: reserved → gift-hold (design 4).
 *
 * @throws a violation of `balanceConstraint` when the reserve of the vouchers does not cover it
 */
export const holdReserve = (transaction: DatabaseTransaction, hold: Hold): Promise<void> =>
  addTransfers(transaction, [{ ...hold, step: 'hold', debit: 'reserved', credit: 'gift-hold' }]);

/** The end of a redemption's hold; the hold is the sum of both amounts. */
export interface RedemptionHoldEnd extends Omit<Hold, 'amount'> {
  readonly toMerchant: Money;
  readonly serviceFee: Money;
}

/**
 * Posts a hold of a redemption whose merchant was paid: gift-hold → mobile-money-clearing, and
 * gift-hold → service-fees.
 */
export const postReserve = (
  transaction: DatabaseTransaction,
  { toMerchant, serviceFee, ...hold }: RedemptionHoldEnd,
): Promise<void> =>
  addTransfers(transaction, [
    {
      ...hold,
      step: 'post-payment',
      debit: 'gift-hold',
      credit: 'mobile-money-clearing',
      amount: toMerchant,
    },
    {
      ...hold,
      step: 'post-service-fee',
      debit: 'gift-hold',
      credit: 'service-fees',
      amount: serviceFee,
    },
  ]);

/** Voids a hold of a redemption whose payment was refused: gift-hold → reserved. */
export const voidReserve = (
  transaction: DatabaseTransaction,
  { toMerchant, serviceFee, ...hold }: RedemptionHoldEnd,
): Promise<void> =>
  addTransfers(transaction, [
    {
      ...hold,
      step: 'void',
      debit: 'gift-hold',
      credit: 'reserved',
      amount: toMerchant + serviceFee,
    },
  ]);

/**
 * Books a redemption whose payment the provider took back (design 10): clearing and service fees →
 * reserved, or → gift where the voucher has ended.
 */
export const reverseRedemption = (
  transaction: DatabaseTransaction,
  {
    toMerchant,
    serviceFee,
    creditedTo,
    ...hold
  }: RedemptionHoldEnd & { readonly creditedTo: 'voucher' | 'gift' },
): Promise<void> => {
  const credit = creditedTo === 'voucher' ? 'reserved' : 'gift';
  return addTransfers(transaction, [
    {
      ...hold,
      step: PAYMENT_REVERSAL,
      debit: 'mobile-money-clearing',
      credit,
      amount: toMerchant,
    },
    { ...hold, step: FEE_REVERSAL, debit: 'service-fees', credit, amount: serviceFee },
  ]);
};

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
