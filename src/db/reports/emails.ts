import { sql } from 'kysely';
import type { Day } from '../../domain/day-report.ts';
import { CLOSED_AFTER_HOURS } from '../../domain/statements.ts';
import {
  allRows,
  changedRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  type Sql,
} from '../connection.ts';
import { type OutboxState, queueMessages } from '../outbox.ts';
import { getsStatements } from '../people/accounts.ts';

/** The subjects of e-mailed monthly statements and day reports, and the form of a period. */
const periods = { month: 'YYYY-MM', day: 'YYYY-MM-DD' } as const;

/**
 * SQL query: the last closed days or months of a time zone (IANA name), each under the name of its
 * unit, and `closed_at`.
 */
function closedPeriods(
  unit: keyof typeof periods,
  { zone, count }: { readonly zone: string; readonly count: number },
): Sql {
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

/** Of the days that closed while no worker ran, older ones are made by the command only. */
const LATE_DAYS = 3;

/**
 * Queues the reports of the last closed days of a time zone that closed since a recipient was added; returns
 * how many.
 */
export const queueReportEmails = (database: Database, zone: string) =>
  changedRows(database)`${queueMessages(sql`
    select 'day-reports', closed.day, 'EMAIL', recipient.id,
      'day-report-' || recipient.id || '-' || closed.day
    from report_recipients as recipient
    join (${closedPeriods('day', { zone, count: LATE_DAYS })}) as closed
      on closed.closed_at > recipient.created_at
    where recipient.removed_at is null
    order by closed.day, recipient.id`)}`;

/** The address of a recipient; undefined where it was removed. */
export const reportAddress = (database: Database, recipientId: number) =>
  firstValue<string>(database)`
    select email from report_recipients where id = ${recipientId} and removed_at is null`;

/** An address that gets day reports, and the last one. */
interface ReportRecipient {
  readonly id: number;
  readonly email: string;
  readonly createdAt: Date;
  readonly lastDay: Day | null;
  /** Null where it is not sent yet. */
  readonly lastOutcome: OutboxState | null;
}

/** The present recipients, by their addresses. */
export const listReportRecipients = (database: Database) =>
  allRows<ReportRecipient>(database)`
    select id, email, created_at as "createdAt", last.day as "lastDay",
      case when last.settled_at is not null then last.state end as "lastOutcome"
    from report_recipients as recipient
    left join lateral (
      select subject as day, state, settled_at from outbox
      where kind = 'day-reports' and outbox.recipient = recipient.id
      order by subject desc limit 1) as last on true
    where removed_at is null order by lower(email)`;

/** The id of the new recipient; undefined where the address is one already. */
export const addReportRecipient = (transaction: DatabaseTransaction, email: string) =>
  firstValue<number>(transaction)`
    insert into report_recipients (email) values (${email})
    on conflict (lower(email)) where removed_at is null do nothing
    returning id`;

/** The id of the removed recipient; undefined where the address is none. */
export const removeReportRecipient = (transaction: DatabaseTransaction, email: string) =>
  firstValue<number>(transaction)`
    update report_recipients set removed_at = now()
    where lower(email) = lower(${email}) and removed_at is null
    returning id`;

/** Of the months that closed while no worker ran, older ones are only in the portal. */
const LATE_MONTHS = 2;

/** SQL condition: the company of an account row is active. */
const isOfActiveCompany = sql`(
  exists (select from partners where partners.id = account.partner_id and partners.status = 'ACTIVE')
  or exists (
    select from merchants where merchants.id = account.merchant_id and merchants.status = 'ACTIVE'))`;

/**
 * Queues the monthly statements of the last closed months of a time zone (IANA name) for up to
 * `batchSize` people. Returns the number of people that are dealt with. The row of a person holds
 * the time up to which months are dealt with, whether wanted or not. A repetition reads only people
 * who are still behind. Months before an account, a choice or a role are never sent. People of a
 * suspended company stay behind until it is active again.
 */
export const queueStatementEmails = (database: Database, zone: string, batchSize: number) =>
  changedRows(database)`
    with closed as (${closedPeriods('month', { zone, count: LATE_MONTHS })}), due as (
      select account.id, account.partner_id, account.merchant_id, account.statements_until,
        ${getsStatements('account')} as is_wanted
      from portal_accounts as account
      where account.disabled_at is null
        and account.statements_until < (select max(closed_at) from closed)
        and ${isOfActiveCompany}
      order by account.statements_until limit ${batchSize} for update skip locked
    ), queued as (${queueMessages(sql`
      select 'statements', coalesce('partner ' || partner_id, 'merchant ' || merchant_id)
          || ' ' || closed.month, 'EMAIL', due.id, 'statement-' || due.id || '-' || closed.month
      from due join closed on closed.closed_at > due.statements_until
      where is_wanted
      order by partner_id, merchant_id, closed.month, due.id`)}
    )
    update portal_accounts set statements_until = (select max(closed_at) from closed)
    from due where portal_accounts.id = due.id`;

/** The person whom a statement goes to. */
interface StatementRecipient {
  readonly email: string;
  /** Null until one is chosen. */
  readonly language: 'en' | 'am' | null;
}

/** Undefined where the person does not get statements any more. */
export const statementRecipient = (database: Database, accountId: number) =>
  firstRow<StatementRecipient>(database)`
    select account.email, account.language from portal_accounts as account
    where account.id = ${accountId} and ${getsStatements('account')} and ${isOfActiveCompany}`;
