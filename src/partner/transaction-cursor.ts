import { z } from 'zod';
import { wallets } from '../db/ledger/statement-lines.ts';
import type { TransactionPosition } from '../db/ledger/wallet-transactions.ts';

/** What a cursor looks like. */
export const CURSOR_PATTERN = `^([1-8][0-9]{15}|[0-9]{1,15})-([0-9]{1,15})-(${wallets.join('|')})$`;
const ERROR = 'must be a cursor, as `next` of an answer';

/** A place among transactions as a text, which callers send as it came. */
export const encodeTransactionCursor = ({ micros, id, wallet }: TransactionPosition): string =>
  `${micros}-${id}-${wallet}`;

/** A cursor of an earlier answer; validation yields the place. */
export const transactionCursor = z
  .string(ERROR)
  .regex(new RegExp(CURSOR_PATTERN), ERROR)
  .transform((text): TransactionPosition => {
    const [micros, id, wallet] = text.split('-');
    return {
      micros: Number(micros),
      id: Number(id),
      wallet: wallet as TransactionPosition['wallet'],
    };
  })
  .meta({ pattern: CURSOR_PATTERN });
