import { type QueryCreator, type RawBuilder, sql } from 'kysely';
import {
  type DailyLimit,
  dailyLimitReached,
  exceedsDailyLimits,
  numberLimitReached,
} from '../../domain/daily-limits.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Count } from '../../domain/vouchers/claim.ts';
import type { Caller, Company } from '../../domain/vouchers/voucher.ts';
import { companyName, companyTable } from '../catalogue/companies.ts';
import {
  allRows,
  changedRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  type Sql,
} from '../connection.ts';
import type { Schema } from '../generated/tables.ts';

/** Budgets are for days in UTC. */
const today = sql`(now() at time zone 'UTC')::date`;

/** SQL expression: the seconds until the day ends. */
export const secondsLeftOfDay = sql<number>`ceil(extract(epoch from
  date_trunc('day', now() at time zone 'UTC') + interval '1 day' - (now() at time zone 'UTC')))::int`;

/** SQL expression: the rows of a window that count against a limit, and when the oldest of them leaves it. */
export const countWithin = (window: Sql, condition: Sql) => sql<Count>`jsonb_build_object(
  'count', count(*) filter (where ${condition}),
  'retryAfterSeconds', coalesce(ceil(extract(epoch from
    min(created_at) filter (where ${condition}) + ${window} - now()))::int, 0))`;

const isCountOf = ({ kind, id }: Company) =>
  sql`company_kind = ${kind} and company_id = ${id} and day = ${today}`;

/** SQL expression: the messages that a company's requests have sent today. */
export const companyMessagesToday = (company: Company) => sql<number>`coalesce(
  (select messages from company_daily_counts where ${isCountOf(company)}), 0)`;

/** The columns of a company's budgets, in a query that joins partners and merchants. */
export const companyBudgets = ({ kind }: Company) =>
  kind === 'partner'
    ? sql`partners.messages_per_day as "messagesPerDay", partners.wrong_codes_per_day as "wrongCodesPerDay"`
    : sql`merchants.messages_per_day as "messagesPerDay", merchants.wrong_codes_per_day as "wrongCodesPerDay"`;

/** The company's own budgets; null where the settings apply. */
export interface CompanyBudgets {
  readonly messagesPerDay: number | null;
  readonly wrongCodesPerDay: number | null;
}

/** The result of counting. */
export interface Counted {
  /** False where the budget was already spent: nothing was counted. */
  readonly isWithin: boolean;
  /** Whether this event reached the budget and raises the alarm. */
  readonly isLast: boolean;
}

/**
 * Counts one event of a company, where a condition on the row of the day (`known`) holds. Undefined where it does not.
 * The event that reaches the budget first notes the time, which raises the alarm once.
 */
function countOfDay(
  transaction: DatabaseTransaction,
  event: 'messages' | 'wrong_codes',
  { kind, id }: Company,
  { budget, condition = sql`true` }: { readonly budget: number; readonly condition?: Sql },
): Promise<Pick<Counted, 'isLast'> | undefined> {
  const [count, spentAt] = [sql.ref(event), sql.ref(`${event}_spent_at`)];
  return firstRow<{ isLast: boolean }>(transaction)`
    insert into company_daily_counts as known (company_kind, company_id, day, ${count}, ${spentAt})
    values (${kind}, ${id}, ${today}, 1, case when 1 >= ${budget}::int then now() end)
    on conflict (company_kind, company_id, day) do update set
      ${count} = known.${count} + 1,
      ${spentAt} = case when known.${count} + 1 >= ${budget}::int
        then coalesce(known.${spentAt}, now()) else known.${spentAt} end
      where ${condition}
    returning coalesce(${spentAt} = now(), false) as "isLast"`;
}

/**
 * Counts a message of a company within its daily budget. The row stays locked until the transaction
 * ends, so this is the last step of the transaction.
 */
export async function countCompanyMessage(
  transaction: DatabaseTransaction,
  company: Company,
  budget: number,
): Promise<Counted> {
  const condition = sql`known.messages < ${budget}::int`;
  const counted = await countOfDay(transaction, 'messages', company, { budget, condition });
  if (counted) return { isWithin: true, ...counted };
  return { isWithin: false, isLast: await noteMessagesSpent(transaction, company, budget) };
}

/**
 * Notes that a company's messages of the day are spent, where counting did not: its budget was lowered
 * below what was counted. Returns whether it was noted now, which is the moment of the alarm.
 */
export async function noteMessagesSpent(
  transaction: DatabaseTransaction,
  company: Company,
  budget: number,
): Promise<boolean> {
  const changed = await changedRows(transaction)`
    update company_daily_counts set messages_spent_at = now()
    where ${isCountOf(company)} and messages >= ${budget}::int
      and messages_spent_at is null`;
  return changed === 1;
}

/** Uncounts the message of a claim that the provider refused. */
export const giveBackCompanyMessage = (transaction: DatabaseTransaction, claimId: string) =>
  uncountMessage(
    transaction,
    sql`select company_kind, company_id, created_at from voucher_claims where id = ${claimId}`,
  );

/** Uncounts the message of a resend that the provider refused, once: while its operation runs. */
export const giveBackResend = (transaction: DatabaseTransaction, operationId: string) =>
  uncountMessage(
    transaction,
    sql`select company_kind, company_id, created_at from operations
      where id = ${operationId} and status = 'RUNNING'`,
  );

/** Uncounts the message of the selected request, on the day that counted it. */
async function uncountMessage(transaction: DatabaseTransaction, request: Sql): Promise<void> {
  await sql`
    update company_daily_counts as counts set messages = greatest(counts.messages - 1, 0)
    from (${request}) as request
    where counts.company_kind = request.company_kind and counts.company_id = request.company_id
      and counts.day = (request.created_at at time zone 'UTC')::date`.execute(transaction);
}

/** Counts a wrong verification code of a company, also beyond the budget. */
export const countCompanyWrongCode = async (
  transaction: DatabaseTransaction,
  company: Company,
  budget: number,
): Promise<Pick<Counted, 'isLast'>> =>
  (await countOfDay(transaction, 'wrong_codes', company, { budget })) ?? { isLast: false };

/** The slow-down of a company that has spent its budget of wrong codes. */
interface Slowing {
  /** The default for companies without their own budget. */
  readonly codeAttemptsPerCompanyAndDay: number;
  /** Interval between two comparisons. */
  readonly codeAttemptPauseSeconds: number;
  /** A later turn is refused. */
  readonly longestWaitSeconds: number;
}

/** SQL query: the counts of today of a company that has sent too many wrong codes. */
const slowedCounts = (
  company: Company,
  { codeAttemptsPerCompanyAndDay }: Pick<Slowing, 'codeAttemptsPerCompanyAndDay'>,
) => sql`
  select company_kind, company_id, day from company_daily_counts
  join ${sql.table(companyTable(company))} as company on company.id = company_id
  where ${isCountOf(company)}
    and wrong_codes >= coalesce(company.wrong_codes_per_day, ${codeAttemptsPerCompanyAndDay}::int)`;

/** SQL condition: a company compares its verification codes one at a time. */
export const isSlowed = (
  company: Company,
  slowing: Pick<Slowing, 'codeAttemptsPerCompanyAndDay'>,
) => sql<boolean>`exists (${slowedCounts(company, slowing)})`;

/**
 * The seconds until a company may compare its next verification code: 0 within its budget of wrong
 * codes, then the time until its turn. Undefined when too many of its requests are waiting. One
 * statement, because the count is that of a day, which must not end in between.
 */
export async function secondsUntilTurn(
  database: Database,
  company: Company,
  slowing: Slowing,
): Promise<number | undefined> {
  const { codeAttemptPauseSeconds, longestWaitSeconds } = slowing;
  const slowed = await firstRow<{ seconds: number | null }>(database)`
    with slowed as (${slowedCounts(company, slowing)}), turn as (
      update company_daily_counts as counts
      set next_turn_at = greatest(next_turn_at, clock_timestamp())
        + make_interval(secs => ${codeAttemptPauseSeconds}::float8)
      from slowed
      where counts.company_kind = slowed.company_kind and counts.company_id = slowed.company_id
        and counts.day = slowed.day and coalesce(next_turn_at, clock_timestamp())
          <= clock_timestamp() + make_interval(secs => ${longestWaitSeconds}::float8)
      returning greatest(0, extract(epoch from
        next_turn_at - make_interval(secs => ${codeAttemptPauseSeconds}::float8) - clock_timestamp())
      )::float8 as seconds
    )
    select seconds from slowed left join turn on true`;
  return slowed ? (slowed.seconds ?? undefined) : 0;
}

/** The limits and budgets of a company, and what of them is used today (UTC). */
interface CompanyLimits {
  readonly messages: number;
  /** Null where the setting applies; the same holds for wrong codes. */
  readonly messagesBudget: number | null;
  readonly wrongCodes: number;
  readonly wrongCodesBudget: number | null;
  /** Decimal string, counted while the partner has a limit. */
  readonly spent: string;
  /** Null without a limit; the same holds for operations. */
  readonly amountLimit: string | null;
  readonly operations: number;
  readonly operationsLimit: number | null;
}

/** Reads the limits and budgets of a company; merchants spend nothing. */
export function readCompanyLimits(database: Database, company: Company) {
  const { kind, id } = company;
  const limits =
    kind === 'partner'
      ? sql`daily_amount as "amountLimit", daily_operations as "operationsLimit"`
      : sql`null::numeric as "amountLimit", null::integer as "operationsLimit"`;
  return firstRow<CompanyLimits>(database)`
    select messages_per_day as "messagesBudget", wrong_codes_per_day as "wrongCodesBudget", ${limits},
      coalesce(counts.messages, 0) as messages, coalesce(counts.wrong_codes, 0) as "wrongCodes",
      coalesce(spending.amount, 0)::numeric(20, 6) as spent,
      coalesce(spending.operations, 0) as operations
    from ${sql.table(companyTable(company))} as company
    left join company_daily_counts as counts on counts.company_kind = ${kind}
      and counts.company_id = company.id and counts.day = ${today}
    left join daily_spending as spending on spending.subject_kind = ${kind}
      and spending.subject_id = company.id and spending.day = ${today}
    where company.id = ${id}`;
}

/** A day on which a company reached one of its budgets. */
interface BudgetAlarm {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly companyKind: 'partner' | 'merchant';
  readonly companyId: number;
  readonly companyName: string | null;
  readonly messages: number;
  readonly messagesSpentAt: Date | null;
  readonly wrongCodes: number;
  readonly wrongCodesSpentAt: Date | null;
}

/**
 * The days on which companies reached a budget, newest first, within the retention of the counts.
 */
export const budgetAlarms = (database: Database, limit: number) =>
  allRows<BudgetAlarm>(database)`
    select to_char(day, 'YYYY-MM-DD') as day, company_kind as "companyKind",
      company_id as "companyId", ${companyName} as "companyName",
      messages, messages_spent_at as "messagesSpentAt",
      wrong_codes as "wrongCodes", wrong_codes_spent_at as "wrongCodesSpentAt"
    from company_daily_counts
    where messages_spent_at is not null or wrong_codes_spent_at is not null
    order by day desc, greatest(messages_spent_at, wrong_codes_spent_at) desc
    limit ${limit}`;

/** The database refuses a transaction that would spend more than a limit by this name. */
export const dailyLimitConstraint = 'daily_spending_within_limits';

/** A partner's key, or a person of the partner, whose spending is counted. */
interface LimitedCaller {
  readonly partnerId: number;
  /** Null for a person: only the limits of the company hold. */
  readonly apiKeyId: number | null;
}

/**
 * The caller, if it or its key has a daily limit; statements of all others know nothing of limits. A
 * company's limit is looked up with each payment of a person.
 */
export function limitedCaller({ id, credential }: Caller): LimitedCaller | undefined {
  if (credential === undefined) return undefined;
  if ('portalAccountId' in credential) return { partnerId: id, apiKeyId: null };
  return 'apiKeyId' in credential && credential.isLimited
    ? { partnerId: id, apiKeyId: credential.apiKeyId }
    : undefined;
}

/** SQL query: the limits of the partner and of the key, if they have any, in the order of locks. */
const limitsOf = ({ partnerId, apiKeyId }: LimitedCaller) => sql`
  select subject_kind, subject_id, daily_amount, daily_operations from (
    select 1 as rank, 'partner' as subject_kind, id as subject_id, daily_amount, daily_operations
    from partners where id = ${partnerId}
    union all
    select 2, 'api-key', id, daily_amount, daily_operations from api_keys
    where id = ${apiKeyId}::bigint and partner_id = ${partnerId}
  ) as subjects
  where daily_amount is not null or daily_operations is not null
  order by rank`;

/**
 * SQL statement: counts the columns `amount` and `operations` of the one row of `payment` against the
 * limits of partner and key. It fails by `dailyLimitConstraint` where one of them is exceeded.
 */
export const countSpending = (caller: LimitedCaller, payment: Sql) => sql`
  insert into daily_spending as known
    (subject_kind, subject_id, day, amount, operations, amount_limit, operations_limit)
  select limits.subject_kind, limits.subject_id, ${today}, payment.amount, payment.operations,
    limits.daily_amount, limits.daily_operations
  from ${payment} as payment cross join (${limitsOf(caller)}) as limits
  on conflict (subject_kind, subject_id, day) do update set
    amount = known.amount + excluded.amount, operations = known.operations + excluded.operations,
    amount_limit = excluded.amount_limit, operations_limit = excluded.operations_limit`;

/**
 * Counts a payment of a limited caller; the rows stay locked until the transaction ends.
 *
 * @throws a violation of `dailyLimitConstraint` when a limit would be exceeded
 */
export async function spendWithinLimits(
  transaction: DatabaseTransaction,
  caller: LimitedCaller,
  amount: Money,
): Promise<void> {
  const payment = sql`(select ${formatMoney(amount)}::numeric as amount, 1 as operations)`;
  await countSpending(caller, payment).execute(transaction);
}

/** SQL query: the limits of a caller, with what is left today, as rows of a DailyLimit. */
const dailyLimits = (caller: LimitedCaller) => sql`
  select limits.subject_kind as "subjectKind", limits.daily_amount::text as "amountLimit",
    (limits.daily_amount - least(spent.amount, limits.daily_amount))::text as "amountLeft",
    limits.daily_operations as "operationsLimit",
    limits.daily_operations - least(spent.operations, limits.daily_operations) as "operationsLeft",
    ${secondsLeftOfDay} as "secondsLeft",
    (${today} + 1)::timestamp at time zone 'UTC' as "renewsAt"
  from (${limitsOf(caller)}) as limits
  left join lateral (
    select coalesce(sum(amount), 0) as amount, coalesce(sum(operations), 0)::int as operations
    from daily_spending
    where subject_kind = limits.subject_kind and subject_id = limits.subject_id
      and day = ${today}) as spent on true`;

/** The refusal of a caller whose daily limit the database found exceeded. */
export async function refusalByDailyLimits(database: Database, company: Caller): Promise<Refusal> {
  const caller = limitedCaller(company);
  return dailyLimitReached(
    caller ? await allRows<DailyLimit>(database)`${dailyLimits(caller)}` : [],
  );
}

/** The database refuses a statement that would exceed a limit of a phone number by this name. */
export const numberLimitConstraint = 'number_daily_counts_within_limits';

/** The counted events of a phone number and day. */
export type NumberEvent = 'vouchers' | 'redemptions' | 'topups';

/** One event of a phone number, and how many a day may have. */
export interface NumberCount {
  /** Keyed digest of the number. */
  readonly digest: Buffer;
  readonly event: NumberEvent;
  readonly limit: number;
}

/**
 * SQL statement: counts events of numbers, the columns `digest` and `events` of a query. It fails by
 * `numberLimitConstraint` beyond the limit; then the whole statement has no effect.
 */
export function countNumberEvents(
  { event, limit }: Pick<NumberCount, 'event' | 'limit'>,
  counts: Sql,
) {
  const [count, limited] = [sql.ref(event), sql.ref(`${event}_limit`)];
  return sql`
    insert into number_daily_counts as known (number_digest, day, ${count}, ${limited})
    select digest, ${today}, events, ${limit}::int from (${counts}) as counts
    on conflict (number_digest, day) do update set
      ${count} = known.${count} + excluded.${count}, ${limited} = excluded.${limited}
    returning 1 as counted`;
}

/** SQL expression: the events of the number today. */
const countOfNumber = ({ digest, event }: NumberCount) => sql<number>`coalesce(
  (select ${sql.ref(event)} from number_daily_counts
    where number_digest = ${digest}::bytea and day = (now() at time zone 'UTC')::date), 0)`;

/** Events of one phone number in a day; 0 is no limit. */
type NumberLimits = Readonly<Record<`${NumberEvent}PerNumberAndDay`, number>>;

/** The count of an event of a number; undefined without a number, or where its event has no limit. */
export function numberCount(
  digestOf: (msisdn: string) => Buffer,
  limits: NumberLimits,
  { event, msisdn }: { readonly event: NumberEvent; readonly msisdn: string | null },
): NumberCount | undefined {
  const limit = limits[`${event}PerNumberAndDay`];
  return msisdn === null || limit === 0 ? undefined : { digest: digestOf(msisdn), event, limit };
}

type WithCounted = { readonly counted: number };

/** Counts an event within the next statement, so that it costs no round trip; undefined counts none. */
export const withNumberCount = (
  queries: QueryCreator<Schema>,
  count: NumberCount | undefined,
): QueryCreator<Schema> =>
  count
    ? (queries.with(
        'counted_number',
        () =>
          sql<WithCounted>`(${countNumberEvents(count, sql`select ${count.digest}::bytea as digest, 1 as events`)})`,
      ) as unknown as QueryCreator<Schema>)
    : queries;

/** What limits leave today, of a caller and of a phone number. */
export interface LimitsLeft {
  /** From JSON, in which times are texts. */
  readonly daily_limits: readonly (Omit<DailyLimit, 'renewsAt'> & { readonly renewsAt: string })[];
  /** Events of the number today; null where they have no limit. */
  readonly number_count: number | null;
}

/** SQL expressions: the columns of LimitsLeft, for a query that reads further facts. */
export function limitsLeft(
  caller: Caller,
  number: NumberCount | undefined,
): RawBuilder<LimitsLeft> {
  const limited = limitedCaller(caller);
  const ofCaller = limited
    ? sql`(select coalesce(jsonb_agg(to_jsonb(limits)), '[]') from (${dailyLimits(limited)}) as limits)`
    : sql`'[]'::jsonb`;
  return sql`${ofCaller} as daily_limits,
    ${number ? countOfNumber(number) : sql`null::int`} as number_count`;
}

/** The refusal of one more event, in the order in which the database counts. */
export function refuseByLimits(
  left: LimitsLeft,
  { amount, number, now }: { amount: Money; number: NumberCount | undefined; now: Date },
): Refusal | undefined {
  if (number && (left.number_count ?? 0) >= number.limit) return numberLimitReached(now);
  const limits = left.daily_limits.map((limit) => ({
    ...limit,
    renewsAt: new Date(limit.renewsAt),
  }));
  return exceedsDailyLimits(limits, amount) ? dailyLimitReached(limits) : undefined;
}
