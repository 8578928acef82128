import { randomBytes, randomInt } from 'node:crypto';
import { CELL } from '../domain/cell.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 29 characters of 62: 172 bits. */
const KEY_RANDOM_LENGTH = 29;
const KEY_VISIBLE_LENGTH = 13;
const KEY_LABELS = { test: 'gvs_test_', production: 'gvs_live_' } as const;
const API_KEY = new RegExp(`^gvs_(?:test|live)_${CELL}[0-9A-Za-z]{${KEY_RANDOM_LENGTH}}$`);

export type KeyEnvironment = keyof typeof KEY_LABELS;
const keyEnvironments = Object.keys(KEY_LABELS) as KeyEnvironment[];

/**
 * A new API key, shown once. `prefix` is its first 13 characters, which identify it in
 * lists. It names environment and cell, and reveals too little for guessing.
 */
export function randomApiKey(environment: KeyEnvironment): { key: string; prefix: string } {
  const key = KEY_LABELS[environment] + CELL + randomCharacters(KEY_RANDOM_LENGTH);
  return { key, prefix: apiKeyPrefix(key) };
}

const randomCharacters = (length: number, alphabet = ALPHABET): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/** Characters that people do not confuse when they read aloud or copy. */
const READABLE = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A secret that people copy or type once: 80 bits, in groups of four. */
export const readableSecret = (): string =>
  Array.from({ length: 4 }, () => randomCharacters(4, READABLE)).join('-');

/** 256 bits in 43 characters, for a session that only the browser's cookie names, or for a form. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The prefix that identifies a key for people. */
export const apiKeyPrefix = (key: string): string => key.slice(0, KEY_VISIBLE_LENGTH);

/** Whether a text has the format of this environment's keys; others are refused without a look-up. */
export function isApiKeyOf(environment: KeyEnvironment, text: string): boolean {
  return API_KEY.test(text) && text.startsWith(KEY_LABELS[environment]);
}

/** The environment that a text in the format of an API key is for; undefined for other text. */
export const environmentOfApiKey = (text: string): KeyEnvironment | undefined =>
  keyEnvironments.find((environment) => isApiKeyOf(environment, text));

/**
 * 26 characters of 62: 154 bits. Short enough for an SMS, and without characters that end a link in
 * a text.
 */
const INVITATION_TOKEN_LENGTH = 26;

/** The token in the link of an invitation. */
export const randomInvitationToken = (): string => randomCharacters(INVITATION_TOKEN_LENGTH);

/** Six or eight digits for an SMS; all codes are equally likely. */
export function randomVerificationCode(digits: 6 | 8): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0');
}

/**
 * 18 digits, independent of the voucher's code: practically unique without a counter.
 */
export function randomSerialNumber(): string {
  return String(randomBytes(8).readBigUInt64BE() % 10n ** 18n).padStart(18, '0');
}
