import type { LedgerTransfer } from '../db/ledger/ledger-history.js';
import { column, money, numbers, table, time } from './tables.js';

/** Transfers of the ledger as a table, oldest first. */
export const moneyMoveTable = (moves: readonly LedgerTransfer[]): string =>
  table(moves, [
    column('time (utc)', (move) => time(move.at)),
    column('from', (move) => move.debit),
    column('to', (move) => move.credit),
    numbers('etb', (move) => money(move.amount)),
  ]);
