import { sql } from 'kysely';
import type { Day } from '../../domain/day-report.ts';
import type { ProviderStatementLine } from '../../domain/positions/statement-line.ts';
import { allValues, type Database, type DatabaseTransaction, type Sql } from '../connection.ts';
import { endOf } from '../days.ts';
import { openCase } from '../positions/cases.ts';

/** A provider whose statements are compared with our books. */
export interface StatementProvider {
  readonly name: string;
  readonly kind: 'mobile-money' | 'airtime';
}

/** The provider statement of a day of a time zone (IANA name). */
export interface StatementDay {
  readonly provider: StatementProvider;
  readonly day: Day;
  readonly zone: string;
}

/**
 * Adds lines of a load. They count when the load is complete. A transaction that is listed twice
 * alike, as where pages overlap, is one line. A line may share the id of another line and differ
 * from it. It is kept under a name of its own, so that the comparison finds it. Payments and top-ups
 * without a reference of ours get ours by the provider's reference.
 */
export async function addStatementLines(
  database: Database,
  { provider, day }: StatementDay,
  loadId: string,
  lines: readonly ProviderStatementLine[],
): Promise<void> {
  if (lines.length === 0) return;
  await sql`
    with given as (${asOurs(provider, lines)}),
    numbered as (
      select *, row_number() over (partition by kind, provider_reference
        order by ${content('given')}) as number
      from (select distinct * from given) as given
    )
    insert into provider_statement_lines (load_id, provider, day, kind, provider_reference,
      reference, original, status, amount, currency, fee, fee_currency, at, is_other)
    select ${loadId}::uuid, ${provider.name}, ${day}, given.kind,
      case when is_first then given.provider_reference
        else given.provider_reference || ${OTHER_ROW} || left(md5(${asText}), 8) || ')' end,
      ${content('given')}
    from numbered as given
    left join provider_statement_lines as earlier on earlier.load_id = ${loadId}::uuid
      and earlier.kind = given.kind and earlier.provider_reference = given.provider_reference
    cross join lateral (
      select case when earlier.load_id is null then number = 1
        else (${content('earlier')}) is not distinct from (${content('given')}) end as is_first
    ) as place
    on conflict do nothing`.execute(database);
}

const OTHER_ROW = ' (other row ';

/** SQL condition on the id of a line: another line has it, too, with other content. */
export const isOtherRow = (id: Sql) => sql`strpos(${id}, ${OTHER_ROW}) > 0`;

/** The content of a line, apart from its id. */
const content = (table: 'given' | 'earlier'): Sql =>
  sql.join(
    [
      ...['reference', 'original', 'status', 'amount', 'currency'],
      ...['fee', 'fee_currency', 'at', 'is_other'],
    ].map((column) => sql.ref(`${table}.${column}`)),
  );

/** The same as a text that every file and session writes alike. */
const asText = sql`concat_ws('|', given.reference, given.original, given.status, trim_scale(given.amount),
  given.currency, trim_scale(given.fee), given.fee_currency, extract(epoch from given.at),
  given.is_other)`;

/** SQL query: lines with our references. */
export function asOurs(provider: StatementProvider, lines: readonly ProviderStatementLine[]): Sql {
  const own = provider.kind === 'airtime' ? 'top-up' : 'payment';
  // Those of payments are UUIDs, which a provider may write in capitals.
  const theirs = provider.kind === 'airtime' ? sql`line.reference` : sql`lower(line.reference)`;
  return sql`
    select line.kind, line.provider_reference, coalesce(${theirs}, found.reference) as reference,
      original, status,
      -- M-Pesa says what a row has withdrawn, and a reversal withdraws nothing.
      case when original is null then amount else nullif(amount, 0) end as amount,
      upper(currency) as currency, fee, fee_currency, at, is_other
    from unnest(${lines.map(({ kind }) => kind)}::text[],
        ${lines.map((line) => line.providerReference)}::text[],
        ${lines.map(({ reference }) => reference)}::text[],
        ${lines.map((line) => line.originalReference ?? null)}::text[],
        ${lines.map(({ status }) => status)}::text[],
        ${lines.map(({ amount }) => amount)}::numeric[],
        ${lines.map(({ currency }) => currency)}::text[],
        ${lines.map(({ fee }) => fee)}::numeric[],
        ${lines.map((line) => line.feeCurrency)}::text[],
        ${lines.map(({ at }) => at)}::timestamptz[],
        ${lines.map(({ isOther = false }) => isOther)}::boolean[])
      as line (kind, provider_reference, reference, original, status, amount, currency, fee,
        fee_currency, at, is_other)
    left join lateral (
      select placement.reference from placements as placement
      where line.reference is null and line.kind = ${own}
        and placement.provider_reference = line.provider_reference
        and placement.provider = ${provider.name} and placement.kind = ${own}
      order by placement.id desc limit 1) as found on true`;
}

/**
 * The days of a provider that are to be compared, oldest first: closed days of the last days that
 * are not compared since their end, or have something unexplained. Of a provider without a provider
 * statement only the last closed day.
 */
export const dueDays = (
  database: Database,
  { provider, lastDay, days, zone }: { provider: string; lastDay: Day; days: number; zone: string },
) =>
  allValues<Day>(database)`
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
        and state = 'COMPARED' and unexplained = 0
        and loaded_at >= ${endOf({ day: sql`due.day`, zone })})
    order by due.day`;

/** Locks the provider statement of a day, so that one load or comparison of it ends at a time. */
export async function lockStatement(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
): Promise<void> {
  await sql`
    insert into provider_statements (provider, day, state, failure, failing_since)
    values (${provider.name}, ${day}, 'TRYING', 'It was not compared yet.', now())
    on conflict (provider, day) do update set provider = excluded.provider`.execute(transaction);
}

/**
 * Makes a load the lines of its day, in place of the previous load; another load may be on its way
 * meanwhile.
 */
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

/** Records why a day was not compared; a day that was compared before stays so. */
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
    subject_kind: 'statement',
    subject: `${provider.name} ${day}`,
    why: 'unread',
    amount: '0',
    message: `${provider.name}, ${day}: ${failure}`,
    provider: provider.name,
  });
}

/** The provider statement of a day; undefined where it was never asked for. */
export const findStatement = (database: Database, provider: string, day: Day) =>
  database
    .selectFrom('provider_statements')
    .select([
      'state',
      'source',
      'line_count as lines',
      // Transactions that took nothing from our account, and are no lines.
      'ignored_count as ignored',
      // By currency; the booked fee is in ETB.
      'fees',
      'booked_fee as bookedFee',
      // Lines, and orders of ours without one, that are not explained yet.
      'unexplained',
    ])
    .where('provider', '=', provider)
    .where('day', '=', day)
    .executeTakeFirst();
