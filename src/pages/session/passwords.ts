import { readFileSync } from 'node:fs';
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

/** Ranks of common passwords, the most common first; see common-passwords.LICENSE.txt. */
const ranks: ReadonlyMap<string, number> = new Map(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((password, index) => [password, index + 2]),
);

const LONGEST_PART = 40;
const SHORTEST_WORD = 4;
const SHORTEST_PATTERN = 3;

/** Bits that each kind of part adds against an attacker who guesses by rule. */
const BITS = { character: 5.5, digit: 3.4, own: 4, run: 7, again: 5, disguise: 1 } as const;

/** Neighbouring keys, digits and letters; each also in reverse. */
const ROWS = ['1234567890', '0123456789', 'abcdefghijklmnopqrstuvwxyz']
  .concat(['qwertyuiop', 'asdfghjkl', 'zxcvbnm', '1qaz2wsx3edc4rfv5tgb6yhn', 'qazwsxedcrfvtgb'])
  .flatMap((row) => [row, [...row].toReversed().join('')]);

const DISGUISES: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' },
};

/**
 * Bits that an attacker has to guess who first tries combinations of common passwords, rows of
 * keys, digits, repetitions and known words of the person (`ownWords`).
 */
function guessBits(password: string, ownWords: readonly string[]): number {
  const plain = password.toLowerCase();
  const undisguised = [...plain].map((character) => DISGUISES[character] ?? character).join('');
  const own = new Set(ownWords.map((word) => word.toLowerCase()));
  /** Index n: the cheapest way to guess the first n characters. */
  const least = [0];
  for (let end = 1; end <= plain.length; end += 1) {
    const last = plain.charAt(end - 1);
    let bits = (least[end - 1] ?? 0) + (/\d/.test(last) ? BITS.digit : BITS.character);
    for (let start = Math.max(0, end - LONGEST_PART); start <= end - SHORTEST_PATTERN; start += 1) {
      const part = partBits(plain.slice(start, end), plain.slice(0, start), own);
      const disguised = wordBits(undisguised.slice(start, end), own) + BITS.disguise;
      bits = Math.min(bits, (least[start] ?? 0) + Math.min(part, disguised));
    }
    least.push(bits);
  }
  return least.at(-1) ?? 0;
}

function partBits(part: string, before: string, own: ReadonlySet<string>): number {
  const isRun = new Set(part).size === 1 || ROWS.some((row) => row.includes(part));
  if (isRun) return BITS.run;
  return Math.min(
    before.includes(part) ? BITS.again : Number.POSITIVE_INFINITY,
    wordBits(part, own),
  );
}

function wordBits(word: string, own: ReadonlySet<string>): number {
  if (own.has(word)) return BITS.own;
  const rank = word.length >= SHORTEST_WORD ? ranks.get(word) : undefined;
  return rank === undefined ? Number.POSITIVE_INFINITY : Math.log2(rank);
}

const MINIMUM_LENGTH = 12;
const MAXIMUM_LENGTH = 200;
/** About ten billion attempts. */
const MINIMUM_BITS = 33;

/** The rules for a chosen password, shown on the form. */
export const passwordHint = `At least ${MINIMUM_LENGTH} characters; several words are easy to remember. Use it nowhere else.`;

/** Describes what is wrong with a chosen password; undefined for an acceptable one. */
export function passwordProblem(
  password: string,
  about: { readonly email: string; readonly companyName: string },
): string | undefined {
  const characters = [...password];
  if (characters.length < MINIMUM_LENGTH)
    return `Choose a password of at least ${MINIMUM_LENGTH} characters.`;
  if (password.length > MAXIMUM_LENGTH)
    return `Choose a password of at most ${MAXIMUM_LENGTH} characters.`;
  if (new Set(characters).size < 5)
    return 'Choose a password with more different characters: this one is easy to guess.';
  if (guessBits(password, ownWords(about)) < MINIMUM_BITS)
    return (
      'This password is easy to guess: it consists of common words, rows of keys, repetitions, ' +
      'your e-mail address or the name of your company. Choose several unrelated words.'
    );
  return undefined;
}

/** Words of the service and its market. */
const KNOWN_TO_ALL = ['voucher', 'airtime', 'portal', 'ethiopia', 'addis', 'ababa', 'birr'];

/** Words that an attacker knows: the e-mail address, the names, and their parts. */
function ownWords({ email, companyName }: Parameters<typeof passwordProblem>[1]): string[] {
  const whole = [email, companyName, companyName.replace(/[^\p{L}\p{N}]/gu, '')];
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...KNOWN_TO_ALL, ...whole, ...parts, ...email.split('@')].filter(
    (word) => word.length >= 3,
  );
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
