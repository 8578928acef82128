import type { LedgerTransfer } from '../db/ledger/ledger.ts';
import { column, moneyText, numbers, textTable, timeText } from './tables.ts';

/** Transfers of the ledger as a table, oldest first. */
export const moneyMoveTable = (moves: readonly LedgerTransfer[]): string =>
  textTable(moves, [
    column('time', (move) => timeText(move.at)),
    column('from', (move) => move.debit),
    column('to', (move) => move.credit),
    numbers('etb', (move) => moneyText(move.amount)),
  ]);
