import type { ApiConfig } from '../../config/config.ts';
import { type Config, publicUrlOf } from '../../config/config.ts';
import type { callbackProviders } from '../../config/provider-settings.ts';
import { createNumberHash } from '../../crypto/phone-numbers.ts';
import { listSourceNames } from '../../db/access/access.ts';
import type { Database } from '../../db/connection.ts';
import { SIGN_IN_WINDOW_SECONDS } from '../../db/limits/attempts.ts';
import { sessionLifetimes } from '../../db/people/sign-ins.ts';
import { createDnsLookup } from '../../http/access/allowlist.ts';
import { createAddressMatcher } from '../../http/access/source-address.ts';
import type { ServerLimits } from '../../http/http-server.ts';
import type { Services } from '../../http/services.ts';
import type { PortalSettings } from '../../pages/page.ts';
import { repairLimits } from '../../repairs/ask-repair.ts';

/** Who may call back, by provider. */
const callbackAccess = ({
  CALLBACK_SECRETS: secrets,
  CALLBACK_ADDRESSES: addresses,
}: Config): Services['settings']['callbacks'] => {
  const of = (provider: (typeof callbackProviders)[number]) => {
    const { [provider]: entries = [] } = addresses;
    return {
      secret: secrets[provider] ?? '',
      isAddress: entries.length === 0 ? () => true : createAddressMatcher(entries),
    };
  };
  return {
    'africas-talking': of('africas-talking'),
    gsma: of('gsma'),
    mpesa: of('mpesa'),
    'dt-one': of('dt-one'),
  };
};

/** The settings of handlers and operations. */
export const serviceSettings = (config: ApiConfig): Services['settings'] => ({
  environment: config.ENVIRONMENT,
  publicUrl: publicUrlOf(config),
  sandboxUrl: config.SANDBOX_URL?.replace(/\/+$/, ''),
  accessCacheSeconds: config.ACCESS_CACHE_SECONDS,
  isTrustedProxy: createAddressMatcher(config.TRUSTED_PROXIES),
  slowing: {
    companyWrongCodesPerDay: config.CODE_ATTEMPTS_PER_COMPANY_AND_DAY,
    pauseSeconds: config.CODE_ATTEMPT_PAUSE_SECONDS,
    longestWaitSeconds: config.CALLER_WAIT_SECONDS,
  },
  callbacks: callbackAccess(config),
  reloadlyCallbackSecret: config.RELOADLY_CALLBACK_SECRET,
  defaultPayer: config.MOBILE_MONEY_PROVIDER,
  reversalWatchSeconds: config.REVERSAL_WATCH_SECONDS,
  temporalUi: { url: config.TEMPORAL_UI_URL, namespace: config.TEMPORAL_NAMESPACE },
  taskQueue: config.TEMPORAL_TASK_QUEUE,
  repairs: repairLimits(config, createNumberHash(config.DIGEST_KEY)),
  promoImageFolder: config.PROMO_IMAGE_FOLDER,
});

/** The limits of the server: timeouts and connections. */
export const serverLimits = (
  config: ApiConfig,
  { isTrustedProxy }: Pick<Services['settings'], 'isTrustedProxy'>,
): ServerLimits => ({
  headersTimeoutMs: config.HEADERS_TIMEOUT_SECONDS * 1_000,
  requestTimeoutMs: config.REQUEST_TIMEOUT_SECONDS * 1_000,
  idleTimeoutMs: config.IDLE_TIMEOUT_SECONDS * 1_000,
  connections: {
    total: config.CONNECTION_LIMIT,
    perAddress: config.CONNECTIONS_PER_ADDRESS,
    reserve: config.CONNECTION_RESERVE,
    isTrustedProxy,
  },
});

/**
 * The issuer of access tokens: even with one signing key, a token of one environment is invalid in
 * the other.
 */
export const tokenIssuer = ({ ENVIRONMENT }: Config) => `voucher-topup-service/${ENVIRONMENT}`;

/** Time between the password and the one-time password of a sign-in. */
const SECOND_STEP_SECONDS = 300;

/** The settings of the portal. */
export const portalSettings = (config: Config): PortalSettings => ({
  marketTimeZone: config.MARKET_TIME_ZONE,
  session: sessionLifetimes,
  signIn: {
    windowSeconds: SIGN_IN_WINDOW_SECONDS,
    perAccount: config.PORTAL_SIGN_INS_PER_ACCOUNT,
    perAccountAnywhere: config.PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE,
    perAddress: config.PORTAL_SIGN_INS_PER_ADDRESS,
  },
  secondStepSeconds: SECOND_STEP_SECONDS,
  passwordCost: config.PORTAL_PASSWORD_COST,
  passwordThreads: config.PORTAL_PASSWORD_THREADS,
  firstPasswordSeconds: config.PORTAL_ONE_TIME_PASSWORD_SECONDS,
});

/** Longest time between two lookups of a name. */
const DNS_MAXIMUM_MS = 3_600_000;
/** Time that the last answer stays valid beyond its time to live while no DNS server answers. */
const DNS_STALE_MS = 3_600_000;

/** The settings of DNS look-ups for allow-lists. */
export const hostnameSettings = (config: Config, database: Database) => ({
  lookup: createDnsLookup({
    servers: config.DNS_SERVERS,
    timeoutMs: config.DNS_TIMEOUT_SECONDS * 1_000,
    allowsPrivate: config.ENVIRONMENT === 'test',
  }),
  listNames: (limit: number) => listSourceNames(database, limit),
  minimumMs: config.DNS_MINIMUM_SECONDS * 1_000,
  maximumMs: DNS_MAXIMUM_MS,
  staleMs: DNS_STALE_MS,
});

/** The rate limits of calls and misses. */
export const rateLimitSettings = (config: Config) => ({
  store: config.RATE_LIMIT_STORE,
  quotas: {
    address: config.CALLS_PER_ADDRESS_AND_MINUTE,
    company: config.CALLS_PER_COMPANY_AND_MINUTE,
    'key-misses-of-address': config.KEY_MISSES_PER_ADDRESS_AND_HOUR,
    'key-misses-of-prefix': config.KEY_MISSES_PER_PREFIX_AND_HOUR,
    'signature-diagnoses': config.SIGNATURE_DIAGNOSES_PER_MERCHANT_AND_MINUTE,
    'voucher-misses-of-company': config.VOUCHER_MISSES_PER_COMPANY_AND_HOUR,
    'voucher-misses-of-address': config.VOUCHER_MISSES_PER_ADDRESS_AND_HOUR,
  },
});
