import { sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import type { Database } from '../connection.ts';
import { inSnapshot } from './checkpoints.ts';
import {
  type BookFault,
  type BookSubject,
  brokenAccounts,
  brokenSubjects,
  entriesOf,
} from './invariants.ts';
import { brokenRowCounts } from './row-counts.ts';
import { addUpHoldings, brokenDaySums, brokenHourSums, holdingsIn } from './sums.ts';

const BATCH_SIZE = 5_000;
/** Transfers that are added up in one statement. */
const SUM_BATCH_SIZE = 100_000;
/** Vouchers that are added up together, and again where one of them has changed. */
const BLOCK_SIZE = 2_000;

/** The parts of the whole check, in their order; the accounts are the last. */
const tables = {
  vouchers: 'voucher',
  redemptions: 'redemption',
  placements: 'placement',
  topups: 'top-up',
  ledger_transfers: 'transfer',
} as const satisfies Record<string, BookSubject>;

type CheckedTable = keyof typeof tables;
const checkedTables = Object.keys(tables) as CheckedTable[];

/** Where a whole check has arrived: the rows of a table after an id, or the accounts. */
export type WholeCursor =
  | { readonly table: CheckedTable; readonly after: number }
  | { readonly table: 'accounts' };

export const wholeStart: WholeCursor = { table: 'vouchers', after: 0 };

/** A part of the whole check. */
export interface WholePart {
  readonly faults: readonly BookFault[];
  /** One line per fault of an account. */
  readonly accountFaults: readonly string[];
  /** One line for each list whose number of rows is not the one that is kept. */
  readonly countFaults: readonly string[];
  /** Null at the end. */
  readonly next: WholeCursor | null;
}

type SumFaults = Pick<WholePart, 'accountFaults' | 'countFaults'>;

/** Of a part that adds nothing up. */
const noSums: SumFaults = { accountFaults: [], countFaults: [] };

/** All faults of a part, a line each. */
export const linesOf = ({ faults, accountFaults, countFaults }: WholePart): string[] => [
  ...accountFaults,
  ...countFaults,
  ...faults.map(({ line }) => line),
];

interface Options {
  readonly batchSize?: number;
  /** Told how far it is, after each batch. */
  readonly note?: (progress: string) => void;
}

/**
 * Checks the next part of all books, until `endsAt` or the end of a table. Each batch has a short
 * snapshot of its own, so it runs during live traffic; it only reads, so a replica will do.
 */
export async function checkWholePart(
  database: Database,
  cursor: WholeCursor,
  { endsAt = Number.POSITIVE_INFINITY, ...options }: Options & { readonly endsAt?: number } = {},
): Promise<WholePart> {
  if (cursor.table === 'accounts')
    return { faults: [], ...(await checkAccounts(database, options)), next: null };
  const { table } = cursor;
  const { batchSize = BATCH_SIZE, note = () => {} } = options;
  const newest = await newestId(database, table);
  const faults: BookFault[] = [];
  for (let { after } = cursor; ; ) {
    const last = await endOfBatch(database, table, { after, batchSize });
    if (last === null) return { faults, ...noSums, next: partAfter(table) };
    const ids = sql`between ${after + 1} and ${last}`;
    faults.push(
      ...(await inSnapshot(database, (snapshot) =>
        brokenSubjects(snapshot, { [tables[table]]: ids }),
      )),
    );
    after = last;
    note(`${table} ${last} of ${newest}`);
    if (Date.now() > endsAt) return { faults, ...noSums, next: { table, after } };
  }
}

/** Checks all books; returns one line per fault. */
export async function checkWholeBooks(
  database: Database,
  options: Options = {},
): Promise<string[]> {
  const faults: string[] = [];
  for (let cursor: WholeCursor | null = wholeStart; cursor; ) {
    const part: WholePart = await checkWholePart(database, cursor, options);
    faults.push(...linesOf(part));
    cursor = part.next;
  }
  return faults;
}

function partAfter(table: CheckedTable): WholeCursor {
  const next = checkedTables[checkedTables.indexOf(table) + 1];
  return next === undefined ? { table: 'accounts' } : { table: next, after: 0 };
}

async function newestId(database: Database, table: CheckedTable): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from ${sql.table(table)}`.execute(database);
  return rows[0]?.id ?? 0;
}

/** The last id of the next batch; null after the last row. */
async function endOfBatch(
  database: Database,
  table: CheckedTable,
  { after, batchSize }: { readonly after: number; readonly batchSize: number },
): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select max(id) as last from (
      select id from ${sql.table(table)} where id > ${after} order by id limit ${batchSize}) as batch
  `.execute(database);
  return rows[0]?.last ?? null;
}

/**
 * Adds up the transfers in batches, as far as the checkpoint says that none is to come before it, and what
 * the vouchers hold. It compares the balances with both in one snapshot, which reads the rest and what has
 * changed meanwhile.
 */
async function checkAccounts(
  database: Database,
  { batchSize = SUM_BATCH_SIZE, note = () => {} }: Options,
): Promise<SumFaults> {
  const { checked_to: settledTo } = await database
    .selectFrom('book_checkpoints')
    .select('checked_to')
    .where('source', '=', 'sums')
    .executeTakeFirstOrThrow();
  const sums = new Map<number, Money>();
  for (let from = 0; from < settledTo; from += batchSize) {
    const to = Math.min(from + batchSize, settledTo);
    const { rows } = await sql<{ account_id: number; amount: string }>`
      ${entriesOf(sql`between ${from + 1} and ${to}`)}`.execute(database);
    for (const { account_id: id, amount } of rows)
      sums.set(id, (sums.get(id) ?? 0n) + parseMoney(amount));
    note(`sums of accounts, transfer ${to} of ${settledTo}`);
  }
  const holdings = await addUpHoldings(database, Math.min(batchSize, BLOCK_SIZE), note);
  const countFaults = await brokenRowCounts(database, { batchSize, note });
  note('balances');
  const accounts = [...sums];
  const accountFaults = await inSnapshot(database, async (snapshot) => [
    ...(await brokenAccounts(snapshot, {
      entries: sql`
        select account_id, amount from unnest(${accounts.map(([id]) => id)}::bigint[],
          ${accounts.map(([, amount]) => formatMoney(amount))}::numeric[]) as sums (account_id, amount)
        union all ${entriesOf(sql`> ${settledTo}`)}`,
      holdings: await holdingsIn(snapshot, holdings),
    })),
    ...(await brokenDaySums(snapshot)),
    ...(await brokenHourSums(snapshot)),
  ]);
  return { accountFaults, countFaults };
}
