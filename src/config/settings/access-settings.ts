import { z } from 'zod';
import { USUAL_PASSWORD_COST } from '../../crypto/password-hashes.ts';
import { localServers } from '../local-ports.ts';
import {
  areServers,
  commaList,
  constant,
  count,
  ed25519PrivateKey,
  ed25519PublicKeys,
  isLoopback,
  keyRing,
  optionalSetting,
  port,
  SECRET,
  symmetricKey,
  webAddress,
} from '../setting-kinds.ts';

/** Secrets have no defaults: a process without them refuses to start. The API has `apiSecretSettings` besides. */
export const secretSettings = {
  ACCESS_TOKEN_PRIVATE_KEY: ed25519PrivateKey.describe(
    'Ed25519 private key (PKCS #8 PEM, `\\n` for line breaks) that signs access tokens',
  ),
  DIGEST_KEY: symmetricKey
    .transform((text) => Buffer.from(text, 'base64'))
    .describe(
      '32 bytes in base64: key of the digests that name operations, requests, payments and API ' +
        'keys. Never change it. Without `DIGEST_KEYS` it is the key of all other digests, too',
    ),
  DIGEST_KEYS: optionalSetting(
    keyRing,
    '`id:key,…` of 32 bytes in base64: keys of the digests of codes and of tokens of the ' +
      'portal. The first makes digests, all find them. `DIGEST_KEY` by default',
  ),
  DATA_KEYS: keyRing.describe(
    '`id:key,…` of 32 bytes in base64: AES-256-GCM keys for codes in the database. The ' +
      'first encrypts, all decrypt',
  ),
  PAYLOAD_KEYS: keyRing.describe(
    'AES-256-GCM keys for Temporal payloads, written as `DATA_KEYS`. Give a new key to ' +
      'every process before you put it first anywhere: workers refuse commands that they ' +
      'cannot read',
  ),
};

/** The message of a key ring would be lost among those of a union. */
const keysOrOff = ({ input }: { readonly input?: unknown }) =>
  input === undefined ? undefined : 'must be "off", or keys as those of DATA_KEYS';

/** Secrets of the API alone. */
export const apiSecretSettings = {
  COPY_KEYS: z.union([z.literal('off'), keyRing], { error: keysOrOff }).meta({
    ...SECRET,
    description:
      'AES-256-GCM keys, written as `DATA_KEYS`, for the API keys that people make in the portal. The API ' +
      'keys are stored encrypted, so that people can copy them later with the password. With `off` each API ' +
      'key is shown once, and existing ciphertexts stay unused. Only the API process has these keys',
  }),
};

/** Tokens, registered addresses, signatures, and rate limits. */
export const accessSettings = {
  ACCESS_TOKEN_FURTHER_KEYS: ed25519PublicKeys
    .prefault('')
    .describe(
      'Further Ed25519 public keys in PEM, concatenated, whose tokens are accepted: the ' +
        'previous key, or the next one',
    ),
  /** Lifetime of an access token. */
  ACCESS_TOKEN_LIFETIME_SECONDS: constant(300),
  /**
   * Longest time that a process caches keys, addresses and suspensions, and so the time that a
   * revoked key may still work.
   */
  ACCESS_CACHE_SECONDS: constant(1),
  DNS_SERVERS: commaList.refine(areServers, 'must be addresses, optionally with a port').meta({
    description:
      'DNS servers for registered names, `address` or `address:port`, separated by commas',
    whenUnset: "the system's",
  }),
  /** Time limit of one DNS query. */
  DNS_TIMEOUT_SECONDS: constant(5),
  /** Shortest time between two lookups of a name; otherwise its time to live decides. */
  DNS_MINIMUM_SECONDS: constant(30),
  /** Interval at which the API writes its record of accepted and refused calls. */
  CALL_RECORD_INTERVAL_SECONDS: constant(1),
  RATE_LIMIT_STORE: z
    .enum(['memory', 'postgres'])
    .default('memory')
    .describe(
      '`memory`: each process counts on its own; `postgres`: all processes count together, ' +
        'at one write for each call',
    ),
  CALLS_PER_ADDRESS_AND_MINUTE: count
    .default(240_000)
    .describe('Calls from one address (IPv6: one /64 network)'),
  CALLS_PER_COMPANY_AND_MINUTE: count
    .default(120_000)
    .describe('Calls of one company, log-ins included'),
  /** Log-ins with invalid API keys from one address. */
  KEY_MISSES_PER_ADDRESS_AND_HOUR: constant(200),
  /** Log-ins with invalid API keys of one prefix. */
  KEY_MISSES_PER_PREFIX_AND_HOUR: constant(200),
  /**
   * Wrong signatures of one merchant whose cause is searched for; further ones are refused without a
   * cause.
   */
  SIGNATURE_DIAGNOSES_PER_MERCHANT_AND_MINUTE: constant(30),
  /** Requests of one company for voucher codes that do not exist or belong to another company. */
  VOUCHER_MISSES_PER_COMPANY_AND_HOUR: constant(100),
  /** Such requests from one address. */
  VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: constant(200),
};

/** Sessions, passwords and invitations of the portal. */
export const portalSettings = {
  /**
   * Password attempts in a window on one account from one address or one device, and by a signed-in
   * person who changes the password.
   */
  PORTAL_SIGN_INS_PER_ACCOUNT: constant(10),
  /** Password attempts in a window on one account from all addresses together. */
  PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: constant(100),
  /** Password attempts in a window from one address (IPv6: one /64 network). */
  PORTAL_SIGN_INS_PER_ADDRESS: constant(50),
  /** Memory for hashing a password: 2 to this power, in KiB. */
  PORTAL_PASSWORD_COST: constant(USUAL_PASSWORD_COST),
  /**
   * Lifetime of a password that `access account create`, `access account reset-password` or an owner in the
   * portal has made; afterwards an operator makes a new one.
   */
  PORTAL_ONE_TIME_PASSWORD_SECONDS: constant(86_400),
  PORTAL_PASSWORD_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe(
      'Concurrent password hashes, each in its own thread. At the default cost a ' +
        'thread hashes two or three a second and needs 128 MiB',
    ),
  /** Time within which an invited merchant can activate its account (specification 5: 24 hours). */
  INVITATION_LIFETIME_SECONDS: constant(86_400),
};

const operator = z
  .string()
  .regex(
    /^[\w.@-]{1,60}:[0-9a-f]{64}$/,
    'must be name:digest, with the SHA-256 of a random password',
  )
  .transform((text) => {
    const [name = '', digest = ''] = text.split(':');
    return { name, passwordDigest: Buffer.from(digest, 'hex') };
  });

/** `name:claim`, or a claim with the value that lets a person decrypt. The value may have a colon or an equals sign. */
const tokenClaim = z
  .string()
  .regex(/^(name:\S+|decode:[^=\s]+=.+)$/, 'must be name:claim or decode:claim=value')
  .transform((text) => {
    const [, what = '', name = '', value = ''] = /^(\w+):([^=]+)=?(.*)$/.exec(text) ?? [];
    return { what, name, value };
  });

/** The settings of tokens of an identity provider. */
const tokenSettings = {
  CODEC_SERVER_TOKEN_ISSUER: optionalSetting(
    z.string(),
    'The issuer of an OpenID Connect provider (`iss`) whose tokens the Temporal UI passes on',
    'no tokens',
  ),
  CODEC_SERVER_TOKEN_AUDIENCE: optionalSetting(
    z.string(),
    'The audience (`aud`) that a token must have',
    'required with an issuer',
  ),
  CODEC_SERVER_TOKEN_KEYS_URL: optionalSetting(
    webAddress.refine(isSafe, 'must begin with https, or be on this machine'),
    "Address of the issuer's public keys (`jwks_uri`)",
    'required with an issuer',
  ),
  CODEC_SERVER_TOKEN_CLAIMS: commaList.pipe(z.array(tokenClaim)).meta({
    description:
      'Meanings of the claims of a token, separated by commas. The entry `decode:groups=support` lets a person ' +
      'decrypt payloads. The entry `name:email` gives the claim that names the person in the log (ASCII without ' +
      'spaces; `sub` by default). A claim is a text or a list of texts at the top of the token',
    whenUnset: 'required with an issuer',
  }),
};

function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/** The codec server, which decrypts payloads for the Temporal UI. */
export const codecSettings = {
  CODEC_SERVER_PORT: port
    .default(localServers.codec.usual)
    .describe('Port of the codec server, which decrypts payloads for the Temporal UI'),
  CODEC_SERVER_OPERATORS: commaList
    .pipe(z.array(operator))
    .refine(
      (operators) => new Set(operators.map(({ name }) => name)).size === operators.length,
      'repeats a name',
    )
    .meta({
      ...SECRET,
      description:
        '`name:digest`, separated by commas: operators who may decrypt payloads. The digest is the ' +
        'SHA-256 of a random password',
      whenUnset: 'required without `CODEC_SERVER_TOKEN_ISSUER`',
    }),
  ...tokenSettings,
};
