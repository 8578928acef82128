import { readableSecret } from '../../crypto/readable-secret.ts';
import { addAuditEntry } from '../../db/access/audit.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  readOneTimePassword,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
} from '../../db/portal/one-time-passwords.ts';
import { actorOfPerson } from '../../domain/access/access-changes.ts';
import type { Employer } from '../../domain/voucher.ts';
import type { PublicRequest } from '../page.ts';
import { stepOf } from './one-time-password.ts';

const RECOVERY_CODES = 10;

/** The owner of a stored secret. */
export const secretContext = (accountId: number): string =>
  `one-time password of portal account ${accountId}`;

/** A code as it is compared: without the spaces and hyphens that people type. */
export const plainCode = (text: string): string => text.replace(/[\s-]/g, '').toLowerCase();

const ONE_TIME_PASSWORD = /^\d{6}$/;
const RECOVERY_CODE = /^[a-z0-9]{16}$/;

/** What a code of an account was; `used` where it is right, but works no longer. */
export type TakenCode = 'one-time-password' | 'recovery-code' | 'used' | 'wrong';

/** Uses up a one-time password or a recovery code of an account. The attempt is counted before. */
export async function takeCode(
  { services }: Pick<PublicRequest, 'services'>,
  accountId: number,
  text: string,
): Promise<TakenCode> {
  const { database, digests, secretBox } = services;
  const code = plainCode(text);
  if (RECOVERY_CODE.test(code)) {
    const isTaken = await takeRecoveryCode(
      database,
      accountId,
      digests.stored.recoveryCode(accountId, code),
    );
    return isTaken ? 'recovery-code' : 'wrong';
  }
  const known = ONE_TIME_PASSWORD.test(code)
    ? await readOneTimePassword(database, accountId)
    : undefined;
  if (!known) return 'wrong';
  const { secretCiphertext } = known;
  const step = stepOf(secretBox.open(secretCiphertext, secretContext(accountId)), code);
  if (step === undefined) return 'wrong';
  const isTaken = await takeStep(database, accountId, { secretCiphertext, step });
  return isTaken ? 'one-time-password' : 'used';
}

/** Records that a person used a recovery code up; owners are told. */
export const recordRecoveryCode = (
  transaction: DatabaseTransaction,
  { sourceAddress }: Pick<PublicRequest, 'sourceAddress'>,
  person: { readonly accountId: number; readonly email: string; readonly company: Employer },
): Promise<void> =>
  addAuditEntry(transaction, {
    actor: actorOfPerson(person),
    action: 'use recovery-code',
    subjectKind: person.company.kind,
    subjectId: person.company.id,
    details: { accountId: person.accountId, email: person.email, sourceAddress },
  });

/** The problem of a code that was not accepted. */
export const codeProblem = (taken: 'used' | 'wrong'): string =>
  taken === 'used'
    ? 'This code was used already. Wait until your app shows the next one.'
    : 'This code is incorrect. Enter the one that your app shows now, or an unused recovery code.';

/** Gives an account new recovery codes; only the answer holds them in clear. */
export async function makeRecoveryCodes(
  transaction: DatabaseTransaction,
  { services }: Pick<PublicRequest, 'services'>,
  accountId: number,
): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, readableSecret);
  const digests = codes.map((code) => services.digests.recoveryCode(accountId, plainCode(code)));
  await replaceRecoveryCodes(transaction, accountId, digests);
  return codes;
}
