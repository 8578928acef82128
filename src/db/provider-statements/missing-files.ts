import { sql } from 'kysely';
import type { Day } from '../../domain/reports/day-report.ts';
import type { Database } from '../connection.ts';
import { doneHere } from './compare-lines.ts';
import { markUnfinished } from './provider-statements.ts';
import type { StatementProvider } from './statement-lines.ts';

/** Which days are looked at. */
interface LookedAt {
  /** The last closed day. */
  readonly lastDay: Day;
  /** A person has this many days after the end of a day to give its file. */
  readonly fileDays: number;
  readonly days: number;
}

/** For the case of a day. */
const MISSING = 'The provider lists no statements, and its file was not given.';

/**
 * Records closed days of a provider without a list on which our books say that it did something, and
 * whose file nobody has given: each becomes a case until it is compared. Returns those days.
 */
export async function noteMissingFiles(
  database: Database,
  provider: StatementProvider,
  { zone, ...period }: LookedAt & { readonly zone: string },
): Promise<Day[]> {
  const missing: Day[] = [];
  for (const day of await daysWithoutStatement(database, provider, period)) {
    const of = { provider, day, zone };
    const { rows } = await sql<{ isBusy: boolean }>`
      select exists (select from (${doneHere(of)}) as done) as "isBusy"`.execute(database);
    if (!rows[0]?.isBusy) continue;
    await markUnfinished(database, of, 'FAILED', MISSING);
    missing.push(day);
  }
  return missing;
}

/** Those that were neither compared nor noted, oldest first. */
async function daysWithoutStatement(
  database: Database,
  { name }: StatementProvider,
  { lastDay, fileDays, days }: LookedAt,
): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`
    select to_char(moment, 'YYYY-MM-DD') as day
    from generate_series(${lastDay}::date - ${fileDays}::int - ${days}::int + 1,
      ${lastDay}::date - ${fileDays}::int, '1 day') as moment
    where not exists (
      select from provider_statements as statement
      where statement.provider = ${name} and statement.day = to_char(moment, 'YYYY-MM-DD')
        and state <> 'TRYING')
    order by moment`.execute(database);
  return rows.map(({ day }) => day);
}
