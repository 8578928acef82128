import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Config } from '../src/config/config.ts';
import {
  type Database,
  type DatabaseTransaction,
  isDefiniteDatabaseError,
  onlyRow,
} from '../src/db/connection.ts';
import { beginOf, endOf } from '../src/db/days.ts';
import { ArchivedError } from '../src/db/ledger/read-archives.ts';
import { bookProviderFees } from '../src/db/provider-statements/balances.ts';
import {
  type Compared,
  type ComparisonRules,
  compareLines,
  TooManyDifferences,
} from '../src/db/provider-statements/compare-lines.ts';
import {
  addStatementLines,
  dropLoad,
  lockStatement,
  markCompared,
  markUnfinished,
  type StatementDay,
  type StatementProvider,
  takeLoad,
} from '../src/db/provider-statements/statements.ts';
import type { ProviderAccount, StatementRow } from '../src/providers/statement.ts';

export interface ComparisonSettings extends ComparisonRules {
  /** Called in the transaction of the comparison: both are committed, or neither. */
  readonly record?: (transaction: DatabaseTransaction, compared: Compared) => Promise<void>;
}

/** Days after which a person looks at differences that a provider statement does not explain. */
const PATIENCE_DAYS = 3;
/** With more differences nothing is booked: a person looks at all of them first, as after a restore. */
const MAXIMUM_DIFFERENCES = 200;

/** How provider statements are compared, by workers and by operators. */
export const comparisonSettings = ({
  schedules,
  topups,
}: {
  readonly schedules: Pick<Config['schedules'], 'providerStatementMarginSeconds'>;
  readonly topups: Pick<Config['topups'], 'reversalWatchSeconds'>;
}): ComparisonSettings => ({
  patienceDays: PATIENCE_DAYS,
  maximumDifferences: MAXIMUM_DIFFERENCES,
  providerStatementMarginSeconds: schedules.providerStatementMarginSeconds,
  reversalWatchSeconds: topups.reversalWatchSeconds,
});

/** The end of a comparison. */
export type ComparisonResult =
  | ({ readonly kind: 'compared' } & Compared)
  /** The provider statement could not be read, and is tried again. */
  | { readonly kind: 'failed'; readonly message: string }
  /** More differences than may be booked, as after a restore or with the account of another service. */
  | { readonly kind: 'too-many'; readonly message: string };

/** Lines of one SQL statement. */
const BATCH_SIZE = 500;
/** Comparing a day reads its lines and our rows of the day once. */
const COMPARE_TIMEOUT_MS = 300_000;

/** The moments at which a day begins and ends. */
export const periodOf = (database: Database, day: StatementDay) =>
  onlyRow<{ from: Date; to: Date }>(database, 'The day has no beginning')`
    select ${beginOf(day)} as from, ${endOf(day)} as to`;

/** Reads the provider statement of a day from the provider, and compares it. */
export async function compareFetched(
  database: Database,
  of: StatementDay,
  account: ProviderAccount,
  settings: ComparisonSettings & { readonly isLastTry: boolean },
): Promise<ComparisonResult> {
  const period = await periodOf(database, of);
  const pages = account.listStatement?.(period);
  if (!pages) return { kind: 'failed', message: 'The provider lists no statements.' };
  const result = await compareLoaded(database, of, 'api', settings, async (add) => {
    for await (const page of pages) {
      if (page.kind === 'not-listed') return page.message;
      await add(page.rows);
    }
    return undefined;
  }).catch(refusedByBooks);
  if (result.kind === 'failed') {
    const state = settings.isLastTry ? 'FAILED' : 'TRYING';
    await markUnfinished(database, of, state, result.message);
  }
  return result;
}

/**
 * A line that no row can hold, such as a fee of astronomical size, keeps no other day or provider waiting. Neither does
 * a line of an order whose transfers are archived.
 */
function refusedByBooks(error: unknown): ComparisonResult {
  if (!isRefusedByBooks(error)) throw error;
  const message =
    error instanceof ArchivedError
      ? `${error.message}.`
      : `The database refuses what it says, with SQLSTATE ${error.code}.`;
  return { kind: 'failed', message };
}

const isRefusedByBooks = (error: unknown) =>
  error instanceof ArchivedError || isDefiniteDatabaseError(error);

/** Compares what was loaded of a day again. Where the database refuses it, the day stays as it was. */
export const compareAgain = (
  database: Database,
  of: StatementDay,
  settings: ComparisonSettings,
): Promise<ComparisonResult> => compareStored(database, of, settings).catch(refusedByBooks);

/** Compares the rows of a file; a fault in it throws, and nothing is compared. */
export const compareFile = (
  database: Database,
  of: StatementDay,
  rows: AsyncIterable<StatementRow> | Iterable<StatementRow>,
  settings: ComparisonSettings,
): Promise<ComparisonResult> =>
  compareLoaded(database, of, 'file', settings, async (add) => {
    let batch: StatementRow[] = [];
    for await (const row of rows) {
      batch.push(row);
      if (batch.length < BATCH_SIZE) continue;
      await add(batch);
      batch = [];
    }
    await add(batch);
    return undefined;
  });

/** Loads lines while they come, so that memory holds one page; then compares them at once. */
async function compareLoaded(
  database: Database,
  of: StatementDay,
  source: 'api' | 'file',
  settings: ComparisonSettings,
  load: (add: (rows: readonly StatementRow[]) => Promise<void>) => Promise<string | undefined>,
): Promise<ComparisonResult> {
  const id = randomUUID();
  let ignoredCount = 0;
  let isLoaded = false;
  try {
    const failure = await load((rows) => {
      const lines = rows.filter((row) => row !== 'ignored');
      ignoredCount += rows.length - lines.length;
      return addStatementLines(database, of, id, lines);
    });
    isLoaded = failure === undefined;
    const result: ComparisonResult =
      failure === undefined
        ? await compareStored(database, of, settings, (transaction) =>
            takeLoad(transaction, of, { id, source, ignoredCount }),
          )
        : { kind: 'failed', message: failure };
    if (result.kind !== 'compared') await dropLoad(database, id);
    return result;
  } catch (error) {
    // Where the connection was lost, the comparison may be there with its lines.
    if (!isLoaded || isRefusedByBooks(error)) await dropLoad(database, id).catch(() => {});
    throw error;
  }
}

/**
 * Compares the loaded lines of a day, and books their differences and the fee of the provider. All
 * this is one transaction: a fault leaves everything as it was.
 */
export async function compareStored(
  database: Database,
  of: StatementDay,
  settings: ComparisonSettings,
  take: (transaction: DatabaseTransaction) => Promise<void> = async () => {},
): Promise<ComparisonResult> {
  try {
    return await database.transaction().execute(async (transaction) => {
      await sql`set local statement_timeout = ${sql.lit(COMPARE_TIMEOUT_MS)}`.execute(transaction);
      await lockStatement(transaction, of);
      await take(transaction);
      const compared = await compareLines(transaction, of, settings);
      await bookProviderFees(transaction, of);
      await markCompared(transaction, of, compared.unexplained);
      await settings.record?.(transaction, compared);
      return { kind: 'compared', ...compared };
    });
  } catch (error) {
    if (!(error instanceof TooManyDifferences)) throw error;
    await markUnfinished(database, of, 'TOO_MANY', error.message);
    return { kind: 'too-many', message: error.message };
  }
}

/** A provider, and how it is asked for our balance or credit. */
export interface BalanceAtProvider {
  readonly name: string;
  readonly account: Pick<ProviderAccount, 'balance'>;
}

/** A provider of value, and how it is asked for our account. */
export interface AccountAtProvider extends StatementProvider {
  readonly account: ProviderAccount;
}
