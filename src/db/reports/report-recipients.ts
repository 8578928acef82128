import { sql } from 'kysely';
import type { Day } from '../../domain/reports/day-report.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { ReportEmailOutcome } from '../schema/all-tables.ts';

/** An address that gets day reports, and the last one. */
export interface ReportRecipient {
  readonly id: number;
  readonly email: string;
  readonly createdAt: Date;
  readonly lastDay: Day | null;
  /** Null where it is not sent yet. */
  readonly lastOutcome: ReportEmailOutcome | null;
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
