import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.js';
import type { Database } from '../connection.js';
import { companyOf } from './portal-accounts.js';

/** The signed-in person and the company. */
export interface PortalSession {
  readonly id: number;
  readonly accountId: number;
  readonly email: string;
  readonly company: Company;
  readonly companyName: string;
  readonly companyStatus: 'ACTIVE' | 'SUSPENDED' | 'DEACTIVATED';
  readonly mustChangePassword: boolean;
  /** A notice that the next page shows once. */
  readonly notice: string | null;
}

/** Lifetimes of sessions, in seconds. */
export interface SessionLifetimes {
  readonly idleSeconds: number;
  readonly maximumSeconds: number;
}

/** Begins a session; the sweep removes expired ones. */
export async function addPortalSession(
  database: Database,
  session: { readonly accountId: number; readonly tokenDigest: Buffer },
): Promise<void> {
  await database
    .insertInto('portal_sessions')
    .values({ account_id: session.accountId, token_digest: session.tokenDigest })
    .execute();
}

/** The valid session of a token, and records its use; undefined where there is none. */
export async function usePortalSession(
  database: Database,
  tokenDigest: Buffer,
  lifetimes: SessionLifetimes,
): Promise<PortalSession | undefined> {
  const { rows } = await sql<SessionRow>`
    update portal_sessions as session set last_seen_at = now()
    from portal_accounts as account
      left join partners on partners.id = account.partner_id
      left join merchants on merchants.id = account.merchant_id
    where session.token_digest = ${tokenDigest} and account.id = session.account_id
      and account.disabled_at is null
      and session.last_seen_at > now() - make_interval(secs => ${lifetimes.idleSeconds})
      and session.created_at > now() - make_interval(secs => ${lifetimes.maximumSeconds})
    returning session.id, session.account_id as "accountId", session.notice, account.email,
      account.partner_id as "partnerId", account.merchant_id as "merchantId",
      account.must_change_password as "mustChangePassword",
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
export async function endPortalSession(database: Database, tokenDigest: Buffer): Promise<void> {
  await database.deleteFrom('portal_sessions').where('token_digest', '=', tokenDigest).execute();
}

/** Ends every session of an account, optionally except one; returns the number. */
export async function endPortalSessions(
  database: Database,
  accountId: number,
  keptId?: number,
): Promise<number> {
  let query = database.deleteFrom('portal_sessions').where('account_id', '=', accountId);
  if (keptId !== undefined) query = query.where('id', '!=', keptId);
  const { numDeletedRows } = await query.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
