import { sql } from 'kysely';
import type { Day } from '../../domain/day-report.ts';
import { formatAmount, parseMoney } from '../../domain/money.ts';
import { type LineFault, lineWords } from '../../domain/positions/case-texts.ts';
import type { Answered, Observation, PlacementKind } from '../../domain/positions/placement.ts';
import { amountTolerance } from '../../domain/providers.ts';
import {
  allRows,
  allValues,
  type Database,
  type DatabaseTransaction,
  firstValue,
  hasRows,
  type Sql,
} from '../connection.ts';
import { beginOf, endOf } from '../days.ts';
import { book } from '../positions/book.ts';
import { openCase } from '../positions/cases.ts';
import { type BookSettings, observed } from '../positions/change.ts';
import { lockOrder, lostOperationId } from '../positions/orders.ts';
import { doubt } from '../positions/placements.ts';
import { MissingRowError } from '../refused-rows.ts';
import { placingReversal } from '../vouchers/reversals.ts';
import {
  isOtherRow,
  markUnfinished,
  type StatementDay,
  type StatementProvider,
} from './statements.ts';

/** How a comparison is made. */
export interface ComparisonRules extends BookSettings {
  /** How far the clocks of provider and database may differ, and a call may take. */
  readonly providerStatementMarginSeconds: number;
  /** Days after which what is not explained is for a person. */
  readonly patienceDays: number;
  /** A comparison that finds more differences books none, until an operator allows it. */
  readonly maximumDifferences: number;
}

/** ETB is the only currency of our books. */
const CURRENCY = 'ETB';
/** The message of a payment in another currency: a later provider statement in ours takes it back. */
const OTHER_CURRENCY = 'The statement has';

/** SQL condition on `placement`: a package, whose price here is not that of its provider. */
const isPackage = sql`coalesce((
  select provider_product_id is not null from topup_attempts as try
  where try.operation_id = placement.operation_id), false)`;

/** The complete lines of a provider. */
const linesOf = (name: string) => sql`
  select line.* from provider_statement_lines as line
  join provider_statements as statement
    on statement.provider = line.provider and statement.day = line.day
      and statement.load_id = line.load_id
  where line.provider = ${name}`;

/** Our orders that ended as done on the day, by the times of their ends. */
function doneHere(of: StatementDay): Sql {
  const ofDay = (column: Sql) => sql`${column} >= ${beginOf(of)} and ${column} < ${endOf(of)}`;
  const placed = sql`join placements as placement on placement.operation_id = ended.operation_id
    and placement.provider = ${of.provider.name} and placement.done > 0`;
  if (of.provider.kind === 'airtime')
    return sql`
      select placement.*, ended.created_at, ended.settled_at from topup_attempts as ended ${placed}
      where ended.status = 'POSTED' and ${ofDay(sql`ended.settled_at`)}`;
  return sql`
    select placement.*, ended.created_at, ended.settled_at from redemptions as ended ${placed}
      and placement.kind = 'payment'
    where ended.status = 'POSTED' and ${ofDay(sql`ended.settled_at`)}
    union all
    select placement.*, reversal.created_at, reversal.settled_at
    from redemption_reversals as reversal
    join placements as placement on placement.reference = reversal.reference::text
      and placement.provider = ${of.provider.name} and placement.done > 0
    where reversal.status = 'SUCCESS' and ${ofDay(sql`reversal.settled_at`)}`;
}

/**
 * SQL condition on a reversal `done`: a line around the day is known by its provider's reference. No "exists", which
 * PostgreSQL may answer by reading all lines once.
 */
const hasReversalLine = ({ provider, day }: StatementDay) => sql`coalesce((
  select true from provider_statement_lines as line
  where line.load_id = any(array(
      select near.load_id from provider_statements as near
      where near.provider = ${provider.name} and near.day >= to_char(${day}::date - 1, 'YYYY-MM-DD')
        and near.day <= to_char(${day}::date + 1, 'YYYY-MM-DD')))
    and line.kind = 'reversal' and line.provider_reference = done.provider_reference limit 1), false)`;

/**
 * SQL condition: `other` is a further line of the order of a `line`. Reversals that we did not order may share a
 * reference, such as that of their payment: each of them is known by the reference of its provider alone.
 */
const isOfSameOrder = sql`(placement.reference = line.reference
  and other.reference = line.reference and other.kind = line.kind)`;

/** A line, or an order without one, that our books do not say. */
interface Found {
  readonly what: 'observation' | 'late' | LineFault;
  readonly kind: PlacementKind;
  readonly reference: string | null;
  readonly providerReference: string | null;
  /** The placement of the line; null for a line without one. */
  readonly placementId: number | null;
  /** The placement of the payment that a reversal takes back; the reversal has no placement yet. */
  readonly takenBackId: number | null;
  readonly operationId: string | null;
  readonly there: 'completed' | 'pending' | 'failed' | 'reversed' | null;
  /** Decimal string. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Milliseconds since 1970: the end of the day, or now. */
  readonly at: number;
  /** Whether the patience of `patienceDays` is over. */
  readonly isOld: boolean;
}

/** A line, or an order without one, that a person must look at. */
interface DifferingLine extends Found {
  readonly what: LineFault;
}

/** The result of a comparison. */
export interface Compared {
  /** Observations that changed our books. */
  readonly observed: number;
  /** Lines, and orders without one, that are not explained yet. */
  readonly unexplained: number;
}

/** A comparison that finds more than this books nothing, until an operator allows it. */
export class TooManyDifferences extends Error {
  override readonly name = 'TooManyDifferences';

  constructor(count: number) {
    super(`The statement differs from our books ${count} times, and nothing was booked.`);
  }
}

/**
 * Compares the lines of a provider statement with our placements. Each line of ours is an
 * observation at the end of the day. An order without a line is asked about again. A line that
 * belongs to no order of ours opens a case.
 *
 * @throws {TooManyDifferences} where it finds more than `maximumDifferences`
 */
export async function compareLines(
  transaction: DatabaseTransaction,
  of: StatementDay,
  settings: ComparisonRules,
): Promise<Compared> {
  const found = await findDifferences(transaction, of, settings);
  const differing = found.filter(({ what }) => what !== 'late');
  if (differing.length > settings.maximumDifferences)
    throw new TooManyDifferences(differing.length);
  const told = found.filter(({ what }) => what === 'observation');
  for (const one of told.toSorted(byOrder)) await observeLine(transaction, one, settings);
  // After the locks of orders: a booking has its order before the placement.
  for (const { what, reference } of found)
    if (what === 'absent' && reference !== null)
      await doubt(transaction, { reference, provider: of.provider.name });
  const lines = found.filter(isForPerson);
  await closeOthers(transaction, of, lines);
  const settled = await settledLines(transaction, of, lines);
  for (const line of lines) if (!settled.has(line)) await openLine(transaction, of, line);
  return {
    observed: told.length,
    unexplained: found.filter((one) => one.what !== 'observation' && !settled.has(one)).length,
  };
}

/** Whether a person must look at it: an order without a line only after the patience is over. */
const isForPerson = (one: Found): one is DifferingLine =>
  one.what === 'foreign' || one.what === 'repeated' || (one.what === 'absent' && one.isOld);

/** Everybody who locks several orders does so in this order. A payment comes before its reversal. */
const byOrder = (one: Found, other: Found): number =>
  (one.operationId ?? '').localeCompare(other.operationId ?? '') ||
  one.kind.localeCompare(other.kind);

/**
 * SQL: the last parts of a `with` clause. `typed` has the lines of `all_lines` that meet a condition, each with its
 * placement. The column `what` is how a line differs from our books; null where they say the same. `day_facts` tells
 * when a line says it.
 */
export function typedLines(name: string, isCompared = sql`true`): Sql {
  const tolerance = amountTolerance(name);
  return sql`
    -- A line of a fee alone is no operation. A reversal may have another reference of ours, or none.
    of_day as materialized (
      select *, case when kind = 'reversal' then coalesce((
            select placed.reference from placements as placed
            where placed.provider_reference = all_lines.provider_reference
              and placed.provider = ${name} and placed.kind = 'reversal'
            -- A statement may have told of it before its own answer came: then it is placed twice.
            order by placed.id limit 1), reference)
          else reference end as placed_as
      from all_lines
      where ${isCompared} and not (reference is null and amount = 0 and fee is not null)),
    lines as (
      select line.*, placement.id as placement_id, taken_back.id as taken_back_id,
        coalesce(placement.operation_id, taken_back.operation_id) as operation_id, placement.ordered,
        placement.done, placement.said, placement.message, placement.said_at, placement.doubted_at,
        is_old, told_at,
        line.status = 'completed' and exists (
          select from all_lines as other
          where ${isOfSameOrder} and other.status = 'completed'
            and other.provider_reference <> line.provider_reference
            and (other.at, other.provider_reference) < (line.at, line.provider_reference)
        ) as is_repeated,
        -- A later line of the same statement: taken back after it was done, or done after it had failed.
        exists (
          select from all_lines as other
          where ${isOfSameOrder}
            and (line.status, other.status) in (('completed', 'reversed'), ('failed', 'completed'),
              ('failed', 'reversed'), ('pending', 'completed'), ('pending', 'failed'), ('pending', 'reversed'))
        ) as is_overruled,
        case when placement.id is null then line.amount
          when line.amount is null
            then case when placement.done > 0 then placement.done else placement.ordered end
          when line.kind = 'top-up' and (line.currency <> ${CURRENCY} or ${isPackage})
            then placement.ordered
          when abs(line.amount - placement.ordered)
            <= ${tolerance.fixed}::numeric + ${tolerance.share}::numeric * placement.ordered
            then placement.ordered else line.amount end as there_amount
      from of_day as line cross join day_facts
      left join placements as placement on placement.reference = placed_as
        and placement.provider = ${name} and placement.kind = line.kind
      left join lateral (
        select payment.id, payment.operation_id from placements as payment
        where placement.id is null and line.kind = 'reversal' and line.status = 'completed'
          and payment.provider_reference = line.original and payment.provider = ${name}
          and payment.kind = 'payment' and payment.operation_id is not null
          and not ${isOtherRow(sql`line.provider_reference`)}
        order by payment.id desc limit 1) as taken_back on true
    ),
    typed as (
      select *, case
        when is_repeated then 'repeated'
        when placement_id is null then case
          when status = 'failed' then null
          when status = 'pending' and not is_old then 'late'
          when taken_back_id is not null then 'observation' else 'foreign' end
        when is_overruled then null
        -- Older than our books: the contrary is a doubt.
        when said_at > told_at then case when doubted_at is null and (
          status = 'completed' and said = 'nothing' or status = 'failed' and done > 0) then 'observation' end
        when status = 'completed' and kind <> 'top-up' and currency <> ${CURRENCY}
          then case when said <> 'other' then 'observation' end
        when status = 'completed' and (done <> there_amount or said = 'none'
          or said = 'other' and starts_with(message, ${OTHER_CURRENCY})) then 'observation'
        when status = 'failed' and done > 0 then 'observation'
        when status = 'reversed' and done > 0 and (kind = 'reversal' or not exists (
          select from placements as reversal where reversal.operation_id = lines.operation_id
            and reversal.kind = 'reversal' and reversal.done > 0)) then 'observation'
        when status = 'pending' and said = 'nothing' then case when is_old then 'observation' else 'late' end
        end as what
      from lines
    )`;
}

/** The differences between the provider statement and our books, in one SQL statement. */
function findDifferences(
  transaction: DatabaseTransaction,
  of: StatementDay,
  { providerStatementMarginSeconds, patienceDays }: ComparisonRules,
) {
  const { name } = of.provider;
  const margin = sql`make_interval(secs => ${providerStatementMarginSeconds}::float8)`;
  const isCompared = (days: number) => sql`exists (
    select from provider_statements as neighbour
    where neighbour.provider = ${name} and neighbour.load_id is not null
      and neighbour.day = to_char(${of.day}::date + ${sql.lit(days)}, 'YYYY-MM-DD'))`;
  return allRows<Found>(transaction)`
    with all_lines as not materialized (${linesOf(name)}),
    day_facts as (
      select now() > ${endOf(of)} + make_interval(days => ${patienceDays}::int) as is_old,
        least(${endOf(of)}, now()) as told_at,
        ${isCompared(-1)} as has_before, ${isCompared(1)} as has_after,
        (select min(day) from provider_statements where provider = ${name}) as first_day
    ),
    ${typedLines(name, sql`day = ${of.day}`)}
    select what, kind, reference, provider_reference as "providerReference",
      placement_id as "placementId", taken_back_id as "takenBackId", operation_id as "operationId",
      status as there,
      there_amount::text as amount, currency, (extract(epoch from told_at) * 1000)::float8 as at,
      is_old as "isOld"
    from typed where what is not null
    union all
    select case when not is_old and (
          settled_at >= ${endOf(of)} - ${margin} and not has_after
          or created_at < ${beginOf(of)} + ${margin} and not has_before)
        then 'late' else 'absent' end,
      kind, reference, provider_reference, id, null, operation_id, null, ordered::text, null,
      (extract(epoch from told_at) * 1000)::float8, is_old
    from (${doneHere(of)}) as done cross join day_facts
    where not exists (
        select from all_lines as line
        where line.reference = done.reference and line.kind = done.kind)
      and (kind <> 'reversal' or not ${hasReversalLine(of)})
      and created_at >= first_day::timestamp at time zone ${of.zone}::text + ${margin}
  `;
}

const said: Readonly<Record<NonNullable<Found['there']>, Answered>> = {
  completed: 'done',
  pending: 'pending',
  failed: 'nothing',
  reversed: 'undone',
};

/** Lets our books say what a line says. */
async function observeLine(
  transaction: DatabaseTransaction,
  { placementId, takenBackId, operationId, reference, at, ...line }: Found,
  settings: BookSettings,
): Promise<void> {
  const subject = operationId ?? lostOperationId(reference ?? '');
  const id = placementId ?? (await placeReversal(transaction, subject, takenBackId, line));
  const order = await lockOrder(transaction, subject);
  const source = 'statement';
  const after = observed(order.position, id, {
    at,
    readAt: order.now,
    source,
    ...contentOf(line),
  });
  await book(transaction, order, after, { source }, settings);
}

/** Places a reversal that we did not order, or whose rows a restore lost, with the payment; its id. */
async function placeReversal(
  transaction: DatabaseTransaction,
  operationId: string,
  paymentId: number | null,
  { providerReference, amount }: Pick<Found, 'providerReference' | 'amount'>,
): Promise<number> {
  await lockOrder(transaction, operationId);
  const payment = sql`(select * from placements where id = ${paymentId})`;
  // Without an amount it takes back the whole.
  const ordered = sql`coalesce(${amount}::numeric, nullif(payment.done, 0), payment.ordered)`;
  const id = await firstValue<number>(transaction)`
    ${placingReversal(providerReference, payment, ordered)}`;
  if (id === undefined) throw new MissingRowError('The reversal has no payment');
  return id;
}

function contentOf({
  kind,
  there,
  amount,
  currency,
  providerReference,
}: Pick<Found, 'kind' | 'there' | 'amount' | 'currency' | 'providerReference'>): Omit<
  Observation,
  'at' | 'source'
> {
  const isOther = kind !== 'top-up' && currency !== null && currency !== CURRENCY;
  if (there === 'completed' && isOther)
    return {
      said: 'other',
      message: `${OTHER_CURRENCY} ${currency} ${amount} under our reference.`,
    };
  return {
    said: said[there ?? 'pending'],
    ...(there === 'completed' && amount !== null && { amount: parseMoney(amount) }),
    ...(providerReference !== null && { providerReference }),
  };
}

const subjectOf = (
  { provider, day }: StatementDay,
  { kind, reference, providerReference }: Found,
) => [provider.name, day, kind, reference ?? '-', providerReference ?? '-'].join(' ');

/** Closes the cases of lines that a later comparison does not find any more. */
const closeOthers = (transaction: DatabaseTransaction, of: StatementDay, lines: readonly Found[]) =>
  sql`
  update cases set closed_at = now()
  where subject_kind = 'line' and closed_at is null
    and starts_with(subject, ${`${of.provider.name} ${of.day} `})
    and subject <> all(${lines.map((line) => subjectOf(of, line))}::text[])`.execute(transaction);

/**
 * The lines that a person has settled, which stay settled when their day is compared again. Another amount than the
 * person has seen is not settled.
 */
async function settledLines(
  transaction: DatabaseTransaction,
  of: StatementDay,
  lines: readonly Found[],
): Promise<ReadonlySet<Found>> {
  if (lines.length === 0) return new Set();
  const subjects = lines.map((line) => subjectOf(of, line));
  const seenAs = (subject: string, amount: string) => `${subject} ${parseMoney(amount)}`;
  const cases = await transaction
    .selectFrom('cases')
    .select(['subject', 'amount'])
    .where('subject', '=', sql<string>`any(${subjects}::text[])`)
    .where('closed_by', 'is not', null)
    .execute();
  const settled = new Set(cases.map(({ subject, amount }) => seenAs(subject, amount)));
  return new Set(
    lines.filter((line) => settled.has(seenAs(subjectOf(of, line), line.amount ?? '0'))),
  );
}

async function openLine(
  transaction: DatabaseTransaction,
  of: StatementDay,
  line: DifferingLine,
): Promise<void> {
  const subject = subjectOf(of, line);
  const amount = line.amount ?? '0';
  await openCase(transaction, {
    subject_kind: 'line',
    subject,
    why: 'foreign',
    amount,
    message: lineWords(line.what, {
      day: of.day,
      provider: of.provider.name,
      kind: line.kind,
      amount: `${line.currency ?? CURRENCY} ${formatAmount(parseMoney(amount))}`,
      providerReference: line.providerReference,
    }),
    provider: of.provider.name,
    reference: line.reference,
  });
}

/** The days to be checked for files. */
interface LookedAt {
  /** The last closed day. */
  readonly lastDay: Day;
  /** A person has this many days after the end of a day to give its file. */
  readonly fileDays: number;
  readonly days: number;
  readonly zone: string;
}

/** The message of the case of a day without a file. */
const MISSING = 'The provider lists no statements, and its file was not given.';

/**
 * Records closed days whose provider statement is missing: the provider has no list, our books have
 * an operation of it, and no file was given. Each day becomes a case until it is compared. Returns
 * those days.
 */
export async function noteMissingFiles(
  database: Database,
  provider: StatementProvider,
  lookedAt: LookedAt,
): Promise<Day[]> {
  const missing: Day[] = [];
  for (const day of await daysWithoutStatement(database, provider, lookedAt)) {
    const of = { provider, day, zone: lookedAt.zone };
    if (!(await hasRows(database)`select from (${doneHere(of)}) as done limit 1`)) continue;
    await markUnfinished(database, of, 'FAILED', MISSING);
    missing.push(day);
  }
  return missing;
}

/** Those that were neither compared after their end nor noted, oldest first. */
const daysWithoutStatement = (
  database: Database,
  { name }: StatementProvider,
  { lastDay, fileDays, days, zone }: LookedAt,
) =>
  allValues<Day>(database)`
    select to_char(moment, 'YYYY-MM-DD') as day
    from generate_series(${lastDay}::date - ${fileDays}::int - ${days}::int + 1,
      ${lastDay}::date - ${fileDays}::int, '1 day') as moment
    where not exists (
      select from provider_statements as statement
      where statement.provider = ${name} and statement.day = to_char(moment, 'YYYY-MM-DD')
        and state <> 'TRYING'
        and coalesce(loaded_at >= ${endOf({ day: sql`statement.day`, zone })}, true))
    order by moment`;
