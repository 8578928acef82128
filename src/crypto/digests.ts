import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { createNumberHash } from './phone-numbers.ts';
import { type PreparedKey, prepareKeys, type SecretBox, type SecretKey } from './secret-box.ts';

/** The parts that identify an operation. */
export interface OperationName {
  readonly company: { readonly kind: string; readonly id: number };
  readonly kind: string;
  /** The caller's idempotency key. */
  readonly key: string;
}

type SignInSubject =
  | 'account'
  | 'address'
  | 'account-at-address'
  | 'device'
  | 'change'
  | 'link-address'
  | 'code'
  | 'failure';

export type Digests = ReturnType<typeof createDigests>;

type Part = string | Uint8Array;

/**
 * Keyed digests: HMAC-SHA256 stores secrets and finds them again without revealing
 * them. Every kind has its own domain, so digests of different kinds never match. Digests for
 * columns are bytes; those that payloads and workflow ids also contain are hex.
 *
 * `digestKey` (32 bytes) names operations, requests, payments and counted subjects, which are no
 * secrets, and API keys: it must not change for the life of the database. All other digests are
 * made with the first key of `digestKeys` and found under all of them. Each carries the id of its key.
 * The identity key was the only one at first, so its digests carry none.
 */
export function createDigests({
  digestKey: identityKey,
  digestKeys: ring = [{ id: '', key: identityKey }],
}: {
  readonly digestKey: Buffer;
  readonly digestKeys?: readonly SecretKey[] | undefined;
}) {
  const identity = createSecretKey(identityKey);
  const keys = prepareKeys(
    ring.map(({ id, key }) => ({ id: key.equals(identityKey) ? '' : id, key })),
  );
  const [first] = keys;
  if (!first) throw new RangeError('Digests need at least one key.');
  const digest = (domain: string, ...parts: Part[]): Buffer => hmacOf(identity, domain, parts);
  return {
    ...underOneKey(ofSecrets([first])),
    /** Has 172 random bits, so that its digest reveals nothing under a known key either. */
    apiKey: (apiKey: string): Buffer => digest('api-key', apiKey),
    /** Every digest that a secret may be stored as, under each key of the ring. */
    stored: ofSecrets(keys),
    /** The id of the first key, which a digest that needs no renewal carries; empty at first. */
    currentKeyId: first.id,
    /**
     * The id of an operation, 32 hex characters: short enough for people to read in a workflow's
     * id.
     */
    operation: ({ company, kind, key }: OperationName): string =>
      digest('operation', company.kind, String(company.id), kind, key)
        .subarray(0, 16)
        .toString('hex'),
    /**
     * Our reference of a payment towards its provider, as a UUID. It is constant for an attempt of
     * an operation, even after a restore of the database.
     */
    paymentReference: (operationId: string, attempt: number): string =>
      uuidOf(digest('payment-reference', operationId, String(attempt))),
    /**
     * A number above 0 and below 1 for an operation and one of the routes to its provider: the same
     * for each repetition.
     */
    routeShare: (operationId: string, routeId: number): number =>
      (digest('route-share', operationId, String(routeId)).readUIntBE(0, 6) + 0.5) / 2 ** 48,
    /**
     * Of a request's bytes; distinguishes a repetition from a different request under the same key.
     */
    request: (request: string | Uint8Array): string => digest('request', request).toString('hex'),
    /** Of an owner's phone number (E.164), for counting; it cannot be reversed without the key. */
    ownerNumber: (msisdn: string): Buffer => digest('owner-number', msisdn),
    /** Of a phone number (E.164), for finding it: one hash for indexes and search attributes. */
    numberHash: createNumberHash(identityKey),
    /** The form token that belongs to the cookie with this token. */
    portalForm: (token: string): string => digest('portal-form', token).toString('base64url'),
    /** The challenge that a merchant signs in its session to prove that it has the private key. */
    publicKeyChallenge: (formToken: string, merchantId: number, fingerprint: string): string =>
      digest('public-key-challenge', formToken, String(merchantId), fingerprint).toString('hex'),
    /**
     * A counted subject. Sign-ins count by e-mail address, network address, both, or device.
     * Changes of a password and codes count by account, and invitation links by network address.
     * Failures are counted for the audit log.
     */
    signInSubject: (kind: SignInSubject, ...subject: readonly string[]): Buffer =>
      digest('sign-in-subject', kind, ...subject),
  };
}

function hmacOf(key: KeyObject, domain: string, parts: readonly Part[]): Buffer {
  const hmac = createHmac('sha256', key).update(`${domain}\0`);
  for (const part of parts) {
    // Each part is prefixed with its length, so that ("ab", "c") and ("a", "bc") differ.
    hmac.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hmac.digest();
}

/** The digests of secrets, one for each key, with the id of the key behind them. */
function ofSecrets(keys: readonly PreparedKey[]) {
  const bytes = (domain: string, ...parts: Part[]): Buffer[] =>
    keys.map(({ id, key }) => Buffer.concat([hmacOf(key, domain, parts), Buffer.from(id)]));
  return {
    /** `code` is the canonical form of 16 characters. */
    voucherCode: (code: string) => bytes('voucher-code', code),
    /** Includes the voucher's id, because six digits alone would collide between vouchers. */
    verificationCode: (code: string, voucherId: number): string[] =>
      keys.map(({ id, key }) => {
        const hex = hmacOf(key, 'verification-code', [code, String(voucherId)]).toString('hex');
        return id === '' ? hex : `${hex}:${id}`;
      }),
    /** Of the token in a portal session's cookie. */
    portalSession: (token: string) => bytes('portal-session', token),
    /** Of the token of a sign-in whose code is still to come. */
    portalHalfSignIn: (token: string) => bytes('portal-half-sign-in', token),
    /** Of a recovery code in its stored form. */
    recoveryCode: (accountId: number, code: string) =>
      bytes('recovery-code', String(accountId), code),
    /** Of the token in the link of a merchant's invitation. */
    invitation: (token: string) => bytes('invitation', token),
    /**
     * Proves that a device has signed in with an account: an e-mail address and a random id. It stands in a cookie,
     * which needs no id of the key.
     */
    portalDevice: (account: string, name: string): string[] =>
      keys.map(({ key }) => hmacOf(key, 'portal-device', [account, name]).toString('base64url')),
  };
}

type Secrets = ReturnType<typeof ofSecrets>;

/** The same digests of secrets for one key, each by itself. */
const underOneKey = (secrets: Secrets) =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, digestsOf]) => [
      name,
      (...parts: never[]) => (digestsOf as (...parts: never[]) => unknown[])(...parts)[0],
    ]),
  ) as {
    readonly [Name in keyof Secrets]: (
      ...parts: Parameters<Secrets[Name]>
    ) => ReturnType<Secrets[Name]>[number];
  };

/** The first bytes as a UUID of version 8, whose bits are application-defined (RFC 9562, 5.8). */
function uuidOf(bytes: Buffer): string {
  const uuid = Buffer.from(bytes.subarray(0, 16));
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x80;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Priority of a password check: known browsers precede unknown ones. */
export type HashPriority = 'known' | 'stranger';

/** Too many password checks are waiting. */
export class TooManyHashesError extends Error {
  override readonly name = 'TooManyHashesError';
}

/**
 * Limits concurrent work. Further callers wait in order, the known before the strangers. Each kind
 * has its own waiting places, so that strangers can neither fill those of the known nor overtake
 * them.
 */
export function createHashTurns(limits: {
  readonly running: number;
  readonly waitingOfAKind: number;
}) {
  let running = 0;
  const waiting: Readonly<Record<HashPriority, (() => void)[]>> = { known: [], stranger: [] };

  async function waitForTurn(priority: HashPriority): Promise<void> {
    if (running < limits.running) {
      running += 1;
      return;
    }
    const line = waiting[priority];
    if (line.length >= limits.waitingOfAKind) throw new TooManyHashesError();
    // A finished caller passes its turn on, so the count does not change.
    await new Promise<void>((resolve) => line.push(resolve));
  }

  /** @throws {TooManyHashesError} when too many callers of the kind are waiting */
  return async <Result>(priority: HashPriority, work: () => Promise<Result>): Promise<Result> => {
    await waitForTurn(priority);
    try {
      return await work();
    } finally {
      const next = waiting.known.shift() ?? waiting.stranger.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Whether a caller gave the expected bytes, or the UTF-8 of a text; the time tells nothing but the length. */
export function isSameBytes(given: Buffer | string, expected: Buffer | string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A ciphertext that is moved to another key's row cannot be decrypted there. */
const contextOf = (digest: Buffer): string => `api-key ${digest.toString('hex')}`;

/** The sealed API key, stored with its digest; null where keys are not stored. */
export const sealApiKey = (
  box: SecretBox | undefined,
  { key, digest }: { readonly key: string; readonly digest: Buffer },
): string | null => box?.seal(key, contextOf(digest)) ?? null;

/**
 * The API key. Throws where the ciphertext belongs to another key, or its encryption key is
 * unknown.
 */
export const openApiKey = (
  box: SecretBox,
  { digest, ciphertext }: { readonly digest: Buffer; readonly ciphertext: string },
): string => box.open(ciphertext, contextOf(digest));
