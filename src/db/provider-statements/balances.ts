import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../../domain/money.ts';
import { PROVIDER_FEE } from '../../domain/statements.ts';
import {
  allRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
} from '../connection.ts';
import { beginOf, endOf } from '../days.ts';
import { addTransfers } from '../ledger/ledger.ts';
import { openCase } from '../positions/cases.ts';
import { lockStatement, type StatementDay } from './statements.ts';

/** A reading of our balance at a provider. */
interface BalanceReading {
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
export const listBalances = (database: Database) =>
  allRows<BalanceReading>(database)`
    with recursive newest as (
      (select * from provider_balances order by provider desc, read_at desc limit 1)
      union all
      select found.* from newest cross join lateral (
        select * from provider_balances where provider < newest.provider
        order by provider desc, read_at desc limit 1) as found
    )
    select provider, currency, amount::text as amount, read_at as "readAt"
    from newest order by provider`;

/** ETB is the only currency of our books. */
const CURRENCY = 'ETB';

/** Readings further from the ends of a day say too little about it. */
const NEARBY = sql`interval '6 hours'`;

/**
 * Compares how far our balance at a provider fell on a day with what it did for us and charged. A
 * fall by more opens a case: it is a movement that no line shows. Money that comes to the account
 * hides one: what we have sent, and what the provider took back. The day must be compared with its
 * provider statement before, which says the fees. A payment that was under way at either reading
 * counts as done.
 */
export async function compareBalance(
  database: Database,
  of: StatementDay,
  { providerStatementMarginSeconds }: { readonly providerStatementMarginSeconds: number },
): Promise<void> {
  const { name } = of.provider;
  const subject = `${name} ${of.day}`;
  const margin = sql`make_interval(secs => ${providerStatementMarginSeconds}::float8)`;
  const isBetween = sql`between first.read_at - ${margin} and last.read_at + ${margin}`;
  const settled = of.provider.kind === 'airtime' ? sql`topup_attempts` : sql`redemptions`;
  const fall = await firstValue(database, '0')`
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
      1000000000000)::text
    from first cross join last
    cross join lateral (
      select coalesce(sum(placed.done), 0) as amount from ${settled} as ended
      cross join lateral (
        -- The present amount may be that of a change after the readings.
        select coalesce((
            select seen.done from observations as seen
            where seen.placement_id = placements.id order by seen.id limit 1), placements.done) as done
        from placements
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
      -- The first answer is that of the order.
      where seen.created_at ${isBetween} and seen.id > (
        select min(id) from observations as one where one.placement_id = seen.placement_id)
    ) as changed
    cross join lateral (
      -- The readings reach into the neighbouring days.
      select coalesce(sum(booked_fee), 0) as amount from provider_statements
      where provider = ${name} and day between to_char(${of.day}::date - 1, 'YYYY-MM-DD')
        and to_char(${of.day}::date + 1, 'YYYY-MM-DD')
    ) as charged
    where first.currency = ${CURRENCY} and last.currency = ${CURRENCY}
      and exists (select from provider_statements
        where provider = ${name} and day = ${of.day} and state = 'COMPARED')
      and not exists (select from cases where cases.subject = ${subject} and why = 'balance')`;
  const missing = parseMoney(fall);
  if (missing <= 0n) return;
  await openCase(database, {
    subject_kind: 'balance',
    subject,
    why: 'balance',
    amount: formatMoney(missing),
    message: `Our balance at ${name} fell on ${of.day} by more than it did for us and charged.`,
    provider: name,
  });
}

/**
 * A row of a provider statement is at most a day away from its day, so that two provider statements
 * this far apart can share it.
 */
const SHARED_DAYS = 2;

/**
 * Books the fees of a day, and corrects those of the next days, which may share lines with it. A
 * line in the provider statements of several days was charged once, and counts on the first of
 * them. The provider statement must be locked.
 */
export async function bookProviderFees(
  transaction: DatabaseTransaction,
  of: StatementDay,
): Promise<void> {
  await bookProviderFee(transaction, of);
  const rows = await allRows<Pick<StatementDay, 'day'>>(transaction)`
    select day from provider_statements
    where provider = ${of.provider.name} and load_id is not null and day > ${of.day}
      and day <= to_char(${of.day}::date + ${sql.lit(SHARED_DAYS)}, 'YYYY-MM-DD')
    order by day`;
  for (const { day } of rows) {
    await lockStatement(transaction, { ...of, day });
    await bookProviderFee(transaction, { ...of, day });
  }
}

/**
 * Books what a provider charged for a day: service-fees → its clearing account, because the
 * platform bears it and owes it to the provider. A day whose fee a later provider statement changes
 * is corrected by the difference. The fee of a compared day stays where lines that decide about it are
 * no longer kept. The provider statement must be locked. Fees in other currencies are recorded and not booked.
 */
async function bookProviderFee(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
): Promise<void> {
  const row = await firstRow<{ fee: string; booked: string; transfers: number }>(transaction)`
    with sums as (
      select fee_currency, sum(fee)::numeric(20, 6) as fee
      from provider_statement_lines as line
      join provider_statements as statement using (provider, day, load_id)
      where provider = ${provider.name} and day = ${day} and fee > 0
        and fee_currency is not null and status in ('completed', 'reversed')
        -- No "exists", which PostgreSQL may answer by reading all lines once.
        and coalesce((
          select false from provider_statement_lines as same
          where same.load_id = any(array(
              select earlier.load_id from provider_statements as earlier
              where earlier.provider = ${provider.name} and earlier.day < ${day}
                and earlier.day >= to_char(${day}::date - ${sql.lit(SHARED_DAYS)}, 'YYYY-MM-DD')))
            and same.kind = line.kind and same.provider_reference = line.provider_reference
            and same.fee > 0 and same.fee_currency is not null
            and same.status in ('completed', 'reversed') limit 1), true)
      group by fee_currency
    ), fee as (
      select coalesce(sum(fee) filter (where fee_currency = ${CURRENCY}), 0)::numeric(20, 6) as own
      from sums
    ), before as (
      select provider, day, booked_fee, fee_transfers from provider_statements
      where provider = ${provider.name} and day = ${day} and (compared_at is null or not exists (
        select from provider_statements as earlier
        where earlier.provider = ${provider.name} and earlier.day <= ${day}
          and earlier.day >= to_char(${day}::date - ${sql.lit(SHARED_DAYS)}, 'YYYY-MM-DD')
          and earlier.line_count > (select count(*) from provider_statement_lines as line
            where line.load_id = earlier.load_id)))
    ), noted as (
      update provider_statements as noted set booked_fee = fee.own,
        fee_transfers = before.fee_transfers + case when before.booked_fee = fee.own then 0 else 1 end,
        fees = coalesce((select jsonb_object_agg(fee_currency, sums.fee::text) from sums), '{}')
      from fee cross join before
      where noted.provider = before.provider and noted.day = before.day
    )
    select fee.own::text as fee, booked_fee::text as booked, fee_transfers as transfers
    from fee cross join before`;
  if (!row) return;
  const change = parseMoney(row.fee) - parseMoney(row.booked);
  if (change === 0n) return;
  const clearing = provider.kind === 'airtime' ? 'airtime-clearing' : 'mobile-money-clearing';
  const [debit, credit] =
    change > 0n ? (['service-fees', clearing] as const) : ([clearing, 'service-fees'] as const);
  await addTransfers(transaction, [
    {
      operationId: `provider-fee:${provider.name}:${day}`,
      partnerId: 0,
      step: row.transfers === 0 ? PROVIDER_FEE : `${PROVIDER_FEE}-${row.transfers + 1}`,
      debit,
      credit,
      amount: change > 0n ? change : -change,
    },
  ]);
}
