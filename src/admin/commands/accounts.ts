import type { AdminConfig } from '../../config/config.ts';
import { createPasswordHashes } from '../../crypto/password-hashes.ts';
import { readableSecret } from '../../crypto/random.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  addPortalAccount,
  addStaffAccount,
  findAccount,
  listPortalAccounts,
  listStaffAccounts,
  setStaffRole,
} from '../../db/people/accounts.ts';
import { removeSecondFactors, resetSecondFactor } from '../../db/people/second-factors.ts';
import { disableAccount, resetAccount } from '../../db/people/sign-ins.ts';
import { hoursOfPassword, portalRoles } from '../../domain/access.ts';
import { staffRoleMeanings, staffRoles } from '../../domain/staff.ts';
import { type AdminCommand, type Change, changeCommand, lookCommand } from '../command.ts';
import { AdminError, argument, email, id, oneOf, required, text, withDefault } from '../fields.ts';
import { companyFields, companyList, lockedCompany, lockSubject } from '../record-names.ts';
import { tableReport } from '../tables.ts';

/** The work of a password's hash, and how long a password lives that somebody else has seen. */
type OneTimePasswords = Pick<
  AdminConfig['portal'],
  'portalPasswordCost' | 'portalOneTimePasswordSeconds'
>;

/** A password that an operator passes on: how it is stored, and the text that shows it, once. */
async function makePassword({
  portalPasswordCost,
  portalOneTimePasswordSeconds,
}: OneTimePasswords) {
  const password = readableSecret();
  const hours = hoursOfPassword(portalOneTimePasswordSeconds);
  return {
    password,
    given: {
      hash: await createPasswordHashes(portalPasswordCost).make(password),
      mustChange: true,
      lifetimeSeconds: portalOneTimePasswordSeconds,
    },
    shown:
      `The password is shown once, expires in ${hours} h, and must be changed at the first sign-in:` +
      `\n\n  ${password}\n`,
  };
}

/** The accounts of companies, or those of the service. */
type AccountKind = 'portal' | 'staff';

/** The words before the verb in their commands. */
const accountCommands = { portal: 'access account', staff: 'access staff' } as const;

const accountArgument = (kind: AccountKind) =>
  argument(id, `The id of the account: see ${accountCommands[kind]} list`);

/** @throws {AdminError} where there is no such account, or it is of the other kind */
async function requireAccount(
  transaction: DatabaseTransaction,
  kind: AccountKind,
  accountId: number,
) {
  const account = await findAccount(transaction, accountId);
  if (!account || (account.company.kind === 'staff') !== (kind === 'staff'))
    throw new AdminError(
      `There is no ${kind} account ${accountId}: see "${accountCommands[kind]} list".`,
    );
  const label = `${kind === 'portal' ? 'Portal' : 'Staff'} account ${accountId} (${account.email})`;
  return { ...account, label };
}

/** Gives an account a password that an operator passes on. */
async function resetPassword(
  transaction: DatabaseTransaction,
  kind: AccountKind,
  accountId: number,
  settings: OneTimePasswords,
): Promise<Change> {
  const { email: address, company, label } = await requireAccount(transaction, kind, accountId);
  // A deleted merchant has no access.
  if (company.kind !== 'staff') await lockSubject(transaction, company);
  const { password, given, shown } = await makePassword(settings);
  await resetAccount(transaction, accountId, given);
  return {
    subject: company,
    details: { accountId, email: address },
    text: `${label} has a new password. ${shown}`,
    secretOutput: { password },
  };
}

const disableCommand = (kind: AccountKind, reset: string): AdminCommand =>
  changeCommand({
    action: `disable ${kind}-account`,
    details: `Its sessions end. "${reset}" enables it again.`,
    fields: { id: accountArgument(kind) },
    async change(transaction, { id: given }) {
      const { email: address, company, label } = await requireAccount(transaction, kind, given);
      if (!(await disableAccount(transaction, given)))
        return { unchanged: `No change: ${label} is disabled already.` };
      return {
        subject: company,
        details: { accountId: given, email: address },
        text: `${label} is disabled.`,
      };
    },
  });

/** What lists of accounts say of the sign-in. */
const signInColumns = [
  'hasSecondFactor',
  'createdAt',
  'lastSignedInAt',
  'passwordExpiresAt',
  'disabledAt',
] as const;

const roleMeanings = staffRoles.map((role) => `${role}: ${staffRoleMeanings[role]}`);

export const commands = {
  'access account create': changeCommand({
    action: 'create portal-account',
    details:
      'In the portal people make API keys, register addresses and public keys, and see their data. ' +
      'The password is shown once and expires after a day; the ' +
      'person chooses a new one at the first sign-in.',
    fields: {
      email: required(email, 'The e-mail address for the sign-in'),
      ...companyFields,
      role: withDefault(oneOf(...portalRoles), 'What the person may do', 'owner'),
    },
    examples: ['--email abebe@shop.example --partner 1', '--email sara@till.example --merchant 3'],
    async change(transaction, input, { settings: { portal } }) {
      const company = await lockedCompany(transaction, input);
      const { password, given, shown } = await makePassword(portal);
      const accountId = await addPortalAccount(transaction, {
        email: input.email,
        company,
        role: input.role,
        password: given,
      });
      if (accountId === undefined)
        throw new AdminError(`${input.email} already has an account: see "access account list".`);
      return {
        subject: company,
        details: { accountId, email: input.email, role: input.role },
        text: `Created portal account ${accountId} (${input.email}) of ${company.kind} ${company.id}. ${shown}`,
        secretOutput: { password },
      };
    },
  }),

  'access account reset-password': changeCommand({
    action: 'reset portal-password',
    details:
      'Verify the identity of the person first. Wrong passwords and codes are forgotten: the person may sign ' +
      'in at once.',
    fields: { id: accountArgument('portal') },
    change: (transaction, input, { settings: { portal } }) =>
      resetPassword(transaction, 'portal', input.id, portal),
  }),

  'access account reset-second-factor': changeCommand({
    action: 'reset second-factor',
    details:
      'For a person who has lost the phone or the passkeys, and the recovery codes. Verify the identity of the ' +
      'person first: the next sign-in takes only the password, and wrong ones are forgotten. The owners are told by e-mail.',
    fields: { id: accountArgument('portal') },
    async change(transaction, { id: account }) {
      const {
        email: address,
        company,
        label,
      } = await requireAccount(transaction, 'portal', account);
      if (!(await resetSecondFactor(transaction, account)))
        return { unchanged: `${label} has none.` };
      return {
        subject: company,
        details: { accountId: account, email: address },
        text: `${label} signs in with the password alone.`,
      };
    },
  }),

  'access account disable': disableCommand('portal', 'access account reset-password'),

  'access account list': companyList({
    read: listPortalAccounts,
    columns: ['id', 'email', 'role', ...signInColumns],
  }),

  'access staff create': changeCommand({
    action: 'create staff-account',
    details:
      'The password is shown once and expires after a day. At the ' +
      'first sign-in the person chooses a new one and sets up a second factor, without which ' +
      'nothing opens.',
    detailLines: roleMeanings,
    fields: {
      email: required(email, 'The e-mail address for the sign-in'),
      name: required(text, 'The name that repairs and the audit log show'),
      role: required(oneOf(...staffRoles), 'What the person may do'),
    },
    examples: ['--email hanna@service.example --name Hanna --role AGENT'],
    async change(transaction, input, { settings: { portal } }) {
      const { password, given, shown } = await makePassword(portal);
      const { email: address, name, role } = input;
      const accountId = await addStaffAccount(transaction, {
        email: address,
        name,
        role,
        password: given,
      });
      if (accountId === undefined)
        throw new AdminError(
          `${address} already has an account, of the service or of a company: use another address.`,
        );
      return {
        subject: { kind: 'staff', id: accountId },
        details: { email: address, name, role },
        text: `Created staff account ${accountId} (${address}, ${role}). ${shown}`,
        secretOutput: { password },
      };
    },
  }),

  'access staff set-role': changeCommand({
    action: 'set staff-role',
    detailLines: roleMeanings,
    fields: {
      id: accountArgument('staff'),
      role: required(oneOf(...staffRoles), 'What the person may do'),
    },
    examples: ['2 --role SUPERVISOR'],
    async change(transaction, { id: given, role }) {
      const account = await requireAccount(transaction, 'staff', given);
      const text = `${account.label} has the role ${role}.`;
      if (account.staffRole === role) return { unchanged: text };
      await setStaffRole(transaction, given, role);
      return {
        subject: account.company,
        details: { email: account.email, from: account.staffRole, role },
        text,
      };
    },
  }),

  'access staff reset': changeCommand({
    action: 'reset staff-account',
    details:
      'For a person who has lost the password, or the second factor and the recovery codes. Verify the ' +
      'identity of the person first. A disabled account works again, and wrong passwords and codes are ' +
      'forgotten.',
    fields: { id: accountArgument('staff') },
    async change(transaction, input, { settings: { portal } }) {
      const change = await resetPassword(transaction, 'staff', input.id, portal);
      await removeSecondFactors(transaction, input.id);
      return change;
    },
  }),

  'access staff disable': disableCommand('staff', 'access staff reset'),

  'access staff list': lookCommand({
    fields: {},
    look: async (database) =>
      tableReport(await listStaffAccounts(database), [
        'id',
        'name',
        'email',
        'role',
        ...signInColumns,
      ]),
  }),
};
