import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns';
import { z } from 'zod';
import { isFailpoint } from './failpoint.js';

const port = z.coerce.number().int().min(0).max(65_535);
const seconds = z.coerce.number().positive();
const count = z.coerce.number().int().positive();
const secret = z.string().min(1);

/** ETB with at most two decimals. */
const amount = z.string().regex(/^[0-9]{1,12}(\.[0-9]{1,2})?$/, 'must be an amount such as 99.50');

/** 32 bytes in base64, as `openssl rand -base64 32` prints them. */
const symmetricKey = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64');

/** `keyId:key`, several separated by commas; the first encrypts, all decrypt. */
const keyRing = z
  .string()
  .transform((text) => text.split(',').map((part) => part.split(':')))
  .pipe(z.array(z.tuple([z.string().regex(/^[\w-]{1,40}$/), symmetricKey])).min(1))
  // The first of two would encrypt what only the second is tried on.
  .refine((pairs) => new Set(pairs.map(([id]) => id)).size === pairs.length, 'repeats a key id')
  .transform((pairs) => pairs.map(([id, key]) => ({ id, key: Buffer.from(key, 'base64') })));

/** PEM, where `\n` may stand for line breaks. */
const pem = z.string().transform((text) => text.replaceAll('\\n', '\n'));

const isEd25519 = (readKey: () => { asymmetricKeyType?: string }): boolean => {
  try {
    return readKey().asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
};

const ed25519PrivateKey = pem.refine(
  (text) => isEd25519(() => createPrivateKey(text)),
  'must be an Ed25519 private key in PEM, as "openssl genpkey -algorithm ed25519" makes one',
);

/** One after the other, each from its BEGIN to its END. */
const ed25519PublicKeys = pem
  .transform((text) => text.split(/(?<=-----END PUBLIC KEY-----)/).map((part) => part.trim()))
  .transform((parts) => parts.filter(Boolean))
  .refine(
    (parts) =>
      parts.every((part) => part.includes('PUBLIC') && isEd25519(() => createPublicKey(part))),
    'must be Ed25519 public keys in PEM, as "openssl pkey -in private.pem -pubout" prints them',
  );

const webAddress = z
  .string()
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }));

/** smtp:// (by STARTTLS, unless it ends in ?tls=off) or smtps://, with a user and password or not. */
const smtpAddress = z
  .string()
  .pipe(z.url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps address' }));

/** `name@host`, or `Name <name@host>`. */
const mailSender = z
  .string()
  .regex(
    /^([^<>@\p{C}]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'must be an e-mail address, or a name and the address in <>',
  );

const addressOrRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an address or a CIDR range',
});

const commaList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

const areServers = (entries: readonly string[]): boolean => {
  try {
    new Resolver().setServers(entries);
    return true;
  } catch {
    return false;
  }
};

/** Secrets have no defaults: a process without them refuses to start (design 8). */
const secretSettings = {
  /** Ed25519 private key, PKCS #8 PEM: signs access tokens. `\n` may stand for line breaks. */
  ACCESS_TOKEN_PRIVATE_KEY: ed25519PrivateKey,
  /** HMAC key of every keyed digest: API keys, voucher codes, verification codes, operations. */
  DIGEST_KEY: symmetricKey.transform((text) => Buffer.from(text, 'base64')),
  /** AES-256-GCM keys for voucher and verification codes in the database. */
  DATA_KEYS: keyRing,
  /** AES-256-GCM keys for Temporal payloads. */
  PAYLOAD_KEYS: keyRing,
};

/** Every other setting of the API and the worker. README's table of settings mirrors this. */
const settings = {
  ENVIRONMENT: z.enum(['test', 'production']).default('test'),
  /** For tests of crashes, in the test environment only: the step at which a process ends or fails. */
  FAILPOINT: z.string().refine(isFailpoint, 'names no step, or no action').optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),

  DATABASE_URL: z.string().min(1),
  DATABASE_POOL_SIZE: count.default(20),
  LIST_TIMEOUT_SECONDS: seconds.default(3),
  LIST_WAIT_SECONDS: seconds.default(1),

  TEMPORAL_ADDRESS: z.string().min(1),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TASK_QUEUE: z.string().default('voucher-topup-service'),

  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  /** Address that clients see, for links; `http://localhost:PORT` where it is not set. */
  PUBLIC_URL: webAddress.optional(),
  /** Proxies (addresses or CIDR ranges) whose X-Forwarded-For counts. */
  TRUSTED_PROXIES: commaList.pipe(z.array(addressOrRange)),
  BODY_LIMIT_BYTES: count.default(65_536),
  /** Time until the headers, and the whole of a request, have arrived. */
  HEADERS_TIMEOUT_SECONDS: seconds.default(10),
  REQUEST_TIMEOUT_SECONDS: seconds.default(30),
  /** Connections of a process; further ones are closed unread. */
  CONNECTION_LIMIT: count.default(5_000),

  /** The longest a caller waits for a workflow before it is told "still processing". */
  CALLER_WAIT_SECONDS: seconds.default(8),
  /** Public keys whose tokens are accepted too: the one before, or the one to come. */
  ACCESS_TOKEN_FURTHER_KEYS: ed25519PublicKeys.prefault(''),
  ACCESS_TOKEN_LIFETIME_SECONDS: seconds.default(300),
  /** How long a process may act on what it knows of keys, addresses and suspensions. */
  ACCESS_CACHE_SECONDS: seconds.max(2).default(1),
  /** DNS servers (`address` or `address:port`) for registered names; those of the system otherwise. */
  DNS_SERVERS: commaList.refine(areServers, 'must be addresses, with a port or without'),
  DNS_TIMEOUT_SECONDS: seconds.default(5),
  /** A name is asked for again when its time to live is over, but within these bounds. */
  DNS_MINIMUM_SECONDS: seconds.default(30),
  DNS_MAXIMUM_SECONDS: seconds.default(3_600),
  /** So long the last answer counts beyond its time while no DNS server answers. */
  DNS_STALE_SECONDS: seconds.default(3_600),
  SIGNATURE_WINDOW_SECONDS: seconds.default(300),
  /** So long the old key lives on after a rotation, where no other time is asked for. */
  API_KEY_OVERLAP_HOURS: z.coerce.number().min(0).max(720).default(24),
  /** Pause between two writes of which calls were let in and which were refused. */
  CALL_RECORD_INTERVAL_SECONDS: seconds.default(1),

  /** Where calls are counted: each process for itself, or all together in PostgreSQL. */
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  CALLS_PER_ADDRESS_AND_MINUTE: count.default(240_000),
  CALLS_PER_COMPANY_AND_MINUTE: count.default(120_000),
  /** Log-ins with keys that are not valid. */
  KEY_MISSES_PER_ADDRESS_AND_HOUR: count.default(200),
  KEY_MISSES_PER_PREFIX_AND_HOUR: count.default(200),
  /** Voucher codes that do not exist or are another's. */
  VOUCHER_MISSES_PER_COMPANY_AND_HOUR: count.default(100),
  VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: count.default(200),

  /** A portal session ends after so long without a request, and after so long in any case. */
  PORTAL_SESSION_IDLE_SECONDS: seconds.default(1_800),
  PORTAL_SESSION_MAXIMUM_SECONDS: seconds.default(43_200),
  /** Sign-ins that may be tried within the window, of one account and from one address. */
  PORTAL_SIGN_IN_WINDOW_SECONDS: seconds.default(900),
  PORTAL_SIGN_INS_PER_ACCOUNT: count.default(10),
  PORTAL_SIGN_INS_PER_ADDRESS: count.default(50),
  /** What hashing a password costs: 2 to this power times 1 KiB of memory (scrypt's N, r = 8). */
  PORTAL_PASSWORD_COST: z.coerce.number().int().min(14).max(20).default(17),

  /** So long an invited merchant can activate its account (specification 5: 24 hours). */
  INVITATION_LIFETIME_SECONDS: seconds.default(86_400),
  /** How often workers look for invitations that operators have written. */
  INVITATION_PICKUP_SECONDS: seconds.default(5),

  VOUCHER_VALIDITY_DAYS: seconds.default(365),
  CLAIM_LIFETIME_SECONDS: seconds.default(300),
  MESSAGE_COOLDOWN_SECONDS: z.coerce.number().min(0).default(30),
  MESSAGES_PER_NUMBER_AND_DAY: count.default(20),
  REFUSED_MESSAGES_PER_NUMBER_AND_HOUR: count.default(5),
  CODE_ATTEMPTS_PER_DAY: count.default(5),
  OPERATION_RETENTION_DAYS: count.default(30),
  EXPIRY_SWEEP_INTERVAL_SECONDS: seconds.default(300),
  /** How often money on hold is held against what runs, refusals are asked about and books checked. */
  RECONCILE_INTERVAL_SECONDS: seconds.default(300),
  /** First pause before asking a provider about an unknown payment; pauses double up to an hour. */
  PAYMENT_INQUIRY_INTERVAL_SECONDS: seconds.default(2),
  /** After this long an unknown payment is flagged for a person. */
  PAYMENT_ALARM_SECONDS: seconds.default(86_400),

  /** So long a failed top-up's workflow waits for a retry; afterwards a retry starts it anew. */
  TOPUP_RETRY_WINDOW_SECONDS: seconds.default(86_400),
  /** A top-up whose workflow never began is failed after this long; nothing was charged. */
  TOPUP_START_SECONDS: seconds.default(300),
  /** What may be sent to an operator's numbers in one airtime top-up, in ETB. */
  AIRTIME_MINIMUM_ETHIO_TELECOM: amount.default('5'),
  AIRTIME_MAXIMUM_ETHIO_TELECOM: amount.default('10000'),
  AIRTIME_MINIMUM_SAFARICOM_ETHIOPIA: amount.default('5'),
  AIRTIME_MAXIMUM_SAFARICOM_ETHIOPIA: amount.default('10000'),

  SMS_PROVIDER: z.enum(['africas-talking']).default('africas-talking'),
  SMS_URL: webAddress,
  SMS_USERNAME: z.string().default('sandbox'),
  SMS_API_KEY: secret,
  SMS_SENDER: z.string().optional(),
  SMS_TIMEOUT_SECONDS: seconds.default(10),

  EMAIL_PROVIDER: z.enum(['smtp']).default('smtp'),
  EMAIL_FROM: mailSender,
  EMAIL_TIMEOUT_SECONDS: seconds.default(10),
  SMTP_URL: smtpAddress,

  MOBILE_MONEY_PROVIDER: z.enum(['gsma']).default('gsma'),
  MOBILE_MONEY_URL: webAddress,
  /** Where a token is fetched; without it requests carry no Authorization header. */
  MOBILE_MONEY_TOKEN_URL: webAddress.optional(),
  MOBILE_MONEY_KEY: z.string().default(''),
  MOBILE_MONEY_SECRET: z.string().default(''),
  /** The account that payouts leave from, as GSMA's `accountid`. */
  MOBILE_MONEY_ACCOUNT: z.string().min(1),
  MOBILE_MONEY_TIMEOUT_SECONDS: seconds.default(10),

  AIRTIME_PROVIDER: z.enum(['dt-one']).default('dt-one'),
  AIRTIME_URL: webAddress,
  AIRTIME_KEY: secret,
  AIRTIME_SECRET: secret,
  /** Where the provider announces the end of a top-up; without it top-ups are asked about only. */
  AIRTIME_CALLBACK_URL: webAddress.optional(),
  AIRTIME_TIMEOUT_SECONDS: seconds.default(10),
  /** The provider's products that take an amount of airtime; the defaults are the sandbox's. */
  AIRTIME_PRODUCT_ETHIO_TELECOM: count.default(1001),
  AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA: count.default(1002),
};

/** Settings that only `npm start` reads, to place what it starts. */
const startSettings = {
  DATA_DIR: z.string().default('.data'),
  HOST: settings.HOST,
  PORT: port.default(3000),
  SANDBOX_PORT: port.default(3001),
  /** Where the sandbox takes e-mail. */
  SANDBOX_SMTP_PORT: port.default(3025),
  /** Multiplies the sandbox's delays of 3 s, 20 s and 5 min. */
  SANDBOX_DELAY_SCALE: z.coerce.number().min(0).default(1),
  DATABASE_PORT: port.default(5433),
  ENVIRONMENT: settings.ENVIRONMENT,
  TEMPORAL_PORT: port.default(7233),
  TEMPORAL_UI_PORT: port.default(8233),
  CODEC_SERVER_PORT: port.default(8234),
  TEMPORAL_CLI_PATH: z.string().optional(),
  /** The user's cache folder, for the Temporal CLI; `~/.cache` where it is not set. */
  XDG_CACHE_HOME: z.string().optional(),
  LOG_LEVEL: settings.LOG_LEVEL.default('warn'),
  DATABASE_URL: z.string().optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: settings.TEMPORAL_NAMESPACE,
  SMS_URL: webAddress.optional(),
  SMTP_URL: smtpAddress.optional(),
  MOBILE_MONEY_URL: webAddress.optional(),
  AIRTIME_URL: webAddress.optional(),
};

const configSchema = z
  .object({ ...secretSettings, ...settings })
  .refine(({ ENVIRONMENT, FAILPOINT }) => ENVIRONMENT === 'test' || FAILPOINT === undefined, {
    path: ['FAILPOINT'],
    message: 'is for the test environment only',
  });
const startConfigSchema = z.object(startSettings);
const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, LOG_LEVEL, HOST } = settings;
const migrationConfigSchema = z.object({
  DATABASE_URL,
  TEMPORAL_ADDRESS,
  TEMPORAL_NAMESPACE,
  LOG_LEVEL,
});
const sandboxConfigSchema = z.object({
  HOST,
  SANDBOX_PORT: startSettings.SANDBOX_PORT,
  SANDBOX_SMTP_PORT: startSettings.SANDBOX_SMTP_PORT,
  SANDBOX_DELAY_SCALE: startSettings.SANDBOX_DELAY_SCALE,
});
const adminConfigSchema = z.object({
  DATABASE_URL: startSettings.DATABASE_URL,
  DATA_DIR: startSettings.DATA_DIR,
  ENVIRONMENT: settings.ENVIRONMENT,
  DIGEST_KEY: secretSettings.DIGEST_KEY.optional(),
  API_KEY_OVERLAP_HOURS: settings.API_KEY_OVERLAP_HOURS,
});

export type Config = z.infer<typeof configSchema>;
export type StartConfig = z.infer<typeof startConfigSchema>;
export type AdminConfig = z.infer<typeof adminConfigSchema>;
export type Environment = Record<string, string | undefined>;

/** Thrown with one line per setting that is missing or wrong; values are never repeated. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function read<Schema extends z.ZodType>(schema: Schema, environment: Environment): z.infer<Schema> {
  // An empty value means "not set", as in a compose file with `NAME: ${NAME:-}`.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given, {
    error: ({ input }) => (input === undefined ? 'is not set' : undefined),
  });
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`Settings are missing or wrong:\n${[...new Set(lines)].join('\n')}`);
}

/** The settings of the API and worker processes. */
export const readConfig = (environment: Environment = process.env): Config =>
  read(configSchema, environment);

/** The address that clients see, without a slash at its end. */
export const publicUrlOf = ({ PUBLIC_URL, PORT }: Config): string =>
  (PUBLIC_URL ?? `http://localhost:${PORT}`).replace(/\/$/, '');

/** The same, where `npm start` has settings of its own making for what it started. */
export const readConfigWith = (overrides: Environment): Config =>
  readConfig({ ...process.env, ...overrides });

/** The settings of `npm start`. */
export const readStartConfig = (environment: Environment = process.env): StartConfig =>
  read(startConfigSchema, environment);

/** The payload keys alone, for the codec server. */
export const readPayloadKeys = (text: string): Config['PAYLOAD_KEYS'] => keyRing.parse(text);

/** The settings of the migration process. */
export const readMigrationConfig = (environment: Environment = process.env) =>
  read(migrationConfigSchema, environment);

/** The settings of the sandbox as a process of its own. */
export const readSandboxConfig = (environment: Environment = process.env) =>
  read(sandboxConfigSchema, environment);

/** The settings of the operator's command line; what is missing it looks for where `npm start` is. */
export const readAdminConfig = (environment: Environment = process.env): AdminConfig =>
  read(adminConfigSchema, environment);

/** The same, where `npm start` has settings of its own making. */
export const readAdminConfigWith = (overrides: Environment): AdminConfig =>
  readAdminConfig({ ...process.env, ...overrides });
