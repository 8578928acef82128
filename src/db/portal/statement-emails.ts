import { sql } from 'kysely';
import type { Month } from '../../domain/statements/monthly-statement.ts';
import type { Company } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import { closedPeriods, postponed } from '../reports/email-queue.ts';
import type { StatementEmailOutcome } from '../schema/all-tables.ts';
import { getsStatements } from './statement-choice.ts';

/** Of the months that closed while no worker ran, older ones are only in the portal. */
const LATE_MONTHS = 2;

/** A statement that could not be sent for so long is only in the portal. */
const GIVE_UP_DAYS = 7;

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
  outcome: StatementEmailOutcome,
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
    update statement_emails set ${postponed(pauseSeconds, GIVE_UP_DAYS)}
    where account_id = any(${accountIds}::bigint[]) and month = ${month} and settled_at is null
  `.execute(database);
}
