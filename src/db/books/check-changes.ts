import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { WholePart } from './check-whole.ts';
import {
  inSnapshot,
  moveCheckpoint,
  noteNextEnds,
  readCheckpoints,
  restartSums,
} from './checkpoints.ts';
import {
  type ChangedSubject,
  checkedSources,
  compareAccounts,
  countChanges,
  idsOf,
  putBack,
  readNewSubjects,
  takeChanges,
} from './faults.ts';
import { type BookFault, brokenSubjects, entriesOf } from './invariants.ts';
import { addRowCounts, restartRowCounts } from './row-counts.ts';
import { addDaySums, addHourSums } from './sums.ts';

/** Advisory lock of the process that checks what has changed. */
const BOOKS_LOCK = 4_127_061_111;

/** Rows of a source that are checked in one snapshot. */
const BATCH_SIZE = 2_000;
/** Transfers that are added up in one statement. */
const SUM_BATCH_SIZE = 50_000;

export interface ChangesChecked {
  /** One line per fault. */
  readonly faults: readonly string[];
  /** False where the time was up, or the sums are not yet those of all accounts. */
  readonly isComplete: boolean;
}

interface Options {
  /** Time after which the rest is left to the next check. */
  readonly endsAt?: number;
  readonly batchSize?: number;
  readonly settleSeconds?: number;
}

type Limits = Required<Pick<Options, 'endsAt' | 'batchSize'>> & Pick<Options, 'settleSeconds'>;

/**
 * Checks what has changed in the books since the last check, in batches with a short snapshot each; the
 * cost is in proportion to what is new. What follows an end that is not settled yet is checked, and
 * checked again the next time. A faulty row is looked at by every later check until it is in order.
 *
 * @param database one connection, which holds a lock meanwhile
 */
export async function checkChangedBooks(
  database: Database,
  { endsAt = Number.POSITIVE_INFINITY, batchSize = BATCH_SIZE, settleSeconds }: Options = {},
): Promise<ChangesChecked> {
  const limits: Limits = {
    endsAt,
    batchSize,
    ...(settleSeconds === undefined ? {} : { settleSeconds }),
  };
  await takeTurn(database);
  try {
    return await checkInTurn(database, limits);
  } finally {
    await sql`select pg_advisory_unlock(${BOOKS_LOCK}::bigint)`.execute(database);
  }
}

/**
 * Makes the following checks look at what the whole check found faulty, until it is in order.
 *
 * @param database one connection, which holds a lock meanwhile
 */
export async function noteWholeFaults(
  database: Database,
  { faults, accountFaults, countFaults }: Omit<WholePart, 'next'>,
): Promise<void> {
  await takeTurn(database);
  try {
    await putBack(database, faults);
    if (accountFaults.length > 0) await restartSums(database);
    if (countFaults.length > 0) await restartRowCounts(database);
  } finally {
    await sql`select pg_advisory_unlock(${BOOKS_LOCK}::bigint)`.execute(database);
  }
}

/** Waits outside of a statement, whose snapshot would be a long one. */
async function takeTurn(database: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ has: boolean }>`
      select pg_try_advisory_lock(${BOOKS_LOCK}::bigint) as has`.execute(database);
    if (rows[0]?.has) return;
    await sleep(200);
  }
}

async function checkInTurn(database: Database, limits: Limits): Promise<ChangesChecked> {
  const faults: BookFault[] = [];
  const areSumsReady = await addUp(database, limits);
  const accounts = areSumsReady ? await inSnapshot(database, compareAccounts) : [];
  const areAllRead =
    (await checkChangedRows(database, limits, faults)) &&
    (await checkNewRows(database, limits, faults));
  await addDaySums(database, limits);
  await noteNextEnds(database);
  // Last: an hour that takes too long must not keep the next check from what it checks.
  await addHourSums(database, limits);
  await addRowCounts(database, limits);
  return {
    faults: [...new Set([...accounts, ...faults.map(({ line }) => line)])],
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

/** Adds what is settled to the sums of accounts and partners; false where the time was up. */
async function addUp(database: Database, { endsAt, settleSeconds }: Limits): Promise<boolean> {
  const { sums, holdings } = await readCheckpoints(database, settleSeconds);
  if (holdings.checkedTo < 0) await addUpHoldings(database, holdings.settledTo);
  else if (holdings.settledTo > holdings.checkedTo)
    await inSnapshot(database, async (transaction) => {
      await sql`
        insert into checked_holdings as holding (partner_id, remaining, held)
        select partner_id, sum(amount), 0 from vouchers
        where id > ${holdings.checkedTo} and id <= ${holdings.settledTo} group by partner_id
        on conflict (partner_id) do update set remaining = holding.remaining + excluded.remaining
      `.execute(transaction);
      await moveCheckpoint(transaction, 'holdings', holdings.settledTo);
    });
  for (let from = sums.checkedTo; from < sums.settledTo; ) {
    if (Date.now() > endsAt) return false;
    const to = Math.min(from + SUM_BATCH_SIZE, sums.settledTo);
    await inSnapshot(database, async (transaction) => {
      await sql`
        insert into checked_balances as checked (account_id, amount)
        select account_id, sum(amount)
        from (${entriesOf(sql`> ${from} and id <= ${to}`)}) as entries group by account_id
        on conflict (account_id) do update set amount = checked.amount + excluded.amount
      `.execute(transaction);
      await moveCheckpoint(transaction, 'sums', to);
    });
    from = to;
  }
  return true;
}

/**
 * Adds up what all vouchers hold, as where they were found to differ. The amounts of those after `settledTo` are added
 * later, as are the changes that are not visible yet; visible ones are in the sums.
 */
const addUpHoldings = (database: Database, settledTo: number): Promise<void> =>
  inSnapshot(database, async (transaction) => {
    await sql`delete from checked_holdings`.execute(transaction);
    await sql`
      insert into checked_holdings (partner_id, remaining, held)
      select partner_id, sum(remaining - case when id > ${settledTo} then amount else 0 end), sum(held)
      from vouchers group by partner_id`.execute(transaction);
    await sql`
      with counted as (delete from unchecked_changes returning subject, id)
      insert into unchecked_changes (subject, id) select distinct subject, id from counted
    `.execute(transaction);
    await moveCheckpoint(transaction, 'holdings', settledTo);
  });

/** Checks the rows that were added; false where the time was up. */
async function checkNewRows(
  database: Database,
  { endsAt, batchSize, settleSeconds }: Limits,
  faults: BookFault[],
): Promise<boolean> {
  const checkpoints = await readCheckpoints(database, settleSeconds);
  for (const source of checkedSources) {
    const { checkedTo, settledTo } = checkpoints[source];
    for (let after: number | null = checkedTo; after !== null; ) {
      if (Date.now() > endsAt) return false;
      const from: number = after;
      after = await inSnapshot(database, async (transaction) => {
        const { last, subjects } = await readNewSubjects(transaction, source, {
          after: from,
          batchSize,
        });
        faults.push(...(await brokenAgain(transaction, subjects)));
        const end = Math.min(last ?? settledTo, settledTo);
        if (end > from) await moveCheckpoint(transaction, source, end);
        return last;
      });
    }
  }
  return true;
}

/** Checks the rows that were changed when it began; false where the time was up. */
async function checkChangedRows(
  database: Database,
  { endsAt, batchSize }: Limits,
  faults: BookFault[],
): Promise<boolean> {
  for (let left = await countChanges(database); left > 0; ) {
    if (Date.now() > endsAt) return false;
    const { taken, broken } = await inSnapshot(database, async (transaction) => {
      const changes = await takeChanges(transaction, batchSize);
      return { taken: changes.taken, broken: await brokenAgain(transaction, changes.subjects) };
    });
    faults.push(...broken);
    left -= Math.max(taken, 1);
  }
  return true;
}
