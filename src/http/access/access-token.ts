import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import {
  calculateJwkThumbprint,
  errors,
  exportJWK,
  type JWK,
  type JWTHeaderParameters,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Surface } from '../../domain/refusals.ts';

/** The company and the API key of a token. */
export interface AccessClaims {
  readonly audience: Surface;
  readonly companyId: number;
  readonly apiKeyId: number;
  /** Increases when a company's tokens are revoked; the caller compares it with the database. */
  readonly tokenVersion: number;
}

/** The claims of a token that one of our keys signed. */
interface VerifiedToken extends AccessClaims {
  /** Unix seconds. */
  readonly issuedAt: number;
  /** An expired token identifies its company and admits no request. */
  readonly isExpired: boolean;
}

export type AccessTokens = Awaited<ReturnType<typeof createAccessTokens>>;

const ALGORITHM = 'EdDSA';
const TYPE = 'at+jwt';
const MAX_TOKEN_LENGTH = 1_024;
const CLOCK_LEEWAY_SECONDS = 5;
const MAX_REMEMBERED_TOKENS = 10_000;

/** Our tokens have only these headers. Others may try to select the verification key. */
const HEADERS: ReadonlySet<string> = new Set(['alg', 'typ', 'kid']);

const id = z.int().positive();
const payloadSchema = z.object({
  sub: z
    .string()
    .regex(/^[1-9][0-9]{0,15}$/)
    .transform(Number),
  exp: z.number(),
  iat: z.int(),
  jti: z.string(),
  api_key_id: id,
  token_version: z.int(),
});

/**
 * Access tokens (specification 5): JWTs signed with Ed25519; algorithm, type, issuer and audience
 * are fixed. `privateKeyPem` (PKCS #8) signs. Tokens of the further public keys are accepted too,
 * so that the key can be rotated while processes run. Throws a RangeError for another kind of key.
 */
export async function createAccessTokens(options: {
  readonly privateKeyPem: string;
  readonly furtherKeyPems: readonly string[];
  readonly lifetimeSeconds: number;
  readonly issuer: string;
  /** Milliseconds; for tests. */
  readonly now?: () => number;
}) {
  const { lifetimeSeconds, issuer, now = Date.now } = options;
  const privateKey = readPrivateKey(options.privateKeyPem);
  const ring = await createKeyRing([
    createPublicKey(privateKey),
    ...options.furtherKeyPems.map((pem) => createPublicKey(pem)),
  ]);
  const header = encode({ alg: ALGORITHM, typ: TYPE, kid: ring.jwks[0]?.kid });
  /** Cache of verified tokens: a verification costs far more than a look-up. */
  const verified = new LRUCache<string, { token: VerifiedToken; expiresAt: number }>({
    max: MAX_REMEMBERED_TOKENS,
  });

  const checked = async (token: string, audience: Surface) => {
    try {
      const { payload } = await jwtVerify(token, ring.keyFor, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer,
        audience,
        requiredClaims: ['exp', 'iat', 'jti'],
        clockTolerance: CLOCK_LEEWAY_SECONDS,
        maxTokenAge: lifetimeSeconds,
        currentDate: new Date(now()),
      });
      return { payload, isExpired: false };
    } catch (error) {
      // jose checks the expiry last: everything else was valid.
      if (error instanceof errors.JWTExpired) return { payload: error.payload, isExpired: true };
      throw error;
    }
  };
  const check = async (token: string, audience: Surface) => {
    const { payload, isExpired } = await checked(token, audience);
    const { sub, exp, iat, api_key_id, token_version } = payloadSchema.parse(payload);
    return {
      token: {
        audience,
        companyId: sub,
        apiKeyId: api_key_id,
        tokenVersion: token_version,
        issuedAt: iat,
        isExpired,
      },
      expiresAt: (exp + CLOCK_LEEWAY_SECONDS) * 1_000,
    };
  };

  return {
    /**
     * Issues a token (JWS Compact Serialization, RFC 7515, 7.1). Signs synchronously: jose hands
     * each signature to another thread, which costs more than the signature.
     */
    issue({ audience, companyId, apiKeyId, tokenVersion }: AccessClaims): string {
      const issuedAt = Math.floor(now() / 1_000);
      const payload = encode({
        iss: issuer,
        aud: audience,
        sub: String(companyId),
        jti: randomUUID(),
        iat: issuedAt,
        exp: issuedAt + lifetimeSeconds,
        api_key_id: apiKeyId,
        token_version: tokenVersion,
      });
      const signed = `${header}.${payload}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },

    /** The claims of a token; undefined where it is not ours or not for this API. */
    async verify(token: string, audience: Surface): Promise<VerifiedToken | undefined> {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const known = verified.get(token);
      if (known) {
        const isExpired = now() >= known.expiresAt;
        return known.token.audience === audience ? { ...known.token, isExpired } : undefined;
      }
      const entry = await check(token, audience).catch(() => undefined);
      if (!entry || entry.token.isExpired) return entry?.token;
      verified.set(token, entry);
      return entry.token;
    },

    /** The public keys, the current signing key first (RFC 7517). */
    jwks: ring.jwks,
  };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Public keys by thumbprint: a token names one of them and cannot bring its own. */
async function createKeyRing(keys: readonly KeyObject[]) {
  const byId = new Map<string, KeyObject>();
  const jwks: (JWK & { readonly kid: string })[] = [];
  for (const key of keys) {
    const jwk = await exportJWK(requireEd25519(key));
    const kid = await calculateJwkThumbprint(jwk);
    if (byId.has(kid)) continue;
    byId.set(kid, key);
    jwks.push({ ...jwk, kid, use: 'sig', alg: ALGORITHM });
  }
  return {
    jwks,
    keyFor(header: JWTHeaderParameters): KeyObject {
      const key = byId.get(header.kid ?? '');
      const isPlain = Object.keys(header).every((name) => HEADERS.has(name));
      if (!key || !isPlain) throw new Error('The token names no key of ours.');
      return key;
    },
  };
}

const readPrivateKey = (pem: string): KeyObject => requireEd25519(createPrivateKey(pem));

function requireEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519')
    throw new RangeError('The keys of access tokens must be Ed25519 keys.');
  return key;
}
