import { type RawBuilder, sql } from 'kysely';
import type { PlacementKind } from '../../domain/positions/placement.ts';
import type { Day } from '../../domain/reports/day-report.ts';
import type { Database } from '../connection.ts';

/** A provider whose statement is compared with our books. */
export interface StatementProvider {
  readonly name: string;
  readonly kind: 'mobile-money' | 'airtime';
}

/** The statement of a provider for a day of a time zone (IANA name). */
export interface StatementDay {
  readonly provider: StatementProvider;
  readonly day: Day;
  readonly zone: string;
}

/** A line as it is stored. */
export interface StoredLine {
  readonly kind: PlacementKind;
  /** Of another type than what we order, such as a transfer. */
  readonly isOther?: true;
  readonly providerReference: string;
  readonly reference: string | null;
  /** Of a reversal without a reference of ours: the provider's reference of what was reversed. */
  readonly originalReference?: string | undefined;
  readonly status: 'completed' | 'pending' | 'failed' | 'reversed';
  /** Decimal strings. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly fee: string | null;
  readonly feeCurrency: string | null;
  readonly at: Date;
}

/** Begins and ends a day, as moments. */
export const beginOf = ({ day, zone }: Pick<StatementDay, 'day' | 'zone'>) =>
  sql`(${day}::timestamp at time zone ${zone}::text)`;
export const endOf = ({ day, zone }: Pick<StatementDay, 'day' | 'zone'>) =>
  sql`((${day}::timestamp + interval '1 day') at time zone ${zone}::text)`;

/**
 * Adds lines of a load. They count when the load is complete. A transaction that is listed twice alike, as
 * where pages overlap, is one line. A line that shares the id of another one and differs from it is kept
 * under a name of its own, so that the comparison finds it. Reversals without a reference of ours become
 * lines of what they reversed, and lines without one get ours by the provider's reference.
 */
export async function addStatementLines(
  database: Database,
  { provider, day }: StatementDay,
  loadId: string,
  lines: readonly StoredLine[],
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
      reference, status, amount, currency, fee, fee_currency, at, is_other)
    select ${loadId}::uuid, ${provider.name}, ${day}, given.kind,
      case when is_first then given.provider_reference
        else given.provider_reference || ' (other row ' || left(md5(${asText}), 8) || ')' end,
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

/** What a line says, apart from its id. */
const content = (table: 'given' | 'earlier'): RawBuilder<unknown> =>
  sql.join(
    ['reference', 'status', 'amount', 'currency', 'fee', 'fee_currency', 'at', 'is_other'].map(
      (column) => sql.ref(`${table}.${column}`),
    ),
  );

/** The same as a text that every file and session writes alike. */
const asText = sql`concat_ws('|', given.reference, given.status, trim_scale(given.amount),
  given.currency, trim_scale(given.fee), given.fee_currency, extract(epoch from given.at),
  given.is_other)`;

/** SQL query: lines with our references. */
function asOurs(provider: StatementProvider, lines: readonly StoredLine[]): RawBuilder<unknown> {
  const own = provider.kind === 'airtime' ? 'top-up' : 'payment';
  // Those of payments are UUIDs, which a provider may write in capitals.
  const theirs = provider.kind === 'airtime' ? sql`line.reference` : sql`lower(line.reference)`;
  return sql`
    select case when is_reversed then ${own} else line.kind end as kind, line.provider_reference,
      coalesce(${theirs}, found.reference) as reference,
      case when is_reversed and status = 'completed' then 'reversed' else status end as status,
      amount, currency, fee, fee_currency, at, is_other
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
    cross join lateral (
      select line.reference is null and line.kind = 'reversal' as is_reversed) as what
    left join lateral (
      select placement.reference from placements as placement
      where line.reference is null and (is_reversed or line.kind = ${own})
        and placement.provider_reference = coalesce(line.original, line.provider_reference)
        and placement.provider = ${provider.name} and placement.kind = ${own}
      order by placement.id desc limit 1) as found on true`;
}
