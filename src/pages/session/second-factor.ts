import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import { readableSecret } from '../../crypto/random.ts';
import { addPersonEntry } from '../../db/access/calls.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  readOneTimePassword,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
} from '../../db/people/second-factors.ts';
import { plainCopy } from '../../domain/copied-text.ts';
import type { Employer } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import type { PublicRequest } from '../page.ts';
import { PASSKEY_FIELD, takeAssertion } from './passkeys.ts';
import type { WrongProof } from './sign-in.ts';

/** The field of a one-time password or a recovery code. */
export const CODE_FIELD = 'code';

/** As RFC 6238 and the apps have it. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Clocks may differ by one step. */
const WINDOW = 1;

/** A new secret, in base 32 as the apps read it. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

const passwordsOf = (secret: string, label?: string, issuer?: string): TOTP =>
  new TOTP({
    secret: Secret.fromBase32(secret),
    period: PERIOD_SECONDS,
    ...(label !== undefined && { label }),
    ...(issuer !== undefined && { issuer }),
  });

/** The time step that a one-time password is of; undefined where it is of none near now. */
export function stepOf(secret: string, password: string): number | undefined {
  const now = Date.now();
  const passwords = passwordsOf(secret);
  const delta = passwords.validate({ token: password, window: WINDOW, timestamp: now });
  return delta === null ? undefined : passwords.counter({ timestamp: now }) + delta;
}

/** The link with a secret that apps open, and that the QR code holds. */
export const secretUri = (secret: string, email: string, issuer: string) =>
  passwordsOf(secret, email, issuer).toString();

/** A text as a QR code. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return html`<svg class="qr-code" role="img" aria-label="${phrase(label)}" viewBox="0 0 ${size} ${size}"
 shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`;
}

const RECOVERY_CODES = 10;

/** The owner of a stored secret. */
export const secretContext = (accountId: number): string =>
  `one-time password of portal account ${accountId}`;

/** A code as it is compared: without the spaces and hyphens that people type or copy. */
export const plainCode = (text: string): string =>
  plainCopy(text).replace(/[ -]/g, '').toLowerCase();

const ONE_TIME_PASSWORD = /^\d{6}$/;
const RECOVERY_CODE = /^[a-z0-9]{16}$/;

/** A second factor that was not accepted. */
interface WrongFactor extends WrongProof {
  readonly by: 'code' | 'passkey';
}

/**
 * Uses up the second factor in a form of an account: the answer of a passkey, a one-time password or a recovery
 * code. The attempt is counted before. Undefined where it is right.
 */
export const takeFactor = (
  request: PublicRequest,
  person: FactorOwner,
): Promise<WrongFactor | undefined> => {
  const answer = request.form.text(PASSKEY_FIELD);
  return answer === ''
    ? takeCode(request, person, plainCode(request.form.text(CODE_FIELD)))
    : takePasskey(request, person.accountId, answer);
};

/** The person of a second factor, for the audit log, too. */
interface FactorOwner {
  readonly accountId: number;
  readonly email: string;
  readonly company: Employer;
}

const wrong: WrongFactor = {
  by: 'code',
  problem:
    'This code is incorrect. Enter the one that your app shows now, or an unused recovery code.',
};
const used: WrongFactor = {
  by: 'code',
  problem: 'This code was used already. Wait until your app shows the next one.',
};

async function takeCode(
  request: PublicRequest,
  person: FactorOwner,
  code: string,
): Promise<WrongFactor | undefined> {
  const { database, secretBox } = request.services;
  const { accountId } = person;
  if (RECOVERY_CODE.test(code))
    return (await useRecoveryCode(request, person, code)) ? undefined : wrong;
  const known = ONE_TIME_PASSWORD.test(code)
    ? await readOneTimePassword(database, accountId)
    : undefined;
  if (!known) return wrong;
  const { secretCiphertext } = known;
  const step = stepOf(secretBox.open(secretCiphertext, secretContext(accountId)), code);
  if (step === undefined) return wrong;
  const isTaken = await takeStep(database, accountId, { secretCiphertext, step });
  return isTaken ? undefined : used;
}

async function takePasskey(
  request: PublicRequest,
  accountId: number,
  answer: string,
): Promise<WrongFactor | undefined> {
  const taken = await takeAssertion(request, accountId, answer);
  if (taken === 'right') return undefined;
  return {
    by: 'passkey',
    problem:
      taken === 'late'
        ? 'The passkey came too late, or this page was sent before. Try again.'
        : 'This passkey was not accepted. Try again, or enter a code.',
  };
}

/** Uses a recovery code up, with its entry in the audit log; owners are told. False where the code is not valid. */
const useRecoveryCode = (
  { services: { database, digests }, sourceAddress }: PublicRequest,
  person: FactorOwner,
  code: string,
): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    const { accountId, email } = person;
    const digestsOfCode = digests.stored.recoveryCode(accountId, code);
    if (!(await takeRecoveryCode(transaction, accountId, digestsOfCode))) return false;
    const details = { accountId, email, sourceAddress };
    await addPersonEntry(transaction, person, 'use recovery-code', details);
    return true;
  });

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
