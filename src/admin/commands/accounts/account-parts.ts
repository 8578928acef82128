import { createPasswordHashes } from '../../../crypto/password-hashes.ts';
import { readableSecret } from '../../../crypto/readable-secret.ts';
import type { DatabaseTransaction } from '../../../db/connection.ts';
import { forgetSignIns } from '../../../db/limits/sign-in-attempts.ts';
import { setPassword } from '../../../db/portal/portal-accounts.ts';
import { endPortalSessions } from '../../../db/portal/portal-sessions.ts';
import { column, time } from '../../tables.ts';

/** The work of a password's hash, and how long a password lives that somebody else has seen. */
interface OneTimePasswords {
  readonly cost: number;
  readonly lifetimeSeconds: number;
}

/** A password that an operator passes on: its hash, and the text that shows it, once. */
export async function makePassword({ cost, lifetimeSeconds }: OneTimePasswords) {
  const password = readableSecret();
  const hours = Math.max(1, Math.round(lifetimeSeconds / 3_600));
  return {
    password,
    hash: await createPasswordHashes(cost).make(password),
    shown:
      `The password is shown once, expires in ${hours} h, and must be changed at the first sign-in:` +
      `\n\n  ${password}\n`,
  };
}

/** Gives an account such a password, ends its sessions, and forgets wrong passwords and codes. */
export async function renewPassword(
  transaction: DatabaseTransaction,
  accountId: number,
  settings: OneTimePasswords,
) {
  const { hash, ...made } = await makePassword(settings);
  const { lifetimeSeconds } = settings;
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

export const signInColumns = [
  column<SignInFacts>('one-time password', (row) => (row.hasOneTimePassword ? 'on' : 'off')),
  column<SignInFacts>('made', (row) => time(row.createdAt)),
  column<SignInFacts>('last signed in', (row) => row.lastSignedInAt && time(row.lastSignedInAt)),
  column<SignInFacts>(
    'password ends',
    (row) => row.passwordExpiresAt && time(row.passwordExpiresAt),
  ),
  column<SignInFacts>('disabled', (row) => row.disabledAt && time(row.disabledAt)),
];
