import { type SuspenseCase, type SuspenseParty, subjectOf } from '../db/ledger/suspense.ts';
import { column, money, numbers, table, time } from './tables.ts';

type Row = SuspenseCase & { readonly settledBy: SuspenseParty | null };

/** The operations in suspense, open or settled, as a table. */
export const suspenseTable = (rows: readonly Row[]): string =>
  table(rows, [
    column('found (utc)', (row) => time(row.foundAt)),
    column('what', subjectOf),
    numbers('partner', (row) => row.partnerId),
    numbers('etb', (row) => money(row.amount)),
    column('our reference', (row) => row.reference),
    column('done by, too', (row) => row.doneBeside),
    column('settled by', (row) => row.settledBy),
    column('settled (utc)', (row) => row.settledAt && time(row.settledAt)),
  ]);
