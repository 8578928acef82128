import { sql } from 'kysely';
import { MARKET_TIME_ZONE } from '../../domain/phone.ts';
import { type Database, type DatabaseTransaction, firstRow } from '../connection.ts';
import { queueMessages } from '../outbox.ts';
import { staffName } from '../people/accounts.ts';

/** The accounts of the company of an entry of the audit log, or the account of the service that it is about. */
const accounts = sql`portal_accounts as account
  where case audit.subject_kind when 'partner' then account.partner_id
    when 'merchant' then account.merchant_id when 'staff' then account.id end = audit.subject_id`;

/**
 * SQL condition: the account gets the e-mail about an entry. Owners get it, and the person concerned, also after that
 * account was disabled.
 */
const isTold = sql`(audit.subject_kind = 'staff' or account.role = 'owner' and account.disabled_at is null
  or account.id::text = audit.details ->> 'accountId')`;

/**
 * Queues the e-mails about entries of the audit log, in the transaction of the change. A company
 * without people is told nothing.
 */
export async function addAccessNotices(
  transaction: DatabaseTransaction,
  auditIds: readonly number[],
): Promise<void> {
  if (auditIds.length === 0) return;
  await queueMessages(sql`
    select 'access-notices', audit.id::text, 'EMAIL', told.id,
      'access-' || audit.id || '-' || told.id
    from audit_log as audit cross join lateral (select account.id from ${accounts} and ${isTold}) as told
    where audit.id = any(${auditIds})`).execute(transaction);
}

/** A change, and the people who get the e-mail. */
export interface AccessNotice {
  readonly at: Date;
  readonly actor: string;
  /** The name of the person of the service that the actor is. */
  readonly actorName: string | null;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Null where the change is of an account of the service. */
  readonly companyName: string | null;
  readonly people: readonly {
    readonly id: number;
    readonly email: string;
    readonly timeZone: string;
  }[];
}

/** Undefined where the audit log does not have the entry. */
export const readAccessNotice = (database: Database, auditId: string) =>
  firstRow<AccessNotice>(database)`
    select audit.at, audit.actor, audit.action, audit.details, ${staffName('audit.actor')} as "actorName",
      case audit.subject_kind
        when 'partner' then (select company_name from partners where id = audit.subject_id)
        when 'merchant' then (select merchant_name from merchants where id = audit.subject_id)
        end as "companyName",
      coalesce((select json_agg(json_build_object('id', account.id, 'email', account.email,
          'timeZone', coalesce(account.time_zone, ${MARKET_TIME_ZONE})) order by account.id)
        from ${accounts}), '[]') as people
    from audit_log as audit where audit.id = ${auditId}::bigint`;
