import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { CodecOperator } from './codec-operators.ts';

/** A claim that a token must have: its value, or a list with the value. */
interface RequiredClaim {
  readonly name: string;
  readonly value: string;
}

export interface CodecTokenSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The address of the issuer's public keys. */
  readonly keysUrl: string;
  /** The claim that names the person. */
  readonly nameClaim: string;
  /** Any of them lets a person decrypt. */
  readonly decodeClaims: readonly RequiredClaim[];
}

/**
 * The answer about a token; undefined for one that is not valid here. `expired`: the issuer has signed it
 * for this service, so that it is no guess.
 */
export type TokenCheck = (token: string) => Promise<CodecOperator | 'expired' | undefined>;

/** The keys of the issuer cannot be read, which says nothing about the token. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

/** Signatures by key pairs: "none" and shared secrets prove nothing. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');
const CLOCK_SECONDS = 30;
const KEYS_MS = 5_000;
/** Tokens of unknown keys make the server look for new keys no more often than this. */
const COOLDOWN_MS = 30_000;
const MAXIMUM_TOKEN = 16_384;

/**
 * Verifies the tokens of an identity provider (OpenID Connect) that the Temporal UI passes on:
 * signature, issuer, audience, times, and a claim that allows the person to decrypt.
 */
export function createTokenCheck(settings: CodecTokenSettings): TokenCheck {
  const keys = createRemoteJWKSet(new URL(settings.keysUrl), {
    timeoutDuration: KEYS_MS,
    cooldownDuration: COOLDOWN_MS,
  });

  return async (token) => {
    if (token.length > MAXIMUM_TOKEN) return undefined;
    const claims = await verified(token);
    if (claims === 'expired') return claims;
    const name = claims?.[settings.nameClaim];
    // A header carries the name to the proxy.
    if (!claims || typeof name !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(name)) return undefined;
    if (!hasAny(claims, settings.decodeClaims)) return undefined;
    // Never the name of an operator with a password, which has no colon.
    return { name: `token:${name}` };
  };

  async function verified(token: string): Promise<JWTPayload | 'expired' | undefined> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_SECONDS,
      });
      return payload;
    } catch (error) {
      // jose looks at the times last, after signature, issuer and audience.
      if (error instanceof errors.JWTExpired) return 'expired';
      if (isAboutToken(error)) return undefined;
      throw new IssuerUnavailableError('The keys of the identity provider cannot be read', {
        cause: error,
      });
    }
  }
}

/** Other failures come from reading the keys: the network, or an answer that is no key set. */
const isAboutToken = (error: unknown): boolean =>
  [
    errors.JWTInvalid,
    errors.JWTClaimValidationFailed,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ].some((kind) => error instanceof kind);

const hasAny = (claims: JWTPayload, required: readonly RequiredClaim[]): boolean =>
  required.some(({ name, value }) => {
    const held = claims[name];
    return Array.isArray(held) ? held.includes(value) : held === value;
  });
