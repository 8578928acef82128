import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

export type Audience = 'partner' | 'merchant';

/** Whom a token speaks for. */
export interface AccessClaims {
  readonly audience: Audience;
  readonly companyId: number;
  readonly apiKeyId: number;
  /** Raised when a company's tokens are revoked; the caller compares it with the database's. */
  readonly tokenVersion: number;
}

export type AccessTokens = Awaited<ReturnType<typeof createAccessTokens>>;

const ALGORITHM = 'EdDSA';
const TYPE = 'at+jwt';
const MAX_TOKEN_LENGTH = 1_024;
const CLOCK_LEEWAY_SECONDS = 5;
const MAX_REMEMBERED_TOKENS = 10_000;

const id = z.int().positive();
const payloadSchema = z.object({
  sub: z
    .string()
    .regex(/^[1-9][0-9]{0,15}$/)
    .transform(Number),
  exp: z.number(),
  jti: z.string(),
  api_key_id: id,
  token_version: z.int(),
});

/**
 * Access tokens (spec 5, design 8): JWTs of an Ed25519 key, with algorithm, type, issuer and
 * audience pinned. `privateKeyPem` is PKCS #8. Throws a RangeError for another kind of key.
 */
export async function createAccessTokens(options: {
  readonly privateKeyPem: string;
  readonly lifetimeSeconds: number;
  readonly issuer: string;
  /** Milliseconds; for tests. */
  readonly now?: () => number;
}) {
  const { lifetimeSeconds, issuer, now = Date.now } = options;
  const privateKey = readPrivateKey(options.privateKeyPem);
  const publicKey = createPublicKey(privateKey);
  const keyId = await calculateJwkThumbprint(await exportJWK(publicKey));
  /** Checking a signature costs far more than finding a text again. The oldest stands first. */
  const verified = new Map<string, { claims: AccessClaims; expiresAt: number }>();

  const check = async (token: string, audience: Audience) => {
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer,
      audience,
      requiredClaims: ['exp', 'iat', 'jti'],
      clockTolerance: CLOCK_LEEWAY_SECONDS,
      maxTokenAge: lifetimeSeconds,
      currentDate: new Date(now()),
    });
    const { sub, exp, api_key_id, token_version } = payloadSchema.parse(payload);
    if (protectedHeader.kid !== keyId) throw new Error('The token names another key.');
    return {
      claims: { audience, companyId: sub, apiKeyId: api_key_id, tokenVersion: token_version },
      expiresAt: (exp + CLOCK_LEEWAY_SECONDS) * 1_000,
    };
  };

  return {
    issue(claims: AccessClaims): Promise<string> {
      const issuedAt = Math.floor(now() / 1_000);
      return new SignJWT({ api_key_id: claims.apiKeyId, token_version: claims.tokenVersion })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: keyId })
        .setIssuer(issuer)
        .setAudience(claims.audience)
        .setSubject(String(claims.companyId))
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(privateKey);
    },

    /** The claims, or undefined for every token that is not ours, not alive or not for this API. */
    async verify(token: string, audience: Audience): Promise<AccessClaims | undefined> {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const known = verified.get(token);
      if (known) {
        const isUsable = known.claims.audience === audience && now() < known.expiresAt;
        return isUsable ? known.claims : undefined;
      }
      const entry = await check(token, audience).catch(() => undefined);
      if (!entry) return undefined;
      if (verified.size >= MAX_REMEMBERED_TOKENS) forgetOldest(verified);
      verified.set(token, entry);
      return entry.claims;
    },
  };
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

function readPrivateKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new RangeError('The key for access tokens must be an Ed25519 private key.');
  }
  return key;
}
