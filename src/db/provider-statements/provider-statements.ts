import { sql } from 'kysely';
import type { Day } from '../../domain/reports/day-report.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { openCase } from '../positions/cases.ts';
import type { StatementDay } from './statement-lines.ts';

/**
 * The days of a provider that are to be compared: closed ones of the last days that are not compared
 * or have something unexplained, oldest first. Of a provider without a statement only the last closed day.
 */
export async function dueDays(
  database: Database,
  { provider, lastDay, days }: { provider: string; lastDay: Day; days: number },
): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`
    select due.day from (
      select to_char(moment, 'YYYY-MM-DD') as day
      from generate_series(
        greatest(${lastDay}::date - ${days}::int + 1, least(${lastDay}::date,
          (select min(day) from provider_statements where provider = ${provider})::date)),
        ${lastDay}::date, '1 day') as moment
    ) as due
    where not exists (
      select from provider_statements as statement
      where statement.provider = ${provider} and statement.day = due.day
        and state = 'COMPARED' and unexplained = 0)
    order by due.day`.execute(database);
  return rows.map(({ day }) => day);
}

/** Locks the statement of a day, so that one load or comparison of it ends at a time. */
export async function lockStatement(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
): Promise<void> {
  await sql`
    insert into provider_statements (provider, day, state, failure, failing_since)
    values (${provider.name}, ${day}, 'TRYING', 'It was not compared yet.', now())
    on conflict (provider, day) do update set provider = excluded.provider`.execute(transaction);
}

/** Makes a load the lines of its day, in place of the one before; another one may be on its way meanwhile. */
export async function takeLoad(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
  load: {
    readonly id: string;
    readonly source: 'api' | 'file';
    readonly ignoredCount: number;
  },
): Promise<void> {
  await sql`
    delete from provider_statement_lines
    where load_id = (
      select load_id from provider_statements where provider = ${provider.name} and day = ${day})
  `.execute(transaction);
  await sql`
    update provider_statements set load_id = ${load.id}::uuid, source = ${load.source},
      loaded_at = now(), ignored_count = ${load.ignoredCount}, line_count = (
        select count(*) from provider_statement_lines where load_id = ${load.id}::uuid)
    where provider = ${provider.name} and day = ${day}`.execute(transaction);
}

/** Deletes the lines of a load that did not come to its end. */
export async function dropLoad(database: Database, loadId: string): Promise<void> {
  await sql`delete from provider_statement_lines where load_id = ${loadId}::uuid`.execute(database);
}

/** Records that a day is compared, which ends its case. */
export async function markCompared(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
  unexplained: number,
): Promise<void> {
  await sql`
    with closed as (
      update cases set closed_at = now()
      where subject_kind = 'statement' and subject = ${`${provider.name} ${day}`} and closed_at is null)
    update provider_statements set state = 'COMPARED', compared_at = now(), failure = null,
      failing_since = null, unexplained = ${unexplained}
    where provider = ${provider.name} and day = ${day}`.execute(transaction);
}

/** Records why a day was not compared; one that was compared before stays so. */
export async function markUnfinished(
  database: Database,
  { provider, day }: StatementDay,
  state: 'TRYING' | 'FAILED' | 'TOO_MANY',
  failure: string,
): Promise<void> {
  await sql`
    insert into provider_statements as old (provider, day, state, failure, failing_since)
    values (${provider.name}, ${day}, ${state}, ${failure}, now())
    on conflict (provider, day) do update
    set state = case when old.state = 'COMPARED' and ${state} <> 'TOO_MANY' then old.state
        else excluded.state end,
      failure = excluded.failure, failing_since = coalesce(old.failing_since, now())
  `.execute(database);
  if (state === 'TRYING') return;
  await openCase(database, {
    subjectKind: 'statement',
    subject: `${provider.name} ${day}`,
    why: 'unread',
    amount: '0',
    words: `${provider.name}, ${day}: ${failure}`,
    provider: provider.name,
  });
}

/** What is known of the statement of a day. */
export interface StatementFacts {
  readonly state: 'TRYING' | 'FAILED' | 'TOO_MANY' | 'COMPARED';
  readonly source: 'api' | 'file' | null;
  readonly lines: number;
  /** Transactions that took nothing from our account, and are no lines. */
  readonly ignored: number;
  readonly loadedAt: Date | null;
  /** Decimal strings by currency. */
  readonly fees: Readonly<Record<string, string>>;
  /** ETB */
  readonly bookedFee: string;
  /** Lines, and orders of ours without one, that are not explained yet. */
  readonly unexplained: number;
}

/** The statement of a day; undefined where it was never asked for. */
export async function findStatement(
  database: Database,
  provider: string,
  day: Day,
): Promise<StatementFacts | undefined> {
  const { rows } = await sql<StatementFacts>`
    select state, source, line_count as lines, ignored_count as ignored, loaded_at as "loadedAt", fees,
      booked_fee as "bookedFee", unexplained
    from provider_statements where provider = ${provider} and day = ${day}`.execute(database);
  return rows[0];
}
