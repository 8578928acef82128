import { sql } from 'kysely';
import type { PortalRole } from '../../domain/access/portal-role.ts';
import type { Staff } from '../../domain/staff/staff-role.ts';
import type { Company, Employer } from '../../domain/voucher.ts';
import { anyDigest } from '../any-digest.ts';
import type { Database } from '../connection.ts';

/** A signed-in person, of a company or of the service. */
export interface PersonSession {
  readonly id: number;
  readonly accountId: number;
  readonly email: string;
  readonly company: Employer;
  readonly companyName: string;
  readonly mustChangePassword: boolean;
  readonly hasOneTimePassword: boolean;
  /** The company requires a one-time password of all its people. */
  readonly needsOneTimePassword: boolean;
  /** The person proved to be there a short time ago. */
  readonly isConfirmed: boolean;
  /** A notice that the next page shows once. */
  readonly notice: string | null;
}

/** The signed-in person and the company. */
export interface PortalSession extends PersonSession {
  /** As it is now, not as it was at the sign-in. */
  readonly role: PortalRole;
  readonly company: Company;
  readonly companyStatus: 'ACTIVE' | 'SUSPENDED' | 'DEACTIVATED';
  /** IANA name; null until the person chooses one. */
  readonly timeZone: string | null;
  /** Of the person's pages; null until one is chosen. */
  readonly language: 'en' | 'am' | null;
}

/** A signed-in person of the service. */
export interface StaffSession extends PersonSession {
  readonly staff: Staff;
}

/** Lifetimes of sessions, in seconds. */
export interface SessionLifetimes {
  readonly idleSeconds: number;
  readonly maximumSeconds: number;
  /** Time for which a proof that the person is there holds. */
  readonly confirmationSeconds: number;
}

/**
 * A session ends after half an hour without a request, and after twelve hours. Within ten minutes of a
 * sign-in or a confirmation a person changes keys, addresses, people and webhooks without another one.
 */
export const sessionLifetimes: SessionLifetimes = {
  idleSeconds: 1_800,
  maximumSeconds: 43_200,
  confirmationSeconds: 600,
};

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

/** The valid session of a person of a company, and records its use; undefined where there is none. */
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
    where ${isValid(tokenDigests, lifetimes)} and num_nonnulls(account.partner_id, account.merchant_id) = 1
    returning ${shared(lifetimes)}, account.role, account.time_zone as "timeZone", account.language,
      case when account.partner_id is null then 'merchant' else 'partner' end as "companyKind",
      coalesce(account.partner_id, account.merchant_id) as "companyId",
      exists(select from portal_one_time_password_rules as rule
        where rule.partner_id = account.partner_id or rule.merchant_id = account.merchant_id
      ) as "needsOneTimePassword",
      coalesce(partners.company_name, merchants.merchant_name) as "companyName",
      coalesce(partners.status, merchants.status) as "companyStatus"`.execute(database);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { companyKind, companyId, ...session } = row;
  return { ...session, company: { kind: companyKind, id: companyId } };
}

type SessionRow = Omit<PortalSession, 'company'> & {
  readonly companyKind: Company['kind'];
  readonly companyId: number;
};

/** The valid session of a person of the service, and records its use; undefined where there is none. */
export async function useStaffSession(
  database: Database,
  tokenDigests: readonly Buffer[],
  lifetimes: SessionLifetimes,
): Promise<StaffSession | undefined> {
  const { rows } = await sql<StaffRow>`
    update portal_sessions as session set last_seen_at = now()
    from portal_accounts as account join staff_accounts as staff on staff.account_id = account.id
    where ${isValid(tokenDigests, lifetimes)} and num_nonnulls(account.partner_id, account.merchant_id) = 0
    returning ${shared(lifetimes)}, staff.name, staff.role`.execute(database);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { name, role, ...session } = row;
  const { accountId: id } = session;
  return {
    ...session,
    company: { kind: 'staff', id },
    companyName: name,
    needsOneTimePassword: true,
    staff: { id, name, role },
  };
}

type StaffRow = Omit<PersonSession, 'company' | 'companyName' | 'needsOneTimePassword'> &
  Pick<Staff, 'name' | 'role'>;

/** SQL expression: the session of a token is that of an account in use, and has not ended. */
const isValid = (tokenDigests: readonly Buffer[], lifetimes: SessionLifetimes) => sql`
  session.token_digest = ${anyDigest(tokenDigests)} and account.id = session.account_id
    and account.disabled_at is null
    and session.last_seen_at > now() - make_interval(secs => ${lifetimes.idleSeconds})
    and session.created_at > now() - make_interval(secs => ${lifetimes.maximumSeconds})`;

/** The columns of every session. */
const shared = ({ confirmationSeconds }: SessionLifetimes) => sql`
  session.id, session.account_id as "accountId", session.notice, account.email,
    account.must_change_password as "mustChangePassword",
    exists(select from portal_one_time_passwords as password
      where password.account_id = account.id) as "hasOneTimePassword",
    coalesce(session.confirmed_at > now() - make_interval(secs => ${confirmationSeconds}), false)
      as "isConfirmed"`;

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
