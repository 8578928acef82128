import { z } from 'zod';
import { isLoopback } from '../encrypted-connections.ts';
import { localServers } from '../local-ports.ts';
import { commaList, port, SECRET, webAddress } from '../setting-kinds.ts';
import { httpSettings } from './http-settings.ts';
import { secretSettings } from './secret-settings.ts';
import { serviceSettings } from './service-settings.ts';
import { temporalSettings } from './temporal-settings.ts';

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
  CODEC_SERVER_TOKEN_CLAIMS: commaList.pipe(z.array(tokenClaim)).meta({
    description:
      'What claims of a token say, separated by commas: `decode:groups=support` lets a person decrypt ' +
      'payloads, and `name:email` is the claim that names the person in the log (ASCII without spaces; ' +
      '`sub` by default). A claim is a text or a list of texts at the top of the token',
    whenUnset: 'required with an issuer',
  }),
};

function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/** The settings of the codec server as a separate process. */
export const codecSettings = {
  HOST: serviceSettings.HOST,
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
  TEMPORAL_UI_URL: temporalSettings.TEMPORAL_UI_URL,
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
  if (claimsFor('decode', config).length === 0) lacks('CODEC_SERVER_TOKEN_CLAIMS');
}

const claimsFor = (wanted: 'name' | 'decode', { CODEC_SERVER_TOKEN_CLAIMS: claims }: CodecConfig) =>
  claims.filter(({ what }) => what === wanted);

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
    nameClaim: claimsFor('name', config)[0]?.name ?? 'sub',
    decodeClaims: claimsFor('decode', config),
  };
}
