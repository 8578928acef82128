import { createHmac } from 'node:crypto';

/** What makes two requests the same operation (design 6). */
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
 * Keyed digests (design 6 and 8): HMAC-SHA256, by which secrets are stored and found without being
 * readable. Every kind has a domain of its own, so a digest of one never equals one of another.
 * `key` has 32 bytes and must stay the same for the life of the database. What a column finds rows
 * by is answered as bytes; what also travels in payloads and workflow ids, as hex.
 */
export function createDigests(key: Buffer) {
  const digest = (domain: string, ...parts: (string | Uint8Array)[]): Buffer => {
    const hmac = createHmac('sha256', key).update(`${domain}\0`);
    for (const part of parts) {
      // Lengths stand before the parts, so that ("ab", "c") and ("a", "bc") differ.
      hmac.update(`${Buffer.byteLength(part)}:`).update(part);
    }
    return hmac.digest();
  };
  return {
    apiKey: (apiKey: string): Buffer => digest('api-key', apiKey),
    /** `code` is the canonical 16 characters. */
    voucherCode: (code: string): Buffer => digest('voucher-code', code),
    /** With the voucher's id, because six digits alone would collide between vouchers. */
    verificationCode: (code: string, voucherId: number): string =>
      digest('verification-code', code, String(voucherId)).toString('hex'),
    /** The id of an operation, 32 hex characters: short enough to read in a workflow's id. */
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
     * Our reference of a payment towards its provider, as a UUID: the same for the same attempt of an
     * operation, even after the database has been restored to before it.
     */
    paymentReference: (operationId: string, attempt: number): string =>
      uuidOf(digest('payment-reference', operationId, String(attempt))),
    /** Of a request's bytes, to tell a repetition from another request under the same key. */
    request: (request: string | Uint8Array): string => digest('request', request).toString('hex'),
    /** Of the token in a portal session's cookie. */
    portalSession: (token: string): Buffer => digest('portal-session', token),
    /** What the portal's forms carry to show that they belong to the cookie with this token. */
    portalForm: (token: string): string => digest('portal-form', token).toString('base64url'),
    /** What a merchant signs to show that it has the private key of a public key, in its session. */
    publicKeyChallenge: (formToken: string, merchantId: number, fingerprint: string): string =>
      digest('public-key-challenge', formToken, String(merchantId), fingerprint).toString('hex'),
    /** Of the token in the link of a merchant's invitation. */
    invitation: (token: string): Buffer => digest('invitation', token),
    /**
     * Whose sign-ins are counted: an e-mail address as it was typed, a network address, both, or a
     * device; whose changes of a password are; and a network address whose links of invitations are.
     */
    signInSubject: (kind: SignInSubject, ...subject: readonly string[]): Buffer =>
      digest('sign-in-subject', kind, ...subject),
    /** Proves that a device has signed in with an account: an e-mail address, and a random name. */
    portalDevice: (account: string, name: string): string =>
      digest('portal-device', account, name).toString('base64url'),
  };
}

/** The first bytes as a UUID of version 8, whose bits are its maker's (RFC 9562, 5.8). */
function uuidOf(bytes: Buffer): string {
  const uuid = Buffer.from(bytes.subarray(0, 16));
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x80;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
