import { sql } from 'kysely';
import type { Day } from '../../domain/reports/day-report.ts';
import type { Database } from '../connection.ts';
import type { ReportEmailOutcome } from '../schema/all-tables.ts';
import { closedPeriods, postponed } from './email-queue.ts';

/** Of the days that closed while no worker ran, older ones are made by the command only. */
const LATE_DAYS = 3;

/** A report that could not be sent for so long is made by the command only. */
const GIVE_UP_DAYS = 3;

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
  outcome: ReportEmailOutcome,
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
    update report_emails set ${postponed(pauseSeconds, GIVE_UP_DAYS)}
    where recipient_id = any(${recipientIds}::bigint[]) and day = ${day} and settled_at is null`.execute(
    database,
  );
}
