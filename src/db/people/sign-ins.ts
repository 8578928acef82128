import { sql } from 'kysely';
import type { PortalRole } from '../../domain/access.ts';
import type { Staff, StaffRole } from '../../domain/staff.ts';
import type { Company, Employer } from '../../domain/vouchers/voucher.ts';
import {
  changedRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  now,
  updateRow,
} from '../connection.ts';
import { anyDigest } from '../digest-keys.ts';
import { forgetSignIns } from '../limits/attempts.ts';
import {
  type CheckedAccount,
  companyOf,
  type GivenPassword,
  hasSecondFactor,
  keepCheckedPassword,
  lockAccount,
  setPassword,
  setPortalAccountDisabled,
} from './accounts.ts';
import { endInvitationsOf } from './invitations.ts';

/**
 * Stores that the password of an account was right, for a token that gives no access; its second factor is still to
 * come. False if the checked password was changed or has expired, or the account is disabled.
 */
export async function addHalfSignIn(
  transaction: DatabaseTransaction,
  account: CheckedAccount,
  tokenDigest: Buffer,
): Promise<boolean> {
  if (!(await keepCheckedPassword(transaction, account))) return false;
  await transaction
    .insertInto('portal_half_sign_ins')
    .values({ account_id: account.id, token_digest: tokenDigest })
    .execute();
  return true;
}

/** The half sign-in of a token; undefined where there is none, or it took too long. */
export async function findHalfSignIn(
  database: Database,
  tokenDigests: readonly Buffer[],
  lifetimeSeconds: number,
) {
  const row = await database
    .selectFrom('portal_half_sign_ins as half')
    .innerJoin('portal_accounts as account', 'account.id', 'half.account_id')
    .select([
      'account.id',
      'account.email',
      'account.partner_id as partnerId',
      'account.merchant_id as merchantId',
    ])
    .where('half.token_digest', '=', anyDigest(tokenDigests))
    .where('half.created_at', '>', sql<Date>`now() - make_interval(secs => ${lifetimeSeconds})`)
    .where('account.disabled_at', 'is', null)
    .executeTakeFirst();
  return row && { accountId: row.id, email: row.email, company: companyOf(row) };
}

/**
 * Ends a half sign-in by a whole one. False where it is gone, because the password was changed, the
 * account disabled, or another request was faster.
 */
export async function takeHalfSignIn(
  transaction: DatabaseTransaction,
  accountId: number,
  tokenDigests: readonly Buffer[],
): Promise<boolean> {
  // Locked first, as by changes of the account, which then delete the half sign-ins.
  const account = await transaction
    .selectFrom('portal_accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  const isTaken = await transaction
    .deleteFrom('portal_half_sign_ins')
    .where('token_digest', '=', anyDigest(tokenDigests))
    .where('account_id', '=', accountId)
    .$call(changesRow);
  if (account === undefined || !isTaken) return false;
  await updateRow(transaction, 'portal_accounts', accountId, {
    last_signed_in_at: now,
  });
  return true;
}

/** A signed-in person, of a company or of the service. */
export interface PersonSession {
  readonly id: number;
  readonly accountId: number;
  readonly email: string;
  readonly company: Employer;
  readonly companyName: string;
  /** As it is now, not as it was at the sign-in. */
  readonly role: PortalRole | StaffRole;
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
  /** The company requires a second factor of all its people. */
  readonly needsSecondFactor: boolean;
  /** The person proved to be there a short time ago. */
  readonly isConfirmed: boolean;
  /** A notice that the next page shows once. */
  readonly notice: string | null;
}

/** The signed-in person and the company. */
export interface PortalSession extends PersonSession {
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
  readonly role: StaffRole;
  readonly staff: Staff;
}

/**
 * Lifetimes of sessions, in seconds. A session ends after half an hour without a request, and after
 * twelve hours. Within ten minutes of a sign-in or a confirmation a person changes keys, addresses,
 * people and webhooks without another confirmation.
 */
export const sessionLifetimes = {
  idleSeconds: 1_800,
  maximumSeconds: 43_200,
  confirmationSeconds: 600,
} as const;

/** Begins a session, which the sign-in confirms; the expiry run removes expired ones. */
export async function addPortalSession(
  database: Database,
  session: { readonly accountId: number; readonly tokenDigest: Buffer },
): Promise<void> {
  await database
    .insertInto('portal_sessions')
    .values({
      account_id: session.accountId,
      token_digest: session.tokenDigest,
      confirmed_at: now,
    })
    .execute();
}

/** Records that the person has proved to be there. */
export const confirmPortalSession = (database: Database, sessionId: number) =>
  updateRow(database, 'portal_sessions', sessionId, { confirmed_at: now });

/** Part of a statement: finds a session, and records its use. */
const found = (isUsed: boolean) => sql`
  update portal_sessions as session
  set last_seen_at = case when ${isUsed} then now() else last_seen_at end`;

/** The valid session of a person of a company, and records its use; undefined where there is none. */
export async function usePortalSession(
  database: Database,
  tokenDigests: readonly Buffer[],
  isUsed: boolean,
): Promise<PortalSession | undefined> {
  const row = await firstRow<SessionRow>(database)`
    ${found(isUsed)}
    from portal_accounts as account
      left join partners on partners.id = account.partner_id
      left join merchants on merchants.id = account.merchant_id
    where ${isValid(tokenDigests)} and num_nonnulls(account.partner_id, account.merchant_id) = 1
    returning ${shared}, account.role, account.time_zone as "timeZone", account.language,
      case when account.partner_id is null then 'merchant' else 'partner' end as "companyKind",
      coalesce(account.partner_id, account.merchant_id) as "companyId",
      exists(select from portal_second_factor_rules as rule
        where rule.partner_id = account.partner_id or rule.merchant_id = account.merchant_id
      ) as "needsSecondFactor",
      coalesce(partners.company_name, merchants.merchant_name) as "companyName",
      coalesce(partners.status, merchants.status) as "companyStatus"`;
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
  isUsed: boolean,
): Promise<StaffSession | undefined> {
  const row = await firstRow<StaffRow>(database)`
    ${found(isUsed)}
    from portal_accounts as account join staff_accounts as staff on staff.account_id = account.id
    where ${isValid(tokenDigests)} and num_nonnulls(account.partner_id, account.merchant_id) = 0
    returning ${shared}, staff.name, staff.role`;
  if (row === undefined) return undefined;
  const { name, ...session } = row;
  const { accountId: id, role } = session;
  return {
    ...session,
    company: { kind: 'staff', id },
    companyName: name,
    needsSecondFactor: true,
    staff: { id, name, role },
  };
}

type StaffRow = Omit<PersonSession, 'company' | 'companyName' | 'needsSecondFactor'> &
  Pick<Staff, 'name' | 'role'>;

/**
 * Locks the account of a session, and returns the status of its company, ACTIVE for the service. Undefined where the
 * session does not stand any more with its role. A form may wait for a change of each of them.
 */
export async function lockSession(
  transaction: DatabaseTransaction,
  { id, accountId, role }: Pick<PersonSession, 'id' | 'accountId' | 'role'>,
): Promise<PortalSession['companyStatus'] | undefined> {
  await lockAccount(transaction, accountId);
  return firstValue<PortalSession['companyStatus']>(transaction)`
    select coalesce(partners.status, merchants.status, 'ACTIVE')
    from portal_sessions as session
      join portal_accounts as account on account.id = session.account_id
      left join staff_accounts as staff on staff.account_id = account.id
      left join partners on partners.id = account.partner_id
      left join merchants on merchants.id = account.merchant_id
    where session.id = ${id} and account.disabled_at is null
      and coalesce(staff.role, account.role) = ${role}`;
}

/** SQL expression: the session of a token is that of an account in use, and has not ended. */
const isValid = (tokenDigests: readonly Buffer[]) => sql`
  session.token_digest = ${anyDigest(tokenDigests)} and account.id = session.account_id
    and account.disabled_at is null
    and session.last_seen_at > now() - make_interval(secs => ${sessionLifetimes.idleSeconds})
    and session.created_at > now() - make_interval(secs => ${sessionLifetimes.maximumSeconds})`;

/** The columns of every session. */
const shared = sql`
  session.id, session.account_id as "accountId", session.notice, account.email,
    account.must_change_password as "mustChangePassword",
    ${hasSecondFactor('account.id')} as "hasSecondFactor",
    coalesce(session.confirmed_at > now() - make_interval(secs => ${sessionLifetimes.confirmationSeconds}), false)
      as "isConfirmed"`;

/** Sets or clears the notice for the next page. */
export const setNotice = (database: Database, sessionId: number, notice: string | null) =>
  updateRow(database, 'portal_sessions', sessionId, { notice });

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
 * Ends every session of an account, optionally except one, and its sign-ins that wait for a second factor;
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

/** Ends every session and sign-in under way of everybody; returns the number of sessions. */
export async function endAllSessions(transaction: DatabaseTransaction): Promise<number> {
  await transaction.deleteFrom('portal_half_sign_ins').execute();
  return changedRows(transaction)`delete from portal_sessions`;
}

/** Disables an account, and ends its sessions; false where it is disabled already. */
export async function disableAccount(
  transaction: DatabaseTransaction,
  accountId: number,
): Promise<boolean> {
  if (!(await setPortalAccountDisabled(transaction, accountId, true))) return false;
  await endPortalSessions(transaction, accountId);
  return true;
}

/**
 * Lets a person sign in with another password: the account is enabled, its sessions and invitations end, and wrong
 * passwords and codes are forgotten.
 */
export async function resetAccount(
  transaction: DatabaseTransaction,
  accountId: number,
  password: GivenPassword,
): Promise<void> {
  await setPortalAccountDisabled(transaction, accountId, false);
  await setPassword(transaction, accountId, password);
  await endPortalSessions(transaction, accountId);
  await endInvitationsOf(transaction, { accountId });
  await forgetSignIns(transaction, accountId);
}
