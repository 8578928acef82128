import { sql } from 'kysely';
import type { Database } from '../connection.ts';

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
