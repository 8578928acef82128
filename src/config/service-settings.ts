import { z } from 'zod';
import { isFailpoint } from '../process/failpoint.js';
import {
  addressOrRange,
  amount,
  areServers,
  commaList,
  count,
  countries,
  ed25519PublicKeys,
  mailSender,
  port,
  seconds,
  secret,
  smtpAddress,
  webAddress,
} from './setting-kinds.js';
import { temporalSettings } from './temporal-settings.js';

/** Every other setting of the API and the worker. README's table of settings mirrors this. */
export const serviceSettings = {
  ENVIRONMENT: z.enum(['test', 'production']).default('test'),
  /** For tests of crashes, in the test environment only: the step at which a process ends or fails. */
  FAILPOINT: z.string().refine(isFailpoint, 'names no step, or no action').optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),

  DATABASE_URL: z.string().min(1),
  DATABASE_POOL_SIZE: count.default(20),
  /** In production PostgreSQL and Temporal are on this machine or encrypted, unless this is `yes`. */
  TRUST_UNENCRYPTED_NETWORK: z.enum(['yes', 'no']).default('no'),
  LIST_TIMEOUT_SECONDS: seconds.default(3),
  LIST_WAIT_SECONDS: seconds.default(1),

  ...temporalSettings,
  TEMPORAL_TASK_QUEUE: z.string().default('voucher-topup-service'),
  /** How often workers make sure of namespace, search attributes and Schedules. */
  TEMPORAL_UPKEEP_SECONDS: seconds.default(120),

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
  /** A connection on which nothing moves for so long is closed, also before it is answered. */
  IDLE_TIMEOUT_SECONDS: seconds.default(60),
  /** Connections of a process; further ones are closed unread. */
  CONNECTION_LIMIT: count.default(5_000),
  /** Of these, of one address that is no trusted proxy's. */
  CONNECTIONS_PER_ADDRESS: count.default(1_000),
  /** Places kept for addresses with few connections and for trusted proxies; a quarter at most. */
  CONNECTION_RESERVE: count.default(500),

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
  /**
   * Sign-ins that may be tried within the window: of one account from one address or with one
   * device, of one account in all, and from one address.
   */
  PORTAL_SIGN_IN_WINDOW_SECONDS: seconds.default(900),
  PORTAL_SIGN_INS_PER_ACCOUNT: count.default(10),
  PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: count.default(100),
  PORTAL_SIGN_INS_PER_ADDRESS: count.default(50),
  /** What hashing a password costs: 2 to this power times 1 KiB of memory (scrypt's N, r = 8). */
  PORTAL_PASSWORD_COST: z.coerce.number().int().min(14).max(20).default(17),
  /** A password that an operator has made for somebody ends after this long. */
  PORTAL_ONE_TIME_PASSWORD_SECONDS: seconds.default(86_400),
  /** Passwords that are hashed at a time, each in a thread of its own. */
  PORTAL_PASSWORD_THREADS: z.coerce.number().int().min(1).max(64).default(2),

  /** So long an invited merchant can activate its account (specification 5: 24 hours). */
  INVITATION_LIFETIME_SECONDS: seconds.default(86_400),
  /** How often workers look for invitations that operators have written. */
  INVITATION_PICKUP_SECONDS: seconds.default(5),

  VOUCHER_VALIDITY_DAYS: seconds.default(365),
  CLAIM_LIFETIME_SECONDS: seconds.default(300),
  MESSAGE_COOLDOWN_SECONDS: z.coerce.number().min(0).default(30),
  MESSAGES_PER_NUMBER_AND_DAY: count.default(20),
  /** A confirmation that could not be sent by then is given up; the redemption is done all the same. */
  CONFIRMATION_MAXIMUM_AGE_SECONDS: seconds.default(86_400),
  REFUSED_MESSAGES_PER_NUMBER_AND_HOUR: count.default(5),
  /** Countries (ISO 3166-1 alpha-2) whose numbers messages are sent to. */
  SERVED_COUNTRIES: countries.prefault('ET'),
  /** Codes and confirmations of anonymous redemptions; operators can give a company a budget of its own. */
  MESSAGES_PER_COMPANY_AND_DAY: count.default(5_000),
  /** Wrong codes of one company for one voucher in 24 hours. */
  CODE_ATTEMPTS_PER_DAY: count.default(5),
  /** After so many wrong codes over a voucher's life, its codes have eight digits instead of six. */
  CODE_ATTEMPTS_BEFORE_LONG_CODES: count.default(20),
  /** After so many wrong codes in a day, a company's redemptions with codes take turns, so far apart. */
  CODE_ATTEMPTS_PER_COMPANY_AND_DAY: count.default(100),
  CODE_ATTEMPT_PAUSE_SECONDS: seconds.default(2),
  /** The smallest part of a voucher that is redeemed, in ETB; its whole rest always may be. */
  REDEMPTION_MINIMUM: amount.default('5'),
  /** Redemptions that may take a part of one voucher; after them only the whole rest is left. */
  PARTIAL_REDEMPTIONS_PER_VOUCHER: count.default(20),
  OPERATION_RETENTION_DAYS: count.default(30),
  EXPIRY_SWEEP_INTERVAL_SECONDS: seconds.default(300),
  /** How often money on hold is held against what runs, refusals are asked about and books checked. */
  RECONCILE_INTERVAL_SECONDS: seconds.default(300),
  /** First pause before asking a provider about an unknown payment; pauses double up to an hour. */
  PAYMENT_INQUIRY_INTERVAL_SECONDS: seconds.default(2),
  /** After this long an unknown payment is flagged for a person. */
  PAYMENT_ALARM_SECONDS: seconds.default(86_400),

  /** So long it is looked whether a provider takes back what it did; 0 switches that off. */
  REVERSAL_WATCH_SECONDS: z.coerce.number().min(0).default(604_800),

  /** So long a failed top-up's workflow waits for a retry; afterwards a retry starts it anew. */
  TOPUP_RETRY_WINDOW_SECONDS: seconds.default(86_400),
  /** A top-up whose workflow never began is failed after this long; nothing was charged. */
  TOPUP_START_SECONDS: seconds.default(300),
  /** Whether support staff may retry a failed top-up by the signal `retry`, which needs no data. */
  SUPPORT_RETRY_SIGNAL: z.enum(['on', 'off']).default('on'),
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
  /** The last part of the path of callbacks, which nobody can guess; given to the provider with it. */
  AIRTIME_CALLBACK_SECRET: z
    .string()
    .regex(/^([\w-]{16,128})?$/, 'must be 16 to 128 letters, digits, - or _')
    .default(''),
  /** Where callbacks come from (addresses or CIDR ranges); from anywhere where it is empty. */
  AIRTIME_CALLBACK_ADDRESSES: commaList.pipe(z.array(addressOrRange)),
  AIRTIME_TIMEOUT_SECONDS: seconds.default(10),
  /** The provider's products that take an amount of airtime; the defaults are the sandbox's. */
  AIRTIME_PRODUCT_ETHIO_TELECOM: count.default(1001),
  AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA: count.default(1002),
};
