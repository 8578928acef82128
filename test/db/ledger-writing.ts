import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/db/connection.ts';
import { addTransfers, type Transfer } from '../../src/db/ledger/ledger.ts';
import { parseMoney } from '../../src/domain/money.ts';

export const PARTNER_KINDS = ['airtime', 'gift', 'reserved', 'gift-hold', 'airtime-hold'] as const;
export const PLATFORM_KINDS = [
  'funding',
  'service-fees',
  'mobile-money-clearing',
  'airtime-clearing',
  'suspense',
] as const;

/** A transfer of a partner; by default 100 from the platform's funding to its gift wallet. */
export const transferOf = (partnerId: number, options: Partial<Transfer> = {}): Transfer => ({
  operationId: randomUUID(),
  partnerId,
  step: 'move',
  debit: 'funding',
  credit: 'gift',
  amount: parseMoney('100'),
  ...options,
});

/** Adds transfers in a transaction of their own. */
export const write = (database: Database, ...transfers: Transfer[]): Promise<void> =>
  database.transaction().execute((transaction) => addTransfers(transaction, transfers));

/** What a promise was rejected with; undefined where it was not. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
