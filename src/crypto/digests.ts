import { createHmac } from 'node:crypto';

/** The parts that identify an operation (design 6). */
export interface OperationName {
  readonly ownerKind: string;
  readonly ownerId: number;
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
  | 'link-address';

export type Digests = ReturnType<typeof createDigests>;

/**
 * Keyed digests (design 6 and 8): HMAC-SHA256 stores secrets and finds them again without revealing
 * them. Every kind has its own domain, so digests of different kinds never match. `key` has 32
 * bytes and must not change for the life of the database. Digests for columns are bytes; those that
 * payloads and workflow ids also contain are hex.
 */
export function createDigests(key: Buffer) {
  const digest = (domain: string, ...parts: (string | Uint8Array)[]): Buffer => {
    const hmac = createHmac('sha256', key).update(`${domain}\0`);
    for (const part of parts) {
      // Each part is prefixed with its length, so that ("ab", "c") and ("a", "bc") differ.
      hmac.update(`${Buffer.byteLength(part)}:`).update(part);
    }
    return hmac.digest();
  };
  return {
    apiKey: (apiKey: string): Buffer => digest('api-key', apiKey),
    /** `code` is the canonical form of 16 characters. */
    voucherCode: (code: string): Buffer => digest('voucher-code', code),
    /** Includes the voucher's id, because six digits alone would collide between vouchers. */
    verificationCode: (code: string, voucherId: number): string =>
      digest('verification-code', code, String(voucherId)).toString('hex'),
    /**
     * The id of an operation, 32 hex characters: short enough for people to read in a workflow's
     * id.
     */
    operation: (operation: OperationName): string =>
      digest(
        'operation',
        operation.ownerKind,
        String(operation.ownerId),
        operation.kind,
        operation.key,
      )
        .subarray(0, 16)
        .toString('hex'),
    /**
     * Our reference of a payment towards its provider, as a UUID. It is constant for an attempt of
     * an operation, even after a restore of the database.
     */
    paymentReference: (operationId: string, attempt: number): string =>
      uuidOf(digest('payment-reference', operationId, String(attempt))),
    /**
     * Of a request's bytes; distinguishes a repetition from a different request under the same key.
     */
    request: (request: string | Uint8Array): string => digest('request', request).toString('hex'),
    /** Of the token in a portal session's cookie. */
    portalSession: (token: string): Buffer => digest('portal-session', token),
    /** The form token that belongs to the cookie with this token. */
    portalForm: (token: string): string => digest('portal-form', token).toString('base64url'),
    /** The challenge that a merchant signs in its session to prove that it has the private key. */
    publicKeyChallenge: (formToken: string, merchantId: number, fingerprint: string): string =>
      digest('public-key-challenge', formToken, String(merchantId), fingerprint).toString('hex'),
    /** Of the token in the link of a merchant's invitation. */
    invitation: (token: string): Buffer => digest('invitation', token),
    /**
     * A counted subject: for sign-ins an e-mail address, a network address, both, or a device; for
     * changes of a password the account; for invitation links a network address.
     */
    signInSubject: (kind: SignInSubject, ...subject: readonly string[]): Buffer =>
      digest('sign-in-subject', kind, ...subject),
    /** Proves that a device has signed in with an account: an e-mail address and a random id. */
    portalDevice: (account: string, name: string): string =>
      digest('portal-device', account, name).toString('base64url'),
  };
}

/** The first bytes as a UUID of version 8, whose bits are application-defined (RFC 9562, 5.8). */
function uuidOf(bytes: Buffer): string {
  const uuid = Buffer.from(bytes.subarray(0, 16));
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x80;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
