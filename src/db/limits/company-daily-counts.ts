import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** Budgets are for days in UTC. */
const today = sql`(now() at time zone 'UTC')::date`;

/** SQL expression: the seconds until the day ends. */
export const secondsLeftOfDay = sql<number>`ceil(extract(epoch from
  date_trunc('day', now() at time zone 'UTC') + interval '1 day' - (now() at time zone 'UTC')))::int`;

const isCountOf = ({ kind, id }: Company) =>
  sql`company_kind = ${kind} and company_id = ${id} and day = ${today}`;

/** SQL expression: the messages that a company's requests have sent today. */
export const companyMessagesToday = (company: Company) => sql<number>`coalesce(
  (select messages from company_daily_counts where ${isCountOf(company)}), 0)`;

/** The columns of a company's budgets, in a query that joins partners and merchants. */
export const companyBudgets = ({ kind }: Company) =>
  kind === 'partner'
    ? sql`partners.messages_per_day, partners.wrong_codes_per_day`
    : sql`merchants.messages_per_day, merchants.wrong_codes_per_day`;

/** The company's own budgets; null where the settings apply. */
export interface CompanyBudgets {
  readonly messages_per_day: number | null;
  readonly wrong_codes_per_day: number | null;
}

/** The result of counting. */
export interface Counted {
  /** False where the budget was already spent: nothing was counted. */
  readonly isWithin: boolean;
  /** Whether this event reached the budget and raises the alarm. */
  readonly isLast: boolean;
}

/**
 * Counts a message of a company within its daily budget. The row stays locked until the transaction
 * ends, so this is the last step of the transaction.
 */
export async function countCompanyMessage(
  transaction: DatabaseTransaction,
  { kind, id }: Company,
  budget: number,
): Promise<Counted> {
  const { rows } = await sql<{ messages: number }>`
    insert into company_daily_counts as known
      (company_kind, company_id, day, messages, messages_spent_at)
    values (${kind}, ${id}, ${today}, 1, case when 1 >= ${budget}::int then now() end)
    on conflict (company_kind, company_id, day) do update set
      messages = known.messages + 1,
      messages_spent_at = case when known.messages + 1 >= ${budget}::int
        then coalesce(known.messages_spent_at, now()) else known.messages_spent_at end
      where known.messages < ${budget}::int
    returning messages`.execute(transaction);
  const [counted] = rows;
  if (counted) return { isWithin: true, isLast: counted.messages === budget };
  return { isWithin: false, isLast: await noteMessagesSpent(transaction, { kind, id }, budget) };
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
  const { numAffectedRows } = await sql`
    update company_daily_counts set messages_spent_at = now()
    where ${isCountOf(company)} and messages >= ${budget}::int
      and messages_spent_at is null`.execute(transaction);
  return numAffectedRows === 1n;
}

/** Uncounts the message of a claim that the provider refused. */
export async function giveBackCompanyMessage(
  transaction: DatabaseTransaction,
  claimId: string,
): Promise<void> {
  await sql`
    update company_daily_counts as counts set messages = greatest(counts.messages - 1, 0)
    from voucher_claims as claim
    where claim.id = ${claimId} and counts.company_kind = claim.company_kind
      and counts.company_id = claim.company_id
      and counts.day = (claim.created_at at time zone 'UTC')::date`.execute(transaction);
}

/** Uncounts a message of today that the provider refused. */
export async function uncountCompanyMessage(
  transaction: DatabaseTransaction,
  company: Company,
): Promise<void> {
  await sql`
    update company_daily_counts set messages = greatest(messages - 1, 0)
    where ${isCountOf(company)}`.execute(transaction);
}

/** Counts a wrong verification code of a company, also beyond the budget. */
export async function countCompanyWrongCode(
  transaction: DatabaseTransaction,
  { kind, id }: Company,
  budget: number,
): Promise<Pick<Counted, 'isLast'>> {
  const { rows } = await sql<{ is_last: boolean }>`
    insert into company_daily_counts as known
      (company_kind, company_id, day, wrong_codes, wrong_codes_spent_at)
    values (${kind}, ${id}, ${today}, 1, case when 1 >= ${budget}::int then now() end)
    on conflict (company_kind, company_id, day) do update set
      wrong_codes = known.wrong_codes + 1,
      wrong_codes_spent_at = case when known.wrong_codes + 1 >= ${budget}::int
        then coalesce(known.wrong_codes_spent_at, now()) else known.wrong_codes_spent_at end
    returning coalesce(wrong_codes_spent_at = now(), false) as is_last`.execute(transaction);
  return { isLast: rows[0]?.is_last === true };
}

/** The slow-down of a company that has spent its budget of wrong codes. */
export interface Slowing {
  /** The default for companies without their own budget. */
  readonly companyWrongCodesPerDay: number;
  /** Interval between two comparisons. */
  readonly pauseSeconds: number;
  /** The longest wait; a later turn is refused. */
  readonly longestWaitSeconds: number;
}

/**
 * The seconds until a company may compare its next verification code: 0 within its budget of wrong
 * codes, then the time until its turn. Undefined when too many of its requests are waiting. One
 * statement, because the count is that of a day, which must not end in between.
 */
export async function secondsUntilTurn(
  database: Database,
  company: Company,
  { companyWrongCodesPerDay, pauseSeconds, longestWaitSeconds }: Slowing,
): Promise<number | undefined> {
  const owner = company.kind === 'partner' ? sql`partners` : sql`merchants`;
  const { rows } = await sql<{ seconds: number | null }>`
    with slowed as (
      select company_kind, company_id, day from company_daily_counts
      join ${owner} as company on company.id = company_id
      where ${isCountOf(company)}
        and wrong_codes >= coalesce(company.wrong_codes_per_day, ${companyWrongCodesPerDay}::int)
    ), turn as (
      update company_daily_counts as counts
      set next_turn_at = greatest(next_turn_at, clock_timestamp())
        + make_interval(secs => ${pauseSeconds}::float8)
      from slowed
      where counts.company_kind = slowed.company_kind and counts.company_id = slowed.company_id
        and counts.day = slowed.day and coalesce(next_turn_at, clock_timestamp())
          <= clock_timestamp() + make_interval(secs => ${longestWaitSeconds}::float8)
      returning greatest(0, extract(epoch from
        next_turn_at - make_interval(secs => ${pauseSeconds}::float8) - clock_timestamp())
      )::float8 as seconds
    )
    select seconds from slowed left join turn on true`.execute(database);
  const [slowed] = rows;
  return slowed ? (slowed.seconds ?? undefined) : 0;
}

/** A day on which a company reached one of its budgets. */
export interface BudgetAlarm {
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
export async function budgetAlarms(database: Database, limit: number): Promise<BudgetAlarm[]> {
  const { rows } = await sql<BudgetAlarm>`
    select to_char(day, 'YYYY-MM-DD') as day, company_kind as "companyKind",
      company_id as "companyId",
      coalesce(partners.company_name, merchants.merchant_name) as "companyName",
      messages, messages_spent_at as "messagesSpentAt",
      wrong_codes as "wrongCodes", wrong_codes_spent_at as "wrongCodesSpentAt"
    from company_daily_counts
    left join partners on company_kind = 'partner' and partners.id = company_id
    left join merchants on company_kind = 'merchant' and merchants.id = company_id
    where messages_spent_at is not null or wrong_codes_spent_at is not null
    order by day desc, greatest(messages_spent_at, wrong_codes_spent_at) desc
    limit ${limit}`.execute(database);
  return rows;
}
