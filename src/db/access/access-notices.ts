import { sql } from 'kysely';
import { MARKET_TIME_ZONE } from '../../domain/phone.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** The accounts that an entry of the audit log is told to: the owners, and the person concerned. */
const recipients = sql`portal_accounts as account
  where account.disabled_at is null
    and case audit.subject_kind when 'partner' then account.partner_id
      when 'merchant' then account.merchant_id end = audit.subject_id
    and (account.role = 'owner' or account.id::text = audit.details ->> 'accountId')`;

/**
 * Queues the e-mails about entries of the audit log, in the transaction of the change. A company
 * without people is told nothing.
 */
export async function addAccessNotices(
  transaction: DatabaseTransaction,
  auditIds: readonly number[],
): Promise<void> {
  if (auditIds.length === 0) return;
  await sql`
    insert into access_notices (audit_id)
    select id from audit_log as audit
    where id = any(${auditIds}) and exists(select from ${recipients})`.execute(transaction);
}

/** A change whose e-mails have not been sent. */
export interface UnsentAccessNotice {
  /** Of the entry of the audit log. */
  readonly id: number;
  readonly company: Company;
}

/** Changes whose e-mails have not been sent, oldest first. */
export async function unsentAccessNotices(
  database: Database,
  limit: number,
): Promise<UnsentAccessNotice[]> {
  const { rows } = await sql<UnsentAccessNotice>`
    with unsent as materialized (
      select audit_id from access_notices where sent_at is null order by audit_id limit ${limit})
    select unsent.audit_id as id, audit.company
    from unsent cross join lateral (
      select json_build_object('kind', subject_kind, 'id', subject_id) as company
      from audit_log where id = unsent.audit_id limit 1) as audit
    order by unsent.audit_id`.execute(database);
  return rows;
}

/** A change, and the people to be told. */
export interface AccessNotice {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly companyName: string;
  readonly recipients: readonly {
    readonly id: number;
    readonly email: string;
    readonly timeZone: string;
  }[];
}

/** Undefined where the e-mails have been sent. */
export async function readAccessNotice(
  database: Database,
  auditId: number,
): Promise<AccessNotice | undefined> {
  const { rows } = await sql<AccessNotice>`
    select audit.at, audit.actor, audit.action, audit.details,
      case audit.subject_kind when 'partner'
        then (select company_name from partners where id = audit.subject_id)
        else (select merchant_name from merchants where id = audit.subject_id) end as "companyName",
      coalesce((select json_agg(json_build_object('id', account.id, 'email', account.email,
          'timeZone', coalesce(account.time_zone, ${MARKET_TIME_ZONE})) order by account.id)
        from ${recipients}), '[]') as recipients
    from access_notices as notice join audit_log as audit on audit.id = notice.audit_id
    where notice.audit_id = ${auditId} and notice.sent_at is null`.execute(database);
  return rows[0];
}

/** Marks the e-mails about a change as sent. */
export async function settleAccessNotice(database: Database, auditId: number): Promise<void> {
  await database
    .updateTable('access_notices')
    .set({ sent_at: sql<Date>`now()` })
    .where('audit_id', '=', auditId)
    .execute();
}
