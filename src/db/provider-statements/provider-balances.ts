import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../../domain/money.ts';
import type { Database } from '../connection.ts';
import { openCase } from '../positions/cases.ts';
import { beginOf, endOf, type StatementDay } from './statement-lines.ts';

/** A reading of our balance at a provider. */
export interface BalanceReading {
  readonly provider: string;
  readonly currency: string;
  /** Decimal string. */
  readonly amount: string;
  readonly readAt: Date;
}

/** A reading that was asked for so long ago. Its time is the database's: workers' clocks may differ. */
interface NewBalanceReading extends Omit<BalanceReading, 'readAt'> {
  readonly ageSeconds: number;
}

/** Records a reading. */
export async function recordBalance(
  database: Database,
  { provider, currency, amount, ageSeconds }: NewBalanceReading,
): Promise<void> {
  await sql`
    insert into provider_balances (provider, currency, amount, read_at)
    values (${provider}, ${currency}, ${amount}::numeric,
      clock_timestamp() - make_interval(secs => ${ageSeconds}::float8))
    on conflict (provider, read_at) do nothing`.execute(database);
}

/** The last readings, by provider. */
export async function listBalances(database: Database): Promise<BalanceReading[]> {
  const { rows } = await sql<BalanceReading>`
    with recursive newest as (
      (select * from provider_balances order by provider desc, read_at desc limit 1)
      union all
      select found.* from newest cross join lateral (
        select * from provider_balances where provider < newest.provider
        order by provider desc, read_at desc limit 1) as found
    )
    select provider, currency, amount::text as amount, read_at as "readAt"
    from newest order by provider`.execute(database);
  return rows;
}

/** ETB is the only currency of our books. */
const CURRENCY = 'ETB';

/** Readings further from the ends of a day say too little about it. */
const NEARBY = sql`interval '6 hours'`;

/**
 * Compares how far our balance at a provider fell on a day with what it did for us and charged. A fall by more opens a
 * case: it is a movement that no line shows. Money that we have sent to the provider hides one. The day must be
 * compared with its statement before, which says the fees. What was under way at either reading counts as done.
 */
export async function compareBalance(
  database: Database,
  of: StatementDay,
  { marginSeconds }: { readonly marginSeconds: number },
): Promise<void> {
  const { name } = of.provider;
  const subject = `${name} ${of.day}`;
  const margin = sql`make_interval(secs => ${marginSeconds}::float8)`;
  const isBetween = sql`between first.read_at - ${margin} and last.read_at + ${margin}`;
  const settled = of.provider.kind === 'airtime' ? sql`topup_attempts` : sql`redemptions`;
  const { rows } = await sql<{ missing: string }>`
    with first as (
      select * from provider_balances where provider = ${name}
        and read_at between ${beginOf(of)} - ${NEARBY} and ${beginOf(of)}
      order by read_at desc limit 1
    ), last as (
      select * from provider_balances where provider = ${name}
        and read_at between ${endOf(of)} and ${endOf(of)} + ${NEARBY}
      order by read_at limit 1
    )
    select least(round(first.amount - last.amount - done.amount - changed.amount - charged.amount, 6),
      1000000000000)::text as missing
    from first cross join last
    cross join lateral (
      select coalesce(sum(placed.done), 0) as amount from ${settled} as ended
      cross join lateral (
        select placements.done from placements
        where placements.operation_id = ended.operation_id and placements.provider = ${name}
          and placements.kind <> 'reversal' offset 0
      ) as placed
      where ended.status = 'POSTED' and ended.settled_at ${isBetween}
    ) as done
    cross join lateral (
      select coalesce(sum(seen.done), 0) as amount from observations as seen
      cross join lateral (
        select from placements
        where placements.id = placement_id and placements.provider = ${name}
          and placements.kind <> 'reversal' offset 0
      ) as placed
      where seen.created_at ${isBetween} and seen.source <> 'answer'
    ) as changed
    cross join lateral (
      -- The readings reach into the days beside it.
      select coalesce(sum(booked_fee), 0) as amount from provider_statements
      where provider = ${name} and day between to_char(${of.day}::date - 1, 'YYYY-MM-DD')
        and to_char(${of.day}::date + 1, 'YYYY-MM-DD')
    ) as charged
    where first.currency = ${CURRENCY} and last.currency = ${CURRENCY}
      and exists (select from provider_statements
        where provider = ${name} and day = ${of.day} and state = 'COMPARED')
      and not exists (select from cases where cases.subject = ${subject} and why = 'balance')`.execute(
    database,
  );
  const missing = parseMoney(rows[0]?.missing ?? '0');
  if (missing <= 0n) return;
  await openCase(database, {
    subjectKind: 'balance',
    subject,
    why: 'balance',
    amount: formatMoney(missing),
    words: `Our balance at ${name} fell on ${of.day} by more than it did for us and charged.`,
    provider: name,
  });
}
