import { z } from 'zod';
import { isLoopback } from '../encrypted-connections.ts';
import { commaList, SECRET, webAddress } from '../setting-kinds.ts';
import { httpSettings } from './http-settings.ts';
import { secretSettings } from './secret-settings.ts';
import { serviceSettings } from './service-settings.ts';
import { startSettings } from './start-settings.ts';

/** `name:decode:digest` or `name:encode:digest`; encoding includes decoding. */
const operator = z
  .string()
  .regex(
    /^[\w.@-]{1,60}:(decode|encode):[0-9a-f]{64}$/,
    'must be name:decode:digest or name:encode:digest, with the SHA-256 of a random password',
  )
  .transform((text) => {
    const [name = '', may, digest = ''] = text.split(':');
    return { name, mayEncode: may === 'encode', passwordDigest: Buffer.from(digest, 'hex') };
  });

/** `claim=value`; the value may be an address with a colon or an equals sign. */
const requiredClaim = z
  .string()
  .regex(/^[^=\s]+=.+$/, 'must be claim=value')
  .transform((text) => {
    const [name = ''] = text.split('=', 1);
    return { name, value: text.slice(name.length + 1) };
  });

/** The settings of tokens of an identity provider. */
const tokenSettings = {
  CODEC_SERVER_TOKEN_ISSUER: z.string().optional().meta({
    description:
      'The issuer of an OpenID Connect provider (`iss`) whose tokens the Temporal UI passes on',
    whenUnset: 'no tokens',
  }),
  CODEC_SERVER_TOKEN_AUDIENCE: z.string().optional().meta({
    description: 'The audience (`aud`) that a token must have',
    whenUnset: 'required with an issuer',
  }),
  CODEC_SERVER_TOKEN_KEYS_URL: webAddress
    .refine(isSafe, 'must begin with https, or be on this machine')
    .optional()
    .meta({
      description: "Address of the issuer's public keys (`jwks_uri`)",
      whenUnset: 'required with an issuer',
    }),
  CODEC_SERVER_TOKEN_NAME_CLAIM: z
    .string()
    .default('sub')
    .describe('The claim that names the person in the log: ASCII without spaces'),
  CODEC_SERVER_TOKEN_DECODE: commaList.pipe(z.array(requiredClaim)).meta({
    description:
      '`claim=value`, separated by commas, such as `groups=support`: any of them lets a person ' +
      'decrypt payloads. A claim is a text or a list of texts at the top of the token',
    whenUnset: 'required with an issuer',
  }),
  CODEC_SERVER_TOKEN_ENCODE: commaList
    .pipe(z.array(requiredClaim))
    .describe('The same for those who may also send data with signals and updates'),
};

function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/** The settings of the codec server as a separate process. */
export const codecSettings = {
  HOST: serviceSettings.HOST,
  CODEC_SERVER_PORT: startSettings.CODEC_SERVER_PORT,
  CODEC_SERVER_OPERATORS: commaList
    .pipe(z.array(operator))
    .refine(
      (operators) => new Set(operators.map(({ name }) => name)).size === operators.length,
      'repeats a name',
    )
    .meta({
      ...SECRET,
      description:
        '`name:decode:digest` or `name:encode:digest`, separated by commas: operators who may ' +
        'decrypt payloads, or also send data with signals and updates. The digest is the SHA-256 ' +
        'of a random password',
      whenUnset: 'required without `CODEC_SERVER_TOKEN_ISSUER`',
    }),
  ...tokenSettings,
  TEMPORAL_UI_ORIGINS: commaList
    .pipe(
      z.array(
        z
          .url({ protocol: /^https?$/, error: 'must be addresses without a path' })
          .refine((text) => new URL(text).origin === text, 'must be addresses without a path'),
      ),
    )
    .describe(
      'Origins of pages that may call the codec server, such as `https://temporal.example`',
    ),
  TRUSTED_PROXIES: httpSettings.TRUSTED_PROXIES,
  PAYLOAD_KEYS: secretSettings.PAYLOAD_KEYS,
  LOG_LEVEL: serviceSettings.LOG_LEVEL,
};

type CodecConfig = z.infer<z.ZodObject<typeof codecSettings>>;

/** Somebody can sign in, and tokens are checked in full or not at all. */
export function codecSignInRules(config: CodecConfig, context: z.RefinementCtx): void {
  const lacks = (name: keyof CodecConfig) =>
    context.addIssue({ code: 'custom', path: [name], message: 'is not set' });
  if (config.CODEC_SERVER_TOKEN_ISSUER === undefined) {
    if (config.CODEC_SERVER_OPERATORS.length === 0) lacks('CODEC_SERVER_OPERATORS');
    return;
  }
  if (config.CODEC_SERVER_TOKEN_AUDIENCE === undefined) lacks('CODEC_SERVER_TOKEN_AUDIENCE');
  if (config.CODEC_SERVER_TOKEN_KEYS_URL === undefined) lacks('CODEC_SERVER_TOKEN_KEYS_URL');
  const { CODEC_SERVER_TOKEN_DECODE: decode, CODEC_SERVER_TOKEN_ENCODE: encode } = config;
  if (decode.length + encode.length === 0) lacks('CODEC_SERVER_TOKEN_DECODE');
}

/** What to check tokens by; undefined without an identity provider. */
export function codecTokensOf(config: CodecConfig) {
  const {
    CODEC_SERVER_TOKEN_ISSUER: issuer,
    CODEC_SERVER_TOKEN_AUDIENCE: audience,
    CODEC_SERVER_TOKEN_KEYS_URL: keysUrl,
  } = config;
  if (issuer === undefined || audience === undefined || keysUrl === undefined) return undefined;
  return {
    issuer,
    audience,
    keysUrl,
    nameClaim: config.CODEC_SERVER_TOKEN_NAME_CLAIM,
    decodeClaims: config.CODEC_SERVER_TOKEN_DECODE,
    encodeClaims: config.CODEC_SERVER_TOKEN_ENCODE,
  };
}
