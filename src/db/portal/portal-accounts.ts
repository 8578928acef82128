import { type RawBuilder, sql } from 'kysely';
import type { PortalRole } from '../../domain/access/portal-role.ts';
import type { Company, Employer } from '../../domain/voucher.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** The stored form of an e-mail address. */
export const canonicalEmail = (email: string): string => email.trim().toLowerCase();

/** Whether an account can have this address: PostgreSQL's text does not store every character. */
export const mayHaveAccount = (email: string): boolean => !/\p{C}/u.test(email);

export interface NewPortalAccount {
  readonly email: string;
  /** Null for staff, whose account gets a row of `staff_accounts`. */
  readonly company: Company | null;
  /** Owner by default. */
  readonly role?: PortalRole;
  /** Null until the person has chosen a password. */
  readonly passwordHash: string | null;
  readonly mustChangePassword: boolean;
  /** Lifetime of the password; unlimited where it is absent. */
  readonly passwordLifetimeSeconds?: number;
}

/** Expiry of a password with this lifetime. */
const endAfter = (lifetimeSeconds: number | undefined) =>
  lifetimeSeconds === undefined
    ? null
    : sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`;

const isOver = sql<boolean>`coalesce(password_expires_at <= now(), false)`;

const hasOneTimePassword = sql<boolean>`exists(
  select from portal_one_time_passwords as password where password.account_id = portal_accounts.id)`;

/** Adds an account; undefined when the e-mail address already has one. */
export async function addPortalAccount(
  database: Database,
  account: NewPortalAccount,
): Promise<number | undefined> {
  const { company } = account;
  const row = await database
    .insertInto('portal_accounts')
    .values({
      email: canonicalEmail(account.email),
      role: account.role ?? 'owner',
      partner_id: company?.kind === 'partner' ? company.id : null,
      merchant_id: company?.kind === 'merchant' ? company.id : null,
      password_hash: account.passwordHash,
      must_change_password: account.mustChangePassword,
      password_expires_at: endAfter(account.passwordLifetimeSeconds),
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** The account of an e-mail address, including disabled ones. */
export async function findPortalAccount(database: Database, email: string) {
  const row = await database
    .selectFrom('portal_accounts')
    .select([
      'id',
      'email',
      'partner_id as partnerId',
      'merchant_id as merchantId',
      'password_hash as passwordHash',
      'disabled_at as disabledAt',
      isOver.as('isPasswordOver'),
      hasOneTimePassword.as('hasOneTimePassword'),
    ])
    .where('email', '=', canonicalEmail(email))
    .executeTakeFirst();
  return row && { ...row, company: companyOf(row) };
}

/** The account with an id, including disabled ones. */
export async function findPortalAccountById(database: Database, accountId: number) {
  const row = await database
    .selectFrom('portal_accounts')
    .select(['id', 'email', 'partner_id as partnerId', 'merchant_id as merchantId'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row && { email: row.email, company: companyOf(row) };
}

/** The company of an account's row, or the service itself. */
export const companyOf = (row: {
  readonly id: number;
  readonly partnerId: number | null;
  readonly merchantId: number | null;
}): Employer => {
  if (row.partnerId !== null) return { kind: 'partner', id: row.partnerId };
  if (row.merchantId !== null) return { kind: 'merchant', id: row.merchantId };
  return { kind: 'staff', id: row.id };
};

/** The password hash of an account; null until a password was chosen. */
export async function readPasswordHash(
  database: Database,
  accountId: number,
): Promise<string | null> {
  const row = await database
    .selectFrom('portal_accounts')
    .select('password_hash as passwordHash')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.passwordHash ?? null;
}

/** Sets the password of an account. */
export async function setPassword(
  transaction: DatabaseTransaction,
  accountId: number,
  password: {
    readonly hash: string;
    readonly mustChange: boolean;
    /** Lifetime from now; unlimited where it is absent. */
    readonly lifetimeSeconds?: number;
  },
): Promise<void> {
  await transaction
    .updateTable('portal_accounts')
    .set({
      password_hash: password.hash,
      must_change_password: password.mustChange,
      password_expires_at: endAfter(password.lifetimeSeconds),
    })
    .where('id', '=', accountId)
    .execute();
}

/**
 * Sets the password that a person chose. Returns false, without a change, if the hash is no longer
 * the checked one, the account is disabled, or the session has ended: checking takes long, and an
 * operator's change in the meantime takes precedence.
 */
export async function replacePassword(
  transaction: DatabaseTransaction,
  change: {
    readonly accountId: number;
    readonly sessionId: number;
    readonly checkedHash: string;
    readonly newHash: string;
  },
): Promise<boolean> {
  const row = await transaction
    .updateTable('portal_accounts')
    .set({ password_hash: change.newHash, must_change_password: false, password_expires_at: null })
    .where('id', '=', change.accountId)
    .where('password_hash', '=', change.checkedHash)
    .where('disabled_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('portal_sessions').select('id').where('id', '=', change.sessionId)),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** An account whose password was checked and is correct. */
export interface CheckedAccount {
  readonly id: number;
  /** The hash that the password matches. */
  readonly checkedHash: string;
  /** The password hashed at a different cost. */
  readonly newHash?: string | undefined;
}

/**
 * Records a sign-in. False if the checked password was changed or has expired, or the account is
 * disabled: then the sign-in must fail.
 */
export const noteSignIn = (
  transaction: DatabaseTransaction,
  account: CheckedAccount,
): Promise<boolean> => setForChecked(transaction, account, { last_signed_in_at: sql<Date>`now()` });

/** Stores the new hash of a checked password, and locks the account; false as for a sign-in. */
export const keepCheckedPassword = (
  transaction: DatabaseTransaction,
  account: CheckedAccount,
): Promise<boolean> => setForChecked(transaction, account, {});

async function setForChecked(
  transaction: DatabaseTransaction,
  { id, checkedHash, newHash = checkedHash }: CheckedAccount,
  further: { readonly last_signed_in_at?: RawBuilder<Date> },
): Promise<boolean> {
  const row = await transaction
    .updateTable('portal_accounts')
    .set({ ...further, password_hash: newHash })
    .where('id', '=', id)
    .where('password_hash', '=', checkedHash)
    .where('disabled_at', 'is', null)
    .where((where) => where.not(isOver))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The accounts of a company, including disabled ones. */
export const listPortalAccounts = (database: Database, company: Company) =>
  database
    .selectFrom('portal_accounts')
    .select([
      'id',
      'email',
      'role',
      'created_at as createdAt',
      'last_signed_in_at as lastSignedInAt',
      'disabled_at as disabledAt',
      'password_expires_at as passwordExpiresAt',
      hasOneTimePassword.as('hasOneTimePassword'),
    ])
    .where(company.kind === 'partner' ? 'partner_id' : 'merchant_id', '=', company.id)
    .orderBy('id')
    .execute();

/**
 * Disables or enables an account; undefined where the id does not exist. Who comes back gets no
 * statements of the time in between.
 */
export async function setPortalAccountDisabled(
  transaction: DatabaseTransaction,
  accountId: number,
  isDisabled: boolean,
): Promise<{ readonly email: string; readonly company: Employer } | undefined> {
  const row = await transaction
    .updateTable('portal_accounts')
    .set(
      isDisabled
        ? { disabled_at: sql<Date>`coalesce(disabled_at, now())` }
        : {
            disabled_at: null,
            statements_until: sql<Date>`case when disabled_at is null then statements_until else now() end`,
          },
    )
    .where('id', '=', accountId)
    .returning(['id', 'email', 'partner_id as partnerId', 'merchant_id as merchantId'])
    .executeTakeFirst();
  return row && { email: row.email, company: companyOf(row) };
}
