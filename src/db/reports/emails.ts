import { type RawBuilder, sql } from 'kysely';
import type { Day } from '../../domain/day-report.ts';
import { CLOSED_AFTER_HOURS, type Month } from '../../domain/statements.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { ReportEmailsTable, StatementEmailsTable } from '../generated/tables.ts';
import { getsStatements } from '../people/accounts.ts';

/** What statements and day reports are of, and how a period is written. */
const periods = { month: 'YYYY-MM', day: 'YYYY-MM-DD' } as const;

/**
 * SQL query: the last closed days or months of a time zone (IANA name), each under the name of its
 * unit, and `closed_at`.
 */
function closedPeriods(
  unit: keyof typeof periods,
  { zone, count }: { readonly zone: string; readonly count: number },
): RawBuilder<unknown> {
  const length = sql`interval ${sql.lit(`1 ${unit}`)}`;
  const afterwards = sql`make_interval(hours => ${CLOSED_AFTER_HOURS}::integer)`;
  return sql`
    select to_char(began, ${sql.lit(periods[unit])}) as ${sql.ref(unit)},
      (began + ${length}) at time zone ${zone}::text + ${afterwards} as closed_at
    from (
      select date_trunc(${sql.lit(unit)}, (now() - ${afterwards}) at time zone ${zone}::text)
        - ago * ${length} as began
      from generate_series(1, ${count}::integer) as ago
    ) as periods`;
}

/** SQL assignments: an e-mail waits that could not be sent, and is given up after days. */
function postponed(pauseSeconds: number, giveUpDays: number): RawBuilder<unknown> {
  const isTooLate = sql`created_at < now() - make_interval(days => ${giveUpDays}::integer)`;
  return sql`
    due_at = now() + make_interval(secs => ${pauseSeconds}::float8),
    settled_at = case when ${isTooLate} then now() end,
    outcome = case when ${isTooLate} then 'GIVEN_UP' end`;
}

/** Of the days that closed while no worker ran, older ones are made by the command only. */
const LATE_DAYS = 3;

/** A report that could not be sent for so long is made by the command only. */
const REPORT_GIVE_UP_DAYS = 3;

/** Queues the reports of the last closed days of a time zone that closed since a recipient was added. */
export async function queueReportEmails(database: Database, zone: string): Promise<void> {
  await sql`
    with closed as (${closedPeriods('day', { zone, count: LATE_DAYS })})
    insert into report_emails (recipient_id, day)
    select recipient.id, closed.day from report_recipients as recipient
    join closed on closed.closed_at > recipient.created_at
    where recipient.removed_at is null
    on conflict do nothing`.execute(database);
}

/** The report of a day, and the recipients whom it is to be sent to. */
export interface DueReport {
  readonly day: Day;
  readonly recipientIds: readonly number[];
}

/** Reports that are due, the oldest day first. */
export async function dueReports(database: Database): Promise<DueReport[]> {
  const { rows } = await sql<DueReport>`
    select day, jsonb_agg(recipient_id order by recipient_id) as "recipientIds"
    from report_emails where settled_at is null and due_at <= now()
    group by day order by day`.execute(database);
  return rows;
}

/** Whether there are reports that wait for their next try. */
export async function hasUnsentReports(database: Database): Promise<boolean> {
  const { rows } = await sql`
    select from report_emails where settled_at is null limit 1`.execute(database);
  return rows.length > 0;
}

/** The address of a recipient; undefined where it was removed, or this report was dealt with. */
export async function reportAddress(
  database: Database,
  recipientId: number,
  day: Day,
): Promise<string | undefined> {
  const { rows } = await sql<{ email: string }>`
    select email from report_recipients join report_emails on recipient_id = id
    where id = ${recipientId} and removed_at is null and day = ${day} and settled_at is null
  `.execute(database);
  return rows[0]?.email;
}

/** Records the outcome of a report for a recipient; what is settled stays as it is. */
export async function settleReport(
  database: Database,
  recipientId: number,
  day: Day,
  outcome: NonNullable<ReportEmailsTable['outcome']>,
): Promise<void> {
  await sql`
    update report_emails set settled_at = now(), outcome = ${outcome}
    where recipient_id = ${recipientId} and day = ${day} and settled_at is null`.execute(database);
}

/** Lets a report wait that could not be made or sent, and gives it up after days. */
export async function postponeReports(
  database: Database,
  recipientIds: readonly number[],
  day: Day,
  pauseSeconds: number,
): Promise<void> {
  await sql`
    update report_emails set ${postponed(pauseSeconds, REPORT_GIVE_UP_DAYS)}
    where recipient_id = any(${recipientIds}::bigint[]) and day = ${day} and settled_at is null`.execute(
    database,
  );
}

/** An address that gets day reports, and the last one. */
export interface ReportRecipient {
  readonly id: number;
  readonly email: string;
  readonly createdAt: Date;
  readonly lastDay: Day | null;
  /** Null where it is not sent yet. */
  readonly lastOutcome: ReportEmailsTable['outcome'];
}

/** The present recipients, by their addresses. */
export async function listReportRecipients(database: Database): Promise<ReportRecipient[]> {
  const { rows } = await sql<ReportRecipient>`
    select id, email, created_at as "createdAt", last.day as "lastDay",
      last.outcome as "lastOutcome"
    from report_recipients as recipient
    left join lateral (
      select day, outcome from report_emails
      where recipient_id = recipient.id order by day desc limit 1) as last on true
    where removed_at is null order by lower(email)`.execute(database);
  return rows;
}

/** The id of the new recipient; undefined where the address is one already. */
export async function addReportRecipient(
  transaction: DatabaseTransaction,
  email: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into report_recipients (email) values (${email})
    on conflict (lower(email)) where removed_at is null do nothing
    returning id`.execute(transaction);
  return rows[0]?.id;
}

/** The id of the removed recipient; undefined where the address is none. */
export async function removeReportRecipient(
  transaction: DatabaseTransaction,
  email: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    update report_recipients set removed_at = now()
    where lower(email) = lower(${email}) and removed_at is null
    returning id`.execute(transaction);
  return rows[0]?.id;
}

/** An e-mail that nobody got. */
export interface UndeliveredEmail {
  readonly queue: 'day-reports' | 'statements';
  /** The day of the report, or the month of the statement. */
  readonly period: string;
  readonly email: string;
  /** Null where the address belongs to no company. */
  readonly companyKind: 'partner' | 'merchant' | null;
  readonly companyId: number | null;
  readonly outcome: 'REFUSED' | 'GIVEN_UP';
  readonly at: Date;
}

/** SQL condition: an e-mail of a queue was refused or given up within the last day. */
export const isUndelivered = sql<boolean>`
  outcome in ('REFUSED', 'GIVEN_UP') and settled_at > now() - interval '1 day'`;

/** The e-mails that the metric `emails_undelivered` counts, newest first. */
export async function listUndeliveredEmails(
  database: Database,
  limit: number,
): Promise<UndeliveredEmail[]> {
  const { rows } = await sql<UndeliveredEmail>`
    with undelivered as (
      select 'day-reports' as queue, day as period, recipient_id as id, outcome, settled_at
      from report_emails where ${isUndelivered}
      union all
      select 'statements', month, account_id, outcome, settled_at
      from statement_emails where ${isUndelivered}
    )
    select queue, period, coalesce(recipient.email, account.email) as email,
      case when account.partner_id is not null then 'partner'
        when account.merchant_id is not null then 'merchant' end as "companyKind",
      coalesce(account.partner_id, account.merchant_id) as "companyId",
      outcome, settled_at as at
    from undelivered
    left join report_recipients as recipient
      on queue = 'day-reports' and recipient.id = undelivered.id
    left join portal_accounts as account on queue = 'statements' and account.id = undelivered.id
    order by settled_at desc limit ${limit}`.execute(database);
  return rows;
}

/** Of the months that closed while no worker ran, older ones are only in the portal. */
const LATE_MONTHS = 2;

/** A statement that could not be sent for so long is only in the portal. */
const STATEMENT_GIVE_UP_DAYS = 7;

/** SQL condition: the company of an account row is active. */
const isOfActiveCompany = sql`(
  exists (select from partners where partners.id = account.partner_id and partners.status = 'ACTIVE')
  or exists (
    select from merchants where merchants.id = account.merchant_id and merchants.status = 'ACTIVE'))`;

/**
 * Queues the statements of the last closed months of a time zone (IANA name) for up to `batchSize`
 * people, and returns the number of people that are dealt with. The row of a person holds the time up
 * to which months are dealt with, whether wanted or not: a repetition reads only those who are still
 * behind, and nobody gets the months from before an account, a choice or a role. People of a suspended
 * company stay behind until it is active again.
 */
export async function queueStatementEmails(
  database: Database,
  zone: string,
  batchSize: number,
): Promise<number> {
  const { rows } = await sql`
    with closed as (${closedPeriods('month', { zone, count: LATE_MONTHS })}), due as (
      select account.id, account.statements_until, ${getsStatements('account')} as is_wanted
      from portal_accounts as account
      where account.disabled_at is null
        and account.statements_until < (select max(closed_at) from closed)
        and ${isOfActiveCompany}
      order by account.statements_until limit ${batchSize} for update skip locked
    ), queued as (
      insert into statement_emails (account_id, month)
      select due.id, closed.month from due
      join closed on closed.closed_at > due.statements_until
      where is_wanted
      on conflict do nothing
    )
    update portal_accounts set statements_until = (select max(closed_at) from closed)
    from due where portal_accounts.id = due.id
    returning portal_accounts.id`.execute(database);
  return rows.length;
}

/** Whether there are statements to be sent now. */
export async function hasDueStatements(database: Database): Promise<boolean> {
  const { rows } = await sql`
    select from statement_emails where settled_at is null and due_at <= now() limit 1`.execute(
    database,
  );
  return rows.length > 0;
}

/** The statement of a company's month, and the people whom it is to be sent to. */
export interface DueStatement {
  readonly company: Company;
  readonly month: Month;
  readonly accountIds: readonly number[];
}

/** Statements that are due, the longest waiting first, for up to `limit` people. */
export async function dueStatements(database: Database, limit: number): Promise<DueStatement[]> {
  const { rows } = await sql<DueStatement>`
    select month, jsonb_agg(due.account_id order by due.account_id) as "accountIds",
      jsonb_build_object('kind', case when partner_id is null then 'merchant' else 'partner' end,
        'id', coalesce(partner_id, merchant_id)) as company
    from (
      select account_id, month, due_at from statement_emails
      where settled_at is null and due_at <= now()
      order by due_at limit ${limit}
    ) as due
    join portal_accounts on portal_accounts.id = due.account_id
    group by month, partner_id, merchant_id
    order by min(due.due_at)`.execute(database);
  return rows;
}

/** The person whom a statement goes to. */
export interface StatementRecipient {
  readonly email: string;
  /** Null until one is chosen. */
  readonly language: 'en' | 'am' | null;
}

/** Undefined where the person does not get statements any more, or this one was dealt with. */
export async function statementRecipient(
  database: Database,
  accountId: number,
  month: Month,
): Promise<StatementRecipient | undefined> {
  const { rows } = await sql<StatementRecipient>`
    select account.email, account.language from portal_accounts as account
    join statement_emails as mail on mail.account_id = account.id
    where account.id = ${accountId} and mail.month = ${month} and mail.settled_at is null
      and ${getsStatements('account')} and ${isOfActiveCompany}`.execute(database);
  return rows[0];
}

/** Records the outcome of statements for people; what is settled stays as it is. */
export async function settleStatements(
  database: Database,
  accountIds: readonly number[],
  month: Month,
  outcome: NonNullable<StatementEmailsTable['outcome']>,
): Promise<void> {
  await sql`
    update statement_emails set settled_at = now(), outcome = ${outcome}
    where account_id = any(${accountIds}::bigint[]) and month = ${month} and settled_at is null
  `.execute(database);
}

/** Lets statements wait that could not be sent, and gives up those that have waited for days. */
export async function postponeStatements(
  database: Database,
  accountIds: readonly number[],
  month: Month,
  pauseSeconds: number,
): Promise<void> {
  await sql`
    update statement_emails set ${postponed(pauseSeconds, STATEMENT_GIVE_UP_DAYS)}
    where account_id = any(${accountIds}::bigint[]) and month = ${month} and settled_at is null
  `.execute(database);
}
