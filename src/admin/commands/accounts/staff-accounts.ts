import type { DatabaseTransaction } from '../../../db/connection.ts';
import { removeOneTimePassword } from '../../../db/portal/one-time-passwords.ts';
import { setPortalAccountDisabled } from '../../../db/portal/portal-accounts.ts';
import { endPortalSessions } from '../../../db/portal/portal-sessions.ts';
import {
  addStaffAccount,
  findStaffAccount,
  listStaffAccounts,
  setStaffRole,
} from '../../../db/portal/staff-accounts.ts';
import { staffRoleMeanings, staffRoles } from '../../../domain/staff/staff-role.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, email, id, oneOf, required, text } from '../../fields.ts';
import { column, numbers, table } from '../../tables.ts';
import { makePassword, renewPassword, signInColumns } from './account-parts.ts';

const roleMeanings = staffRoles.map((role) => `${role}: ${staffRoleMeanings[role]}`);

const subjectOf = (accountId: number) => ({ kind: 'staff', id: accountId });

export const createStaffAccount = changeCommand({
  name: 'create staff-account',
  details:
    'The password is shown once and expires after a day. At the ' +
    'first sign-in the person chooses a new one and sets up one-time passwords, without which ' +
    'nothing opens.',
  detailLines: roleMeanings,
  fields: {
    email: required(email, 'The e-mail address for the sign-in'),
    name: required(text, 'The name that repairs and the audit log show'),
    role: required(oneOf(...staffRoles), 'What the person may do'),
  },
  examples: ['create staff-account --email hanna@service.example --name Hanna --role AGENT'],
  async change(transaction, input, { oneTimePasswords }) {
    const { password, hash, shown } = await makePassword(oneTimePasswords);
    const { email: address, name, role } = input;
    const accountId = await addStaffAccount(transaction, {
      email: address,
      name,
      role,
      passwordHash: hash,
      mustChangePassword: true,
      passwordLifetimeSeconds: oneTimePasswords.lifetimeSeconds,
    });
    if (accountId === undefined)
      throw new AdminError(
        `${address} already has an account, of the service or of a company: use another address.`,
      );
    return {
      subject: subjectOf(accountId),
      details: { email: address, name, role },
      text: `Created staff account ${accountId} (${address}, ${role}). ${shown}`,
      secretOutput: { password },
    };
  },
});

const accountId = argument(id, 'The id of the account: see list staff-accounts');

/** @throws {AdminError} where the account does not exist, or belongs to a company */
async function requireStaff(transaction: DatabaseTransaction, id: number) {
  const account = await findStaffAccount(transaction, id);
  if (account) return account;
  throw new AdminError(`There is no staff account ${id}: see "list staff-accounts".`);
}

export const setStaffRoleCommand = changeCommand({
  name: 'set staff-role',
  detailLines: roleMeanings,
  fields: { id: accountId, role: required(oneOf(...staffRoles), 'What the person may do') },
  examples: ['set staff-role 2 --role SUPERVISOR'],
  async change(transaction, { id: given, role }) {
    const account = await requireStaff(transaction, given);
    if (account.role === role)
      return { unchanged: `Staff account ${given} (${account.email}) has the role ${role}.` };
    await setStaffRole(transaction, given, role);
    return {
      subject: subjectOf(given),
      details: { email: account.email, from: account.role, role },
      text: `Staff account ${given} (${account.email}) has the role ${role}.`,
    };
  },
});

export const resetStaffAccount = changeCommand({
  name: 'reset staff-account',
  details:
    'For a person who has lost the password, or the phone and the recovery codes. Verify the ' +
    'identity of the person first. A disabled account works again, and wrong passwords and codes are ' +
    'forgotten.',
  fields: { id: accountId },
  examples: ['reset staff-account 2'],
  async change(transaction, input, { oneTimePasswords }) {
    const { email: address } = await requireStaff(transaction, input.id);
    await setPortalAccountDisabled(transaction, input.id, false);
    await removeOneTimePassword(transaction, input.id);
    const { password, shown } = await renewPassword(transaction, input.id, oneTimePasswords);
    return {
      subject: subjectOf(input.id),
      details: { email: address },
      text: `Staff account ${input.id} (${address}) has a new password. ${shown}`,
      secretOutput: { password },
    };
  },
});

export const disableStaffAccount = changeCommand({
  name: 'disable staff-account',
  details: 'Its sessions end. "reset staff-account" enables it again.',
  fields: { id: accountId },
  examples: ['disable staff-account 2'],
  async change(transaction, input) {
    const { email: address } = await requireStaff(transaction, input.id);
    await setPortalAccountDisabled(transaction, input.id, true);
    await endPortalSessions(transaction, input.id);
    return {
      subject: subjectOf(input.id),
      details: { email: address },
      text: `Disabled staff account ${input.id} (${address}).`,
    };
  },
});

export const listStaffAccountsCommand = lookCommand({
  name: 'list staff-accounts',
  fields: {},
  examples: ['list staff-accounts'],
  async look(database) {
    const accounts = await listStaffAccounts(database);
    return {
      json: accounts,
      text: table(accounts, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('e-mail', (row) => row.email),
        column('role', (row) => row.role),
        ...signInColumns,
      ]),
    };
  },
});
