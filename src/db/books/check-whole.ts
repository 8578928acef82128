import { sql } from 'kysely';
import { type Database, inSnapshot } from '../connection.ts';
import { type BookFault, type BookSubject, brokenSubjects } from './invariants.ts';
import { byId, newestId, type Rollup, spansOf, type VerifyOptions } from './rollup.ts';
import { allSums, compareSums } from './sums.ts';

const BATCH_SIZE = 5_000;
/** Rows that are added up in one statement. */
const SUM_BATCH_SIZE = 100_000;

/** The tables whose rows are checked. */
const tables = {
  vouchers: 'voucher',
  redemptions: 'redemption',
  placements: 'placement',
  topups: 'top-up',
  ledger_transfers: 'transfer',
} as const satisfies Record<string, BookSubject>;

type CheckedTable = keyof typeof tables;

/** The parts of the whole check, in their order: the rows of each table, then each of the sums. */
const parts: readonly (CheckedTable | Rollup)[] = [
  ...(Object.keys(tables) as CheckedTable[]),
  ...allSums,
];

/** Where a whole check has arrived: a part, and the last row of it that was checked. */
export interface WholeCursor {
  readonly part: number;
  readonly after: number;
}

export const wholeStart: WholeCursor = { part: 0, after: 0 };

/** A part of the whole check. */
export interface WholePart {
  readonly faults: readonly BookFault[];
  /** Sums that do not agree, each with a line per fault. */
  readonly brokenSums: readonly { readonly rollup: Rollup; readonly lines: readonly string[] }[];
  /** Null at the end. */
  readonly next: WholeCursor | null;
}

/** All faults of a part, a line each. */
export const linesOf = ({ faults, brokenSums }: WholePart): string[] => [
  ...brokenSums.flatMap(({ lines }) => lines),
  ...faults.map(({ line }) => line),
];

type Options = Partial<VerifyOptions>;

/**
 * Checks the next part of all books, until `endsAt` or the end of a table. Each batch has a short
 * snapshot of its own, so it runs during live traffic; it only reads, so a replica will do.
 */
export async function checkWholePart(
  database: Database,
  { part, after }: WholeCursor,
  {
    batchSize,
    note = () => {},
    endsAt = Number.POSITIVE_INFINITY,
  }: Options & { readonly endsAt?: number } = {},
): Promise<WholePart> {
  const checked = parts[part];
  const next = part + 1 < parts.length ? { part: part + 1, after: 0 } : null;
  if (typeof checked === 'object') {
    const lines = await brokenSum(database, checked, {
      batchSize: batchSize ?? SUM_BATCH_SIZE,
      note,
    });
    return { faults: [], brokenSums: lines.length > 0 ? [{ rollup: checked, lines }] : [], next };
  }
  if (checked === undefined) return { faults: [], brokenSums: [], next: null };
  const newest = await newestId(database, checked);
  const faults: BookFault[] = [];
  const batches = spansOf(database, byId(checked, batchSize ?? BATCH_SIZE), { after, to: newest });
  for await (const span of batches) {
    const ids = sql`between ${span.after + 1} and ${span.to}`;
    faults.push(
      ...(await inSnapshot(database, (snapshot) =>
        brokenSubjects(snapshot, { [tables[checked]]: ids }),
      )),
    );
    note(`${checked} ${span.to} of ${newest}`);
    if (Date.now() > endsAt) return { faults, brokenSums: [], next: { part, after: span.to } };
  }
  return { faults, brokenSums: [], next };
}

/** The faults of sums, by the rows and by what is kept. */
async function brokenSum(
  database: Database,
  rollup: Rollup,
  options: VerifyOptions,
): Promise<string[]> {
  const byRows = await rollup.verify(database, options);
  const kept = await inSnapshot(database, (snapshot) => compareSums(snapshot, [rollup]));
  return [...new Set([...byRows, ...(kept ?? [])])];
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
