import { sql } from 'kysely';
import type { StaffRole } from '../../domain/staff/staff-role.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { addPortalAccount, type NewPortalAccount } from './portal-accounts.ts';

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

const staffAccounts = (database: Database) =>
  database
    .selectFrom('staff_accounts')
    .innerJoin('portal_accounts', 'portal_accounts.id', 'staff_accounts.account_id');

/** An account of the service; undefined for those of companies. */
export const findStaffAccount = (database: Database, accountId: number) =>
  staffAccounts(database)
    .select([
      'portal_accounts.id',
      'email',
      'name',
      'staff_accounts.role',
      'disabled_at as disabledAt',
    ])
    .where('portal_accounts.id', '=', accountId)
    .executeTakeFirst();

/** The accounts of the service, including disabled ones. */
export const listStaffAccounts = (database: Database) =>
  staffAccounts(database)
    .select([
      'portal_accounts.id',
      'email',
      'name',
      'staff_accounts.role',
      'created_at as createdAt',
      'last_signed_in_at as lastSignedInAt',
      'disabled_at as disabledAt',
      'password_expires_at as passwordExpiresAt',
      sql<boolean>`exists(select from portal_one_time_passwords as password
        where password.account_id = portal_accounts.id)`.as('hasOneTimePassword'),
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
