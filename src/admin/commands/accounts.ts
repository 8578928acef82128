import type { AdminConfig } from '../../config/config.ts';
import { createPasswordHashes } from '../../crypto/password-hashes.ts';
import { readableSecret } from '../../crypto/secret-box.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { forgetSignIns } from '../../db/limits/attempts.ts';
import {
  addPortalAccount,
  addStaffAccount,
  findPortalAccountById,
  findStaffAccount,
  listPortalAccounts,
  listStaffAccounts,
  setPassword,
  setPortalAccountDisabled,
  setStaffRole,
} from '../../db/people/accounts.ts';
import { endPortalSessions, removeOneTimePassword } from '../../db/people/sign-ins.ts';
import { portalRoles } from '../../domain/access.ts';
import { staffRoleMeanings, staffRoles } from '../../domain/staff.ts';
import { changeCommand, lookCommand } from '../command.ts';
import { AdminError, argument, email, id, oneOf, optional, required, text } from '../fields.ts';
import { companyFields, requireCompany } from '../record-names.ts';
import { column, numbers, textTable, timeText } from '../tables.ts';

/** The work of a password's hash, and how long a password lives that somebody else has seen. */
type OneTimePasswords = Pick<
  AdminConfig['portal'],
  'portalPasswordCost' | 'portalOneTimePasswordSeconds'
>;

/** A password that an operator passes on: its hash, and the text that shows it, once. */
async function makePassword({
  portalPasswordCost,
  portalOneTimePasswordSeconds,
}: OneTimePasswords) {
  const password = readableSecret();
  const hours = Math.max(1, Math.round(portalOneTimePasswordSeconds / 3_600));
  return {
    password,
    hash: await createPasswordHashes(portalPasswordCost).make(password),
    shown:
      `The password is shown once, expires in ${hours} h, and must be changed at the first sign-in:` +
      `\n\n  ${password}\n`,
  };
}

/** Gives an account such a password, ends its sessions, and forgets wrong passwords and codes. */
async function renewPassword(
  transaction: DatabaseTransaction,
  accountId: number,
  settings: OneTimePasswords,
) {
  const { hash, ...made } = await makePassword(settings);
  const { portalOneTimePasswordSeconds: lifetimeSeconds } = settings;
  await setPassword(transaction, accountId, { hash, mustChange: true, lifetimeSeconds });
  await endPortalSessions(transaction, accountId);
  await forgetSignIns(transaction, accountId);
  return made;
}

/** What lists of accounts say of the sign-in. */
interface SignInFacts {
  readonly hasOneTimePassword: boolean;
  readonly createdAt: Date;
  readonly lastSignedInAt: Date | null;
  readonly passwordExpiresAt: Date | null;
  readonly disabledAt: Date | null;
}

const signInColumns = [
  column<SignInFacts>('one-time password', (row) => (row.hasOneTimePassword ? 'on' : 'off')),
  column<SignInFacts>('made', (row) => timeText(row.createdAt)),
  column<SignInFacts>(
    'last signed in',
    (row) => row.lastSignedInAt && timeText(row.lastSignedInAt),
  ),
  column<SignInFacts>(
    'password ends',
    (row) => row.passwordExpiresAt && timeText(row.passwordExpiresAt),
  ),
  column<SignInFacts>('disabled', (row) => row.disabledAt && timeText(row.disabledAt)),
];

export const createPortalAccountCommand = changeCommand({
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
  async change(transaction, input, { settings: { portal } }) {
    const company = await requireCompany(transaction, input);
    const { password, hash, shown } = await makePassword(portal);
    const accountId = await addPortalAccount(transaction, {
      email: input.email,
      company,
      role: input.role ?? 'owner',
      passwordHash: hash,
      mustChangePassword: true,
      passwordLifetimeSeconds: portal.portalOneTimePasswordSeconds,
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

const portalAccountId = argument(id, 'The id of the account: see list portal-accounts');

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

export const resetPortalPasswordCommand = changeCommand({
  name: 'reset portal-password',
  details:
    'Verify the identity of the person first. Wrong passwords and codes are forgotten: the person may sign ' +
    'in at once.',
  fields: { id: portalAccountId },
  examples: ['reset portal-password 2'],
  async change(transaction, input, { settings: { portal } }) {
    const { email: address, company } = await changeAccount(transaction, input.id, false);
    const { password, shown } = await renewPassword(transaction, input.id, portal);
    return {
      subject: company,
      details: { accountId: input.id, email: address },
      text: `Portal account ${input.id} (${address}) has a new password. ${shown}`,
      secretOutput: { password },
    };
  },
});

export const resetOneTimePasswordCommand = changeCommand({
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

export const disablePortalAccountCommand = changeCommand({
  name: 'disable portal-account',
  details: 'Its sessions end. "reset portal-password" enables it again.',
  fields: { id: portalAccountId },
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
      text: textTable(accounts, [
        numbers('id', (row) => row.id),
        column('e-mail', (row) => row.email),
        column('role', (row) => row.role),
        ...signInColumns,
      ]),
    };
  },
});

const roleMeanings = staffRoles.map((role) => `${role}: ${staffRoleMeanings[role]}`);

const subjectOf = (accountId: number) => ({ kind: 'staff', id: accountId });

export const createStaffAccountCommand = changeCommand({
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
  async change(transaction, input, { settings: { portal } }) {
    const { password, hash, shown } = await makePassword(portal);
    const { email: address, name, role } = input;
    const accountId = await addStaffAccount(transaction, {
      email: address,
      name,
      role,
      passwordHash: hash,
      mustChangePassword: true,
      passwordLifetimeSeconds: portal.portalOneTimePasswordSeconds,
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

const staffAccountId = argument(id, 'The id of the account: see list staff-accounts');

/** @throws {AdminError} where the account does not exist, or belongs to a company */
async function requireStaff(transaction: DatabaseTransaction, id: number) {
  const account = await findStaffAccount(transaction, id);
  if (account) return account;
  throw new AdminError(`There is no staff account ${id}: see "list staff-accounts".`);
}

export const setStaffRoleCommand = changeCommand({
  name: 'set staff-role',
  detailLines: roleMeanings,
  fields: { id: staffAccountId, role: required(oneOf(...staffRoles), 'What the person may do') },
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

export const resetStaffAccountCommand = changeCommand({
  name: 'reset staff-account',
  details:
    'For a person who has lost the password, or the phone and the recovery codes. Verify the ' +
    'identity of the person first. A disabled account works again, and wrong passwords and codes are ' +
    'forgotten.',
  fields: { id: staffAccountId },
  examples: ['reset staff-account 2'],
  async change(transaction, input, { settings: { portal } }) {
    const { email: address } = await requireStaff(transaction, input.id);
    await setPortalAccountDisabled(transaction, input.id, false);
    await removeOneTimePassword(transaction, input.id);
    const { password, shown } = await renewPassword(transaction, input.id, portal);
    return {
      subject: subjectOf(input.id),
      details: { email: address },
      text: `Staff account ${input.id} (${address}) has a new password. ${shown}`,
      secretOutput: { password },
    };
  },
});

export const disableStaffAccountCommand = changeCommand({
  name: 'disable staff-account',
  details: 'Its sessions end. "reset staff-account" enables it again.',
  fields: { id: staffAccountId },
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
      text: textTable(accounts, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('e-mail', (row) => row.email),
        column('role', (row) => row.role),
        ...signInColumns,
      ]),
    };
  },
});
