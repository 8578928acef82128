import { type RawBuilder, sql, type Updateable } from 'kysely';
import { type PortalRole, rolesFor } from '../../domain/access.ts';
import { soughtText } from '../../domain/copied-text.ts';
import type { StaffRole } from '../../domain/staff.ts';
import type { Company, Employer } from '../../domain/vouchers/voucher.ts';
import {
  type CompanyIds,
  companyColumn,
  companyColumns,
  companyOfRow,
} from '../catalogue/companies.ts';
import {
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstValue,
  now,
  updateRow,
} from '../connection.ts';
import type { Schema } from '../generated/tables.ts';
import { type RowPage, rowsById } from '../row-page.ts';

/** The stored form of an e-mail address. */
export const canonicalEmail = (email: string): string => soughtText(email).toLowerCase();

/** Whether an account can have this address: PostgreSQL's text does not store every character. */
export const mayHaveAccount = (email: string): boolean => !/\p{C}/u.test(canonicalEmail(email));

interface NewPortalAccount {
  readonly email: string;
  /** Null for staff, whose account gets a row of `staff_accounts`. */
  readonly company: Company | null;
  /** Owner by default. */
  readonly role?: PortalRole;
  readonly password: GivenPassword;
}

/** A password that is set for a person. */
export interface GivenPassword {
  readonly hash: string;
  readonly mustChange: boolean;
  /** Lifetime from now; unlimited where it is absent. */
  readonly lifetimeSeconds?: number;
}

const passwordColumns = ({ hash, mustChange, lifetimeSeconds }: GivenPassword) => ({
  password_hash: hash,
  must_change_password: mustChange,
  password_expires_at: endAfter(lifetimeSeconds),
});

/** Expiry of a password with this lifetime. */
const endAfter = (lifetimeSeconds: number | undefined) =>
  lifetimeSeconds === undefined
    ? null
    : sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`;

const isOver = sql<boolean>`coalesce(password_expires_at <= now(), false)`;

/** SQL expression: whether the account whose id is in a column signs in with more than the password. */
export const hasSecondFactor = (accountId: string) => sql<boolean>`(
  exists(select from portal_one_time_passwords as password
    where password.account_id = ${sql.ref(accountId)})
  or exists(select from portal_passkeys as passkey where passkey.account_id = ${sql.ref(accountId)}))`;

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
      ...(company && companyColumns(company)),
      ...passwordColumns(account.password),
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
      hasSecondFactor('portal_accounts.id').as('hasSecondFactor'),
    ])
    .where('email', '=', canonicalEmail(email))
    .executeTakeFirst();
  return row && { ...row, company: companyOf(row) };
}

/** The account with an id, including disabled ones, and the role of a person of the service. */
export async function findAccount(database: Database, accountId: number) {
  const row = await database
    .selectFrom('portal_accounts')
    .leftJoin('staff_accounts', 'staff_accounts.account_id', 'portal_accounts.id')
    .select([
      'portal_accounts.id',
      'email',
      'partner_id as partnerId',
      'merchant_id as merchantId',
      'staff_accounts.role as staffRole',
    ])
    .where('portal_accounts.id', '=', accountId)
    .executeTakeFirst();
  return row && { email: row.email, company: companyOf(row), staffRole: row.staffRole };
}

/** The company of an account's row, or the service itself. */
export const companyOf = ({ id, ...of }: CompanyIds & { readonly id: number }): Employer =>
  of.partnerId === null && of.merchantId === null ? { kind: 'staff', id } : companyOfRow(of);

/** Locks an account until the transaction ends, so that a second change sees the first one. */
export async function lockAccount(
  transaction: DatabaseTransaction,
  accountId: number,
): Promise<void> {
  await transaction
    .selectFrom('portal_accounts')
    .select('id')
    .where('id', '=', accountId)
    .forUpdate()
    .execute();
}

/** The password hash of an account; null until a password was chosen. */
export const readPasswordHash = (database: Database, accountId: number) =>
  firstValue<string | null>(database, null)`
    select password_hash from portal_accounts where id = ${accountId}`;

/** Sets the password of an account. */
export const setPassword = (
  transaction: DatabaseTransaction,
  accountId: number,
  password: GivenPassword,
) => updateRow(transaction, 'portal_accounts', accountId, passwordColumns(password));

/**
 * Sets the password that a person chose. Returns false, without a change, if the hash is no longer
 * the checked one, the account is disabled, or the session has ended. Checking takes long, and an
 * operator's change in the meantime takes precedence.
 */
export const replacePassword = (
  transaction: DatabaseTransaction,
  change: {
    readonly accountId: number;
    readonly sessionId: number;
    readonly checkedHash: string;
    readonly newHash: string;
  },
) =>
  transaction
    .updateTable('portal_accounts')
    .set({ password_hash: change.newHash, must_change_password: false, password_expires_at: null })
    .where('id', '=', change.accountId)
    .where('password_hash', '=', change.checkedHash)
    .where('disabled_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('portal_sessions').select('id').where('id', '=', change.sessionId)),
    )
    .$call(changesRow);

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
): Promise<boolean> => setForChecked(transaction, account, { last_signed_in_at: now });

/** Stores the new hash of a checked password, and locks the account; false as for a sign-in. */
export const keepCheckedPassword = (
  transaction: DatabaseTransaction,
  account: CheckedAccount,
): Promise<boolean> => setForChecked(transaction, account, {});

const setForChecked = (
  transaction: DatabaseTransaction,
  { id, checkedHash, newHash = checkedHash }: CheckedAccount,
  further: { readonly last_signed_in_at?: RawBuilder<Date> },
) =>
  transaction
    .updateTable('portal_accounts')
    .set({ ...further, password_hash: newHash })
    .where('id', '=', id)
    .where('password_hash', '=', checkedHash)
    .where('disabled_at', 'is', null)
    .where((where) => where.not(isOver))
    .$call(changesRow);

/** The accounts of a company, including disabled ones. */
const accountsOf = (database: Database, company: Company) =>
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
      isOver.as('isPasswordOver'),
      hasSecondFactor('portal_accounts.id').as('hasSecondFactor'),
    ])
    .where(companyColumn(company), '=', company.id);

export const listPortalAccounts = (database: Database, company: Company, page?: RowPage) =>
  rowsById(accountsOf(database, company), page).execute();

/** An account of a company; undefined for the account of another company. */
export const findCompanyAccount = (database: Database, company: Company, accountId: number) =>
  accountsOf(database, company).where('id', '=', accountId).executeTakeFirst();

/**
 * Disables or enables an account; false where that changes nothing. Who comes back gets no statements of the time in
 * between.
 */
export const setPortalAccountDisabled = (
  transaction: DatabaseTransaction,
  accountId: number,
  isDisabled: boolean,
) =>
  transaction
    .updateTable('portal_accounts')
    .set(isDisabled ? { disabled_at: now } : { disabled_at: null, statements_until: now })
    .where('id', '=', accountId)
    .where('disabled_at', isDisabled ? 'is' : 'is not', null)
    .$call(changesRow);

/** Adds an account of the service itself; undefined when the e-mail address already has an account. */
export async function addStaffAccount(
  transaction: DatabaseTransaction,
  account: Omit<NewPortalAccount, 'company' | 'role'> & {
    readonly name: string;
    readonly role: StaffRole;
  },
): Promise<number | undefined> {
  const { name, role, ...given } = account;
  const accountId = await addPortalAccount(transaction, { ...given, company: null });
  if (accountId === undefined) return undefined;
  await transaction
    .insertInto('staff_accounts')
    .values({ account_id: accountId, name, role })
    .execute();
  return accountId;
}

/** SQL expression: the name of the person of the service that an actor is, by the column of the actor; else null. */
export const staffName = (actor: string) => sql<string | null>`(
  select name from staff_accounts where 'staff:' || account_id = ${sql.ref(actor)})`;

/** The accounts of the service, including disabled ones. */
export const listStaffAccounts = (database: Database) =>
  database
    .selectFrom('staff_accounts')
    .innerJoin('portal_accounts', 'portal_accounts.id', 'staff_accounts.account_id')
    .select([
      'portal_accounts.id',
      'email',
      'name',
      'staff_accounts.role',
      'created_at as createdAt',
      'last_signed_in_at as lastSignedInAt',
      'disabled_at as disabledAt',
      'password_expires_at as passwordExpiresAt',
      hasSecondFactor('portal_accounts.id').as('hasSecondFactor'),
    ])
    .orderBy('portal_accounts.id')
    .execute();

/** Sets what a person of the service may do; the next page goes by it. */
export async function setStaffRole(
  transaction: DatabaseTransaction,
  accountId: number,
  role: StaffRole,
): Promise<void> {
  await transaction
    .updateTable('staff_accounts')
    .set({ role })
    .where('account_id', '=', accountId)
    .execute();
}

/** The accounts of a company that can sign in; disabled ones are not people of it any more. */
const peopleOf = (database: Database, company: Company) =>
  database
    .selectFrom('portal_accounts')
    .where(companyColumn(company), '=', company.id)
    .where('disabled_at', 'is', null);

/** One person of a company; undefined for others and for removed people. */
export const findPerson = (database: Database, accountId: number, company: Company) =>
  peopleOf(database, company)
    .select(['id', 'email', 'role'])
    .where('id', '=', accountId)
    .executeTakeFirst();

/** Whether somebody else is an owner of the company; the caller holds `lockCompany`. */
export async function hasOtherOwner(
  transaction: DatabaseTransaction,
  accountId: number,
  company: Company,
): Promise<boolean> {
  const other = await peopleOf(transaction, company)
    .select('id')
    .where('role', '=', 'owner')
    .where('id', '!=', accountId)
    .executeTakeFirst();
  return other !== undefined;
}

/** Changes what a person may do, or what the person has chosen; the next page goes by it. */
export const changeAccount = (
  database: Database,
  accountId: number,
  values: Pick<
    Updateable<Schema['portal_accounts']>,
    'role' | 'language' | 'time_zone' | 'statement_by_email'
  >,
) => updateRow(database, 'portal_accounts', accountId, values);

/** The people who may see statements; they get them unless they have chosen otherwise. */
const readers = rolesFor('export');

/** SQL condition: whether the person of an account row gets monthly statements by e-mail. */
export const getsStatements = (account: string) => {
  const column = (name: string) => sql.ref(`${account}.${name}`);
  return sql<boolean>`(${column('disabled_at')} is null and ${column('role')} = any(${readers}::text[])
    and coalesce(${column('statement_by_email')}, true))`;
};

/** Whether a person gets monthly statements by e-mail. */
export const hasStatementsByEmail = (database: Database, accountId: number): Promise<boolean> =>
  firstValue(database, false)`
    select ${getsStatements('portal_accounts')} from portal_accounts where id = ${accountId}`;
