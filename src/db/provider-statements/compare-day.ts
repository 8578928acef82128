import { type RawBuilder, sql } from 'kysely';
import { amountTolerance } from '../../domain/providers/amount-tolerance.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { amountOfAttempt } from '../topups/topup-state.ts';
import { beginOf, endOf, isOfProvider, type StatementDay } from './statement-lines.ts';

/** Times of a comparison. */
export interface ComparisonTimes {
  /** How far the clocks of provider and database may differ, and a call may take. */
  readonly marginSeconds: number;
  /** Days after which what has not closed by itself is for a person. */
  readonly patienceDays: number;
}

/** ETB is the only currency of our books. */
const CURRENCY = 'ETB';
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** The complete lines of a provider. */
const linesOf = (name: string) => sql`
  select line.* from provider_statement_lines as line
  join provider_statements as statement
    on statement.provider = line.provider and statement.day = line.day
      and statement.load_id = line.load_id
  where line.provider = ${name}`;

const isReversed = sql`(reversed_at is not null or exists (
  select from redemption_reversals as reversal
  where reversal.redemption_id = redemptions.id and reversal.status <> 'FAILED'))`;
const reversalStatus = sql`
  case reversal.status when 'PENDING' then 'HELD' when 'SUCCESS' then 'POSTED' else 'VOIDED' end`;
/** Whatever a provider lists as a reference, PostgreSQL casts only what is one of ours. */
export const asUuid = sql`case when line.reference ~ ${sql.lit(UUID)} then line.reference::uuid end`;

/**
 * What is a case of its own, as it is by its settlement: not done, where the provider has taken it back; done,
 * where somebody has borne what the provider did not do, or took back later.
 */
const ofCase = (status: 'DOUBLE' | 'RECOVERED', settledBy: RawBuilder<unknown>) => sql`
  case when ${settledBy} = 'provider' then 'VOIDED'
    when ${settledBy} in ('partner', 'platform') and line.status in ('failed', 'reversed') then 'POSTED'
    else ${sql.lit(status)} end, null, false, false, true`;

/** What a provider did after all, before another one was asked. */
const doneFirst = ofCase('DOUBLE', sql`failover.settled_by`);
const joinFirst = (name: string, operationId: RawBuilder<unknown>) => sql`
  provider_failovers as failover on failover.operation_id = ${operationId}
    and from_provider = ${name} and done_at is not null`;

/** Our row of a line: status, amount, whether a change by the provider is known already. */
const ourRow = ({ provider }: StatementDay): RawBuilder<unknown> => sql`
  select * from (
    ${
      provider.kind === 'airtime'
        ? sql`
      select try.status,
        case when provider_product_id is null then ${amountOfAttempt} end as amount,
        contradicted_at is not null as is_late_success, reversed_at is not null as is_reversed,
        false as is_case
      from topup_attempts as try join topups on topups.id = topup_id
      where line.kind = 'top-up' and reference = line.reference
        and ${isOfProvider(sql`try.provider`, provider)}
      union all
      select ${doneFirst}
      from topup_attempts as try join ${joinFirst(provider.name, sql`try.operation_id`)}
      where line.kind = 'top-up' and reference = line.reference`
        : sql`
      select status, to_merchant as amount, contradicted_at is not null as is_late_success,
        ${isReversed} as is_reversed, false as is_case
      from redemptions
      where line.kind = 'payment' and payment_reference = ${asUuid}
        and ${isOfProvider(sql`redemptions.provider`, provider)}
      union all
      select ${reversalStatus}, to_merchant, false, false, false
      from redemption_reversals as reversal join redemptions on redemptions.id = redemption_id
      where line.kind = 'reversal' and reversal.reference = ${asUuid}
        and ${isOfProvider(sql`redemptions.provider`, provider)}
      union all
      select ${doneFirst}
      from redemptions join ${joinFirst(provider.name, sql`redemptions.operation_id`)}
      where line.kind = 'payment' and payment_reference = ${asUuid}`
    }
    union all
    -- Lost by a restore.
    select ${ofCase('RECOVERED', sql`payment.settled_by`)} from recovered_payments as payment
    where payment.kind = line.kind and payment.reference = line.reference
      and ${isOfProvider(sql`payment.provider`, provider)}
  ) as rows order by is_case limit 1`;

/** What was done on the day by our books, by the time of its end. */
export function doneHere(of: StatementDay): RawBuilder<unknown> {
  const ofDay = (column: RawBuilder<unknown>) =>
    sql`${column} >= ${beginOf(of)} and ${column} < ${endOf(of)}`;
  if (of.provider.kind === 'airtime')
    return sql`
      select 'top-up' as kind, reference, ${amountOfAttempt} as amount, try.created_at, settled_at
      from topup_attempts as try join topups on topups.id = topup_id
      where try.status = 'POSTED' and ${ofDay(sql`settled_at`)}
        and ${isOfProvider(sql`try.provider`, of.provider)}`;
  return sql`
    select 'payment' as kind, payment_reference::text as reference, to_merchant as amount,
      created_at, settled_at
    from redemptions
    where status = 'POSTED' and ${ofDay(sql`settled_at`)}
      and ${isOfProvider(sql`redemptions.provider`, of.provider)}
    union all
    select 'reversal', reversal.reference::text, to_merchant, reversal.created_at,
      reversal.settled_at
    from redemption_reversals as reversal join redemptions on redemptions.id = redemption_id
    where reversal.status = 'SUCCESS' and ${ofDay(sql`reversal.settled_at`)}
      and ${isOfProvider(sql`redemptions.provider`, of.provider)}`;
}

/** The type of break of a line, by its row; null where both agree. */
const typeOfLine = sql`
  case
    when is_repeated then 'duplicate'
    when here in ('RECOVERED', 'DOUBLE') then null
    when is_late_success then case there
      when 'failed' then 'missing-there' when 'reversed' then 'reversed' end
    when there = 'completed' then case
      when here is null and is_other then 'unordered'
      when here is null or here = 'VOIDED' then 'missing-here'
      when here = 'HELD' then case when is_old then 'missing-here' else 'late' end
      when there_currency <> ${CURRENCY} then 'currency'
      when abs(there_amount - here_amount) > fixed_tolerance + share_tolerance * here_amount
        then 'amount' end
    when there = 'pending' and here is distinct from 'HELD' then case
      when not is_old then 'late'
      when here = 'POSTED' then 'missing-there'
      when here is null and is_other then 'unordered' else 'missing-here' end
    when there = 'failed' and here = 'POSTED' and not is_reversed then 'missing-there'
    when there = 'reversed' and (here is null or here = 'POSTED' and not is_reversed)
      then 'reversed' end`;

/** What a comparison found. */
export interface BreakCounts {
  /** Opened now; repeated ones are not among them. */
  readonly opened: number;
  readonly closed: number;
  /** Open now. */
  readonly open: number;
}

/**
 * Compares the lines of a statement with our rows, in one statement of the database: opens breaks,
 * and closes those that are no longer found. A break that an operator has settled stays settled.
 */
export async function compareLines(
  transaction: DatabaseTransaction,
  of: StatementDay,
  { marginSeconds, patienceDays }: ComparisonTimes,
): Promise<BreakCounts> {
  const { name } = of.provider;
  const tolerance = amountTolerance(name);
  const margin = sql`make_interval(secs => ${marginSeconds}::float8)`;
  const isCompared = (days: number) => sql`exists (
    select from provider_statements as neighbour
    where neighbour.provider = ${name} and neighbour.load_id is not null
      and neighbour.day = to_char(${of.day}::date + ${sql.lit(days)}, 'YYYY-MM-DD'))`;
  const { rows } = await sql<BreakCounts>`
    with all_lines as not materialized (${linesOf(name)}),
    -- A line of a fee alone is no operation.
    of_day as materialized (
      select * from all_lines
      where day = ${of.day} and not (reference is null and amount = 0 and fee is not null)),
    day_facts as (
      select now() > ${endOf(of)} + make_interval(days => ${patienceDays}::int) as is_old,
        ${tolerance.fixed}::numeric as fixed_tolerance,
        ${tolerance.share}::numeric as share_tolerance, ${isCompared(-1)} as has_before, ${isCompared(1)} as has_after,
        (select min(day) from provider_statements where provider = ${name}) as first_day
    ),
    lines as (
      select line.kind, line.reference, line.provider_reference, ours.status as here,
        ours.amount as here_amount, coalesce(is_late_success, false) as is_late_success,
        coalesce(is_reversed, false) as is_reversed, line.status as there,
        line.amount as there_amount, line.currency as there_currency, line.is_other, is_old,
        fixed_tolerance, share_tolerance,
        line.status = 'completed' and exists (
          select from all_lines as other
          where other.reference = line.reference and other.kind = line.kind
            and other.status = 'completed'
            and other.provider_reference <> line.provider_reference
            and (other.at, other.provider_reference) < (line.at, line.provider_reference)
        ) as is_repeated
      from of_day as line cross join day_facts
      left join lateral (${ourRow(of)}) as ours on true
    ),
    absent as (
      select kind, reference, amount,
        case when not is_old and (
            settled_at >= ${endOf(of)} - ${margin} and not has_after
            or created_at < ${beginOf(of)} + ${margin} and not has_before)
          then 'late' else 'missing-there' end as type
      from (${doneHere(of)}) as done cross join day_facts
      where not exists (
          select from all_lines as line
          where line.reference = done.reference and line.kind = done.kind)
        and created_at >= first_day::timestamp at time zone ${of.zone}::text + ${margin}
    ),
    found as materialized (
      select type, kind, reference, provider_reference, here, here_amount, there, there_amount,
        there_currency,
        case when reference is null then 'provider ' || provider_reference
          when type = 'duplicate' then reference || ' ' || provider_reference
          else reference end as subject
      from (select *, ${typeOfLine} as type from lines) as typed where type is not null
      union all
      select type, kind, reference, null, 'POSTED', amount, null, null, null, reference from absent
    ),
    opened as (
      insert into provider_breaks as old (provider, day, type, kind, subject, reference,
        provider_reference, our_status, our_amount, provider_status, provider_amount,
        provider_currency)
      select distinct on (type, kind, subject) ${name}, ${of.day}, type, kind, subject, reference,
        provider_reference, here, here_amount, there, there_amount, there_currency
      from found order by type, kind, subject
      on conflict (provider, day, type, kind, subject) do update
      set state = 'OPEN', found_at = now(), ended_at = null, ended_why = null
      where old.state = 'CLOSED'
      returning kind, reference
    ),
    closed as (
      update provider_breaks as old
      set state = 'CLOSED', ended_at = now(), ended_why = case when type = 'late'
        then 'A later statement, or the outcome of our operation, cleared it'
        else 'A later comparison of the day does not find it' end
      where provider = ${name} and day = ${of.day} and state = 'OPEN' and not exists (
        select from found where found.type = old.type and found.kind = old.kind
          and found.subject = old.subject)
      returning 1
    )
    select (select count(*)::int from opened) as opened, (select count(*)::int from closed) as closed,
      (select count(*)::int from provider_breaks
        where provider = ${name} and day = ${of.day} and state = 'OPEN')
      + (select count(*)::int from opened) - (select count(*)::int from closed) as open
  `.execute(transaction);
  const [counts] = rows;
  if (!counts) throw new Error('The comparison has no result');
  return counts;
}
