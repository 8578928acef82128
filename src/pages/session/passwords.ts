import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import { readableSecret } from '../../crypto/secret-box.ts';
import { addAuditEntry } from '../../db/access/calls.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  readOneTimePassword,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
} from '../../db/people/sign-ins.ts';
import { actorOfPerson } from '../../domain/access.ts';
import type { Employer } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import type { PublicRequest } from '../page.ts';

const MINIMUM_LENGTH = 12;
const MAXIMUM_LENGTH = 200;
/** A longer one is judged by its beginning: time grows with the square of the length. */
const JUDGED_LENGTH = 40;
/** Ways to read disguises, such as 4 for a, that are tried: each takes time. */
const MAXIMUM_DISGUISES = 20;
/** The best of zxcvbn: ten billion attempts at least. */
const MINIMUM_SCORE = 4;

/** The rules for a chosen password, shown on the form. */
export const passwordHint = `At least ${MINIMUM_LENGTH} characters; several words are easy to remember. Use it nowhere else.`;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Guesses as an attacker does. Loaded by the first password that somebody chooses: its dictionaries take some megabytes. */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({
    dictionary,
    graphs: { qwerty: adjacencyGraphs.qwerty },
    l33tMaxSubstitutions: MAXIMUM_DISGUISES,
  });
}

/** Describes what is wrong with a chosen password; undefined for an acceptable one. */
export async function passwordProblem(
  password: string,
  about: { readonly email: string; readonly companyName: string },
): Promise<string | undefined> {
  const characters = [...password];
  if (characters.length < MINIMUM_LENGTH)
    return `Choose a password of at least ${MINIMUM_LENGTH} characters.`;
  if (password.length > MAXIMUM_LENGTH)
    return `Choose a password of at most ${MAXIMUM_LENGTH} characters.`;
  if (new Set(characters).size < 5)
    return 'Choose a password with more different characters: this one is easy to guess.';
  estimator ??= loadEstimator();
  const judged = joined(password).slice(0, JUDGED_LENGTH);
  if ((await estimator).check(judged, ownWords(about)).score < MINIMUM_SCORE)
    return (
      'This password is easy to guess: it consists of common words, rows of keys, repetitions, ' +
      'your e-mail address or the name of your company. Choose several unrelated words.'
    );
  return undefined;
}

/** Without what separates words: zxcvbn would take it for something that an attacker has to guess. */
const joined = (text: string): string => text.replace(/[\s._-]/g, '');

/** Words of the service and its market. */
const KNOWN_TO_ALL = ['voucher', 'airtime', 'portal', 'ethiopia', 'addis', 'ababa', 'birr'];

/** Words that an attacker knows: the e-mail address, the names, and their parts. */
function ownWords({ email, companyName }: Parameters<typeof passwordProblem>[1]): string[] {
  const whole = [email, companyName, companyName.replace(/[^\p{L}\p{N}]/gu, '')];
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...KNOWN_TO_ALL, ...whole, ...parts, ...email.split('@')]
    .map(joined)
    .filter((word) => word.length >= 3);
}

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
    ...(label === undefined ? {} : { label }),
    ...(issuer === undefined ? {} : { issuer }),
  });

/** The time step that a one-time password is of; undefined where it is of none near now. */
export function stepOf(secret: string, password: string, now = Date.now()): number | undefined {
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

/** A code as it is compared: without the spaces and hyphens that people type. */
export const plainCode = (text: string): string => text.replace(/[\s-]/g, '').toLowerCase();

const ONE_TIME_PASSWORD = /^\d{6}$/;
const RECOVERY_CODE = /^[a-z0-9]{16}$/;

/** The result of a code of an account; `used` where it is right, but works no longer. */
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
