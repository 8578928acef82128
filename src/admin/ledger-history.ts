import type { LedgerTransfer } from '../db/ledger/ledger.ts';
import { column, money, numbers, table, time } from './tables.ts';

/** Transfers of the ledger as a table, oldest first. */
export const moneyMoveTable = (moves: readonly LedgerTransfer[]): string =>
  table(moves, [
    column('time (utc)', (move) => time(move.at)),
    column('from', (move) => move.debit),
    column('to', (move) => move.credit),
    numbers('etb', (move) => money(move.amount)),
  ]);
