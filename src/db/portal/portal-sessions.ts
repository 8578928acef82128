import { sql } from 'kysely';
import type { PortalRole } from '../../domain/portal-role.js';
import type { Company } from '../../domain/voucher.js';
import { anyDigest } from '../any-digest.js';
import type { Database } from '../connection.js';
import { companyOf } from './portal-accounts.js';

/** The signed-in person and the company. */
export interface PortalSession {
  readonly id: number;
  readonly accountId: number;
  readonly email: string;
  /** As it is now, not as it was at the sign-in. */
  readonly role: PortalRole;
  readonly company: Company;
  readonly companyName: string;
  readonly companyStatus: 'ACTIVE' | 'SUSPENDED' | 'DEACTIVATED';
  readonly mustChangePassword: boolean;
  /** IANA name; null until the person chooses one. */
  readonly timeZone: string | null;
  readonly hasOneTimePassword: boolean;
  /** The company requires a one-time password of all its people. */
  readonly needsOneTimePassword: boolean;
  /** The person proved to be there a short time ago. */
  readonly isConfirmed: boolean;
  /** Of the person's pages; null until one is chosen. */
  readonly language: 'en' | 'am' | null;
  /** A notice that the next page shows once. */
  readonly notice: string | null;
}

/** Lifetimes of sessions, in seconds. */
export interface SessionLifetimes {
  readonly idleSeconds: number;
  readonly maximumSeconds: number;
  /** Time for which a proof that the person is there holds. */
  readonly confirmationSeconds: number;
}

/** Begins a session, which the sign-in confirms; the sweep removes expired ones. */
export async function addPortalSession(
  database: Database,
  session: { readonly accountId: number; readonly tokenDigest: Buffer },
): Promise<void> {
  await database
    .insertInto('portal_sessions')
    .values({
      account_id: session.accountId,
      token_digest: session.tokenDigest,
      confirmed_at: sql<Date>`now()`,
    })
    .execute();
}

/** Records that the person has proved to be there. */
export async function confirmPortalSession(database: Database, sessionId: number): Promise<void> {
  await database
    .updateTable('portal_sessions')
    .set({ confirmed_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .execute();
}

/** The valid session of a token, and records its use; undefined where there is none. */
export async function usePortalSession(
  database: Database,
  tokenDigests: readonly Buffer[],
  lifetimes: SessionLifetimes,
): Promise<PortalSession | undefined> {
  const { rows } = await sql<SessionRow>`
    update portal_sessions as session set last_seen_at = now()
    from portal_accounts as account
      left join partners on partners.id = account.partner_id
      left join merchants on merchants.id = account.merchant_id
    where session.token_digest = ${anyDigest(tokenDigests)} and account.id = session.account_id
      and account.disabled_at is null
      and session.last_seen_at > now() - make_interval(secs => ${lifetimes.idleSeconds})
      and session.created_at > now() - make_interval(secs => ${lifetimes.maximumSeconds})
    returning session.id, session.account_id as "accountId", session.notice, account.email, account.role,
      account.partner_id as "partnerId", account.merchant_id as "merchantId",
      account.must_change_password as "mustChangePassword",
      account.time_zone as "timeZone", account.language,
      exists(select from portal_one_time_passwords as password
        where password.account_id = account.id) as "hasOneTimePassword",
      exists(select from portal_one_time_password_rules as rule
        where rule.partner_id = account.partner_id or rule.merchant_id = account.merchant_id
      ) as "needsOneTimePassword",
      coalesce(session.confirmed_at > now() - make_interval(secs => ${lifetimes.confirmationSeconds}), false)
        as "isConfirmed",
      coalesce(partners.company_name, merchants.merchant_name) as "companyName",
      coalesce(partners.status, merchants.status) as "companyStatus"`.execute(database);
  const [row] = rows;
  return row && { ...row, company: companyOf(row) };
}

type SessionRow = Omit<PortalSession, 'company'> & {
  readonly partnerId: number | null;
  readonly merchantId: number | null;
};

/** Sets or clears the notice for the next page. */
export async function setNotice(
  database: Database,
  sessionId: number,
  notice: string | null,
): Promise<void> {
  await database
    .updateTable('portal_sessions')
    .set({ notice })
    .where('id', '=', sessionId)
    .execute();
}

/** Ends the session of a token, if there is one. */
export async function endPortalSession(
  database: Database,
  tokenDigests: readonly Buffer[],
): Promise<void> {
  await database
    .deleteFrom('portal_sessions')
    .where('token_digest', '=', anyDigest(tokenDigests))
    .execute();
}

/**
 * Ends every session of an account, optionally except one, and its sign-ins that wait for a code;
 * returns the number of sessions.
 */
export async function endPortalSessions(
  database: Database,
  accountId: number,
  keptId?: number,
): Promise<number> {
  await database.deleteFrom('portal_half_sign_ins').where('account_id', '=', accountId).execute();
  let query = database.deleteFrom('portal_sessions').where('account_id', '=', accountId);
  if (keptId !== undefined) query = query.where('id', '!=', keptId);
  const { numDeletedRows } = await query.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
