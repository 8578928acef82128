import type { DatabaseTransaction } from '../../../db/connection.ts';
import { forgetSignIns } from '../../../db/limits/sign-in-attempts.ts';
import { removeOneTimePassword } from '../../../db/portal/one-time-passwords.ts';
import {
  addPortalAccount,
  findPortalAccountById,
  listPortalAccounts,
  setPortalAccountDisabled,
} from '../../../db/portal/portal-accounts.ts';
import { endPortalSessions } from '../../../db/portal/portal-sessions.ts';
import { portalRoles } from '../../../domain/access/portal-role.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, email, id, oneOf, optional, required } from '../../fields.ts';
import { companyFields, requireCompany } from '../../record-names.ts';
import { column, numbers, table } from '../../tables.ts';
import { makePassword, renewPassword, signInColumns } from './account-parts.ts';

export const createPortalAccount = changeCommand({
  name: 'create portal-account',
  details:
    'In the portal people make API keys, register addresses and public keys, and see their data. ' +
    'The password is shown once and expires after a day; the ' +
    'person chooses a new one at the first sign-in.',
  fields: {
    email: required(email, 'The e-mail address for the sign-in'),
    ...companyFields,
    role: optional(oneOf(...portalRoles), 'What the person may do; owner by default'),
  },
  examples: [
    'create portal-account --email abebe@shop.example --partner 1',
    'create portal-account --email sara@till.example --merchant 3',
  ],
  async change(transaction, input, { oneTimePasswords }) {
    const company = await requireCompany(transaction, input);
    const { password, hash, shown } = await makePassword(oneTimePasswords);
    const accountId = await addPortalAccount(transaction, {
      email: input.email,
      company,
      role: input.role ?? 'owner',
      passwordHash: hash,
      mustChangePassword: true,
      passwordLifetimeSeconds: oneTimePasswords.lifetimeSeconds,
    });
    if (accountId === undefined)
      throw new AdminError(`${input.email} already has an account: see "list portal-accounts".`);
    return {
      subject: company,
      details: { accountId, email: input.email, role: input.role ?? 'owner' },
      text: `Created portal account ${accountId} (${input.email}) of ${company.kind} ${company.id}. ${shown}`,
      secretOutput: { password },
    };
  },
});

const accountId = argument(id, 'The id of the account: see list portal-accounts');

/** @throws {AdminError} where the account does not exist */
async function changeAccount(
  transaction: DatabaseTransaction,
  accountId: number,
  isDisabled: boolean,
) {
  const account = await setPortalAccountDisabled(transaction, accountId, isDisabled);
  if (account && account.company.kind !== 'staff') return account;
  throw noSuchAccount(accountId);
}

const noSuchAccount = (accountId: number): AdminError =>
  new AdminError(`There is no portal account ${accountId}: see "list portal-accounts".`);

export const resetPortalPassword = changeCommand({
  name: 'reset portal-password',
  details:
    'Verify the identity of the person first. Wrong passwords and codes are forgotten: the person may sign ' +
    'in at once.',
  fields: { id: accountId },
  examples: ['reset portal-password 2'],
  async change(transaction, input, { oneTimePasswords }) {
    const { email: address, company } = await changeAccount(transaction, input.id, false);
    const { password, shown } = await renewPassword(transaction, input.id, oneTimePasswords);
    return {
      subject: company,
      details: { accountId: input.id, email: address },
      text: `Portal account ${input.id} (${address}) has a new password. ${shown}`,
      secretOutput: { password },
    };
  },
});

export const resetOneTimePassword = changeCommand({
  name: 'reset one-time-password',
  details:
    'For a person who has lost the phone and the recovery codes. Verify the identity of the person ' +
    'first: the next sign-in takes only the password, and wrong ones are forgotten. The owners are told by e-mail.',
  fields: { account: required(id, 'The id of the account: see list portal-accounts') },
  examples: ['reset one-time-password --account 2'],
  async change(transaction, input) {
    const found = await findPortalAccountById(transaction, input.account);
    if (found === undefined || found.company.kind === 'staff') throw noSuchAccount(input.account);
    if (!(await removeOneTimePassword(transaction, input.account)))
      return { unchanged: `Portal account ${input.account} (${found.email}) has none.` };
    await endPortalSessions(transaction, input.account);
    await forgetSignIns(transaction, input.account);
    return {
      subject: found.company,
      details: { accountId: input.account, email: found.email },
      text: `Portal account ${input.account} (${found.email}) signs in with its password alone.`,
    };
  },
});

export const disablePortalAccount = changeCommand({
  name: 'disable portal-account',
  details: 'Its sessions end. "reset portal-password" enables it again.',
  fields: { id: accountId },
  examples: ['disable portal-account 2'],
  async change(transaction, input) {
    const { email: address, company } = await changeAccount(transaction, input.id, true);
    await endPortalSessions(transaction, input.id);
    return {
      subject: company,
      details: { accountId: input.id, email: address },
      text: `Disabled portal account ${input.id} (${address}).`,
    };
  },
});

export const listPortalAccountsCommand = lookCommand({
  name: 'list portal-accounts',
  fields: companyFields,
  examples: ['list portal-accounts --partner 1'],
  async look(database, input) {
    const accounts = await listPortalAccounts(database, await requireCompany(database, input));
    return {
      json: accounts,
      text: table(accounts, [
        numbers('id', (row) => row.id),
        column('e-mail', (row) => row.email),
        column('role', (row) => row.role),
        ...signInColumns,
      ]),
    };
  },
});
