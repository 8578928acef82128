import type { ApiConfig } from '../config/config.ts';
import { type Config, publicUrlOf } from '../config/config.ts';
import { createNumberHash } from '../crypto/number-hash.ts';
import { listSourceNames } from '../db/access/access.ts';
import type { Database } from '../db/connection.ts';
import { createDnsLookup } from '../http/access/dns-lookup.ts';
import { createAddressMatcher } from '../http/access/source-address.ts';
import type { ServerLimits } from '../http/http-server.ts';
import type { Services } from '../http/services.ts';
import type { PortalSettings } from '../portal/page.ts';
import { repairLimits } from '../repairs/repair-limits.ts';

const matcherOrAny = (entries: readonly string[]) =>
  entries.length === 0 ? () => true : createAddressMatcher(entries);

/** The settings of handlers and operations. */
export const serviceSettings = (config: ApiConfig): Services['settings'] => ({
  environment: config.ENVIRONMENT,
  publicUrl: publicUrlOf(config),
  sandboxUrl: config.SANDBOX_URL?.replace(/\/+$/, ''),
  bodyLimitBytes: config.BODY_LIMIT_BYTES,
  signatureWindowSeconds: config.SIGNATURE_WINDOW_SECONDS,
  accessCacheSeconds: config.ACCESS_CACHE_SECONDS,
  isTrustedProxy: createAddressMatcher(config.TRUSTED_PROXIES),
  servedCountries: config.SERVED_COUNTRIES,
  slowing: {
    companyWrongCodesPerDay: config.CODE_ATTEMPTS_PER_COMPANY_AND_DAY,
    pauseSeconds: config.CODE_ATTEMPT_PAUSE_SECONDS,
    longestWaitSeconds: config.CALLER_WAIT_SECONDS,
  },
  airtimeCallbacks: {
    secret: config.AIRTIME_CALLBACK_SECRET,
    isAddress: matcherOrAny(config.AIRTIME_CALLBACK_ADDRESSES),
  },
  smsCallbacks: {
    secret: config.SMS_CALLBACK_SECRET,
    isAddress: matcherOrAny(config.SMS_CALLBACK_ADDRESSES),
  },
  reloadlyCallbackSecret: config.RELOADLY_CALLBACK_SECRET,
  defaultPayer: config.MOBILE_MONEY_PROVIDER,
  paymentCallbacks: {
    gsma: {
      secret: config.MOBILE_MONEY_CALLBACK_SECRET,
      isAddress: matcherOrAny(config.MOBILE_MONEY_CALLBACK_ADDRESSES),
    },
    mpesa: {
      secret: config.MPESA_CALLBACK_SECRET ?? '',
      isAddress: matcherOrAny(config.MPESA_CALLBACK_ADDRESSES),
    },
  },
  reversalWatchSeconds: config.REVERSAL_WATCH_SECONDS,
  temporalUi: { url: config.TEMPORAL_UI_URL, namespace: config.TEMPORAL_NAMESPACE },
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

/** The settings of the portal. */
export const portalSettings = (config: Config): PortalSettings => ({
  marketTimeZone: config.MARKET_TIME_ZONE,
  session: {
    idleSeconds: config.PORTAL_SESSION_IDLE_SECONDS,
    maximumSeconds: config.PORTAL_SESSION_MAXIMUM_SECONDS,
    confirmationSeconds: config.PORTAL_CONFIRMATION_SECONDS,
  },
  signIn: {
    windowSeconds: config.PORTAL_SIGN_IN_WINDOW_SECONDS,
    perAccount: config.PORTAL_SIGN_INS_PER_ACCOUNT,
    perAccountAnywhere: config.PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE,
    perAddress: config.PORTAL_SIGN_INS_PER_ADDRESS,
  },
  secondStepSeconds: config.PORTAL_SECOND_STEP_SECONDS,
  passwordCost: config.PORTAL_PASSWORD_COST,
  passwordThreads: config.PORTAL_PASSWORD_THREADS,
  firstPasswordSeconds: config.PORTAL_ONE_TIME_PASSWORD_SECONDS,
});

/** The settings of DNS look-ups for allow-lists. */
export const hostnameSettings = (config: Config, database: Database) => ({
  lookup: createDnsLookup({
    servers: config.DNS_SERVERS,
    timeoutMs: config.DNS_TIMEOUT_SECONDS * 1_000,
    allowsPrivate: config.ENVIRONMENT === 'test',
  }),
  listNames: (limit: number) => listSourceNames(database, limit),
  minimumMs: config.DNS_MINIMUM_SECONDS * 1_000,
  maximumMs: config.DNS_MAXIMUM_SECONDS * 1_000,
  staleMs: config.DNS_STALE_SECONDS * 1_000,
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
