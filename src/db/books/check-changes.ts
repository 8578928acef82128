import { type Database, inSnapshot, inTurn } from '../connection.ts';
import type { WholePart } from './check-whole.ts';
import {
  type ChangedSubject,
  type CheckedRows,
  checkedRows,
  countChanges,
  idsOf,
  putBack,
  takeChanges,
} from './faults.ts';
import { type BookFault, brokenSubjects } from './invariants.ts';
import {
  type AdvanceOptions,
  addUp,
  advance,
  noteNextEnds,
  type Rollup,
  restart,
} from './rollup.ts';
import { allSums, comparedSums, compareSums } from './sums.ts';

/** Advisory lock of the process that checks what has changed. */
const BOOKS_LOCK = 4_127_061_111;

/** Rows of a source that are checked in one snapshot. */
const BATCH_SIZE = 2_000;

interface ChangesChecked {
  /** One line per fault. */
  readonly faults: readonly string[];
  /** False where the time was up, or the sums are not yet those of all accounts. */
  readonly isComplete: boolean;
}

interface Options extends AdvanceOptions {
  readonly batchSize?: number;
}

/**
 * Checks what has changed in the books since the last check, in batches with a short snapshot each;
 * the cost is in proportion to what is new. Transfers after the settled end are checked now, and
 * once more the next time. A faulty row is looked at by every later check until it is in order.
 *
 * @param database has two connections: one holds a lock meanwhile
 */
export async function checkChangedBooks(
  database: Database,
  options: Options = {},
): Promise<ChangesChecked> {
  return await inTurn(database, BOOKS_LOCK, () => checkInTurn(database, options));
}

/**
 * Makes the following checks look at the faults of the whole check, until they are in order.
 *
 * @param database has two connections: one holds a lock meanwhile
 */
export async function noteWholeFaults(
  database: Database,
  { faults, brokenSums }: Pick<WholePart, 'faults' | 'brokenSums'>,
): Promise<void> {
  await inTurn(database, BOOKS_LOCK, async () => {
    await putBack(database, faults);
    for (const { rollup } of brokenSums) await restart(database, rollup);
  });
}

async function checkInTurn(
  database: Database,
  { batchSize = BATCH_SIZE, ...options }: Options,
): Promise<ChangesChecked> {
  const faults: BookFault[] = [];
  const check = async (transaction: Database, subjects: readonly ChangedSubject[]) => {
    faults.push(...(await brokenAgain(transaction, subjects)));
  };
  const areSumsReady = await addUpAll(database, comparedSums, options);
  const ofSums = areSumsReady
    ? await inSnapshot(database, (snapshot) => compareSums(snapshot))
    : undefined;
  const rows = checkedRows(batchSize);
  const areAllRead =
    (await checkChangedRows(database, { batchSize, ...options }, check)) &&
    (await checkNewRows(database, rows, options, check));
  await noteNextEnds(database, [...rows, ...allSums]);
  await addUpAll(
    database,
    allSums.filter((one) => !comparedSums.includes(one)),
    options,
  );
  return {
    faults: [...new Set([...(ofSums ?? []), ...faults.map(({ line }) => line)])],
    isComplete: areSumsReady && areAllRead,
  };
}

/** Checks rows, and puts those that are faulty back for the next check. */
async function brokenAgain(
  transaction: Database,
  subjects: readonly ChangedSubject[],
): Promise<BookFault[]> {
  const broken = await brokenSubjects(transaction, idsOf(subjects));
  await putBack(transaction, broken);
  return broken;
}

/** Adds what is settled to sums; false where the time was up. */
async function addUpAll(
  database: Database,
  sums: readonly Rollup[],
  options: AdvanceOptions,
): Promise<boolean> {
  for (const one of sums) if (!(await addUp(database, one, options))) return false;
  return true;
}

type Check = (transaction: Database, subjects: readonly ChangedSubject[]) => Promise<void>;

/** Checks the rows that were added; false where the time was up. */
async function checkNewRows(
  database: Database,
  sources: readonly CheckedRows[],
  options: AdvanceOptions,
  check: Check,
): Promise<boolean> {
  for (const source of sources) {
    const isRead = await advance(
      database,
      source,
      { ...options, isUnsettledRead: true },
      async (transaction, span) => check(transaction, await source.read(transaction, span)),
    );
    if (!isRead) return false;
  }
  return true;
}

/** Checks the rows that were changed when it began; false where the time was up. */
async function checkChangedRows(
  database: Database,
  {
    batchSize,
    endsAt = Number.POSITIVE_INFINITY,
  }: Pick<Options, 'endsAt'> & { readonly batchSize: number },
  check: Check,
): Promise<boolean> {
  for (let left = await countChanges(database); left > 0; ) {
    if (Date.now() > endsAt) return false;
    left -= await inSnapshot(database, async (transaction) => {
      const { taken, subjects } = await takeChanges(transaction, batchSize);
      await check(transaction, subjects);
      return Math.max(taken, 1);
    });
  }
  return true;
}
