import { z } from 'zod';
import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from '../../domain/providers/provider-names.ts';
import {
  constant,
  count,
  mailSender,
  messageTemplates,
  SECRET,
  secret,
  smtpAddress,
  someNames,
  webAddress,
} from '../setting-kinds.ts';
import { addressesOrRanges, byName, byOperator, pairs } from '../setting-structures.ts';
import { mpesaSettings } from './mpesa-settings.ts';
import { reloadlySettings } from './reloadly-settings.ts';
import { smppSettings } from './smpp-settings.ts';

/** The providers whose callbacks are not signed. */
export const callbackProviders = ['africas-talking', 'gsma', 'mpesa', 'dt-one'] as const;

/** A text that only who knows it can put into a path. */
const pathSecret = z.string().regex(/^[\w-]{16,128}$/, 'must be 16 to 128 letters, digits, - or _');

/** Where providers report, and who may. */
const callbackSettings = {
  CALLBACK_URL: webAddress.optional().meta({
    description:
      'Base address at which providers reach us, such as `https://vouchers.example.com/callbacks`; ' +
      'required with `MPESA_URL`, because M-Pesa answers only there',
    whenUnset: 'the service only polls the providers',
  }),
  CALLBACK_SECRETS: byName(callbackProviders, pathSecret)
    .meta(SECRET)
    .default({})
    .describe(
      'Last part of the path of callbacks, by provider (`africas-talking`, `gsma`, `mpesa`, `dt-one`), ' +
        '16 to 128 letters, digits, `-` or `_`: `gsma=…,mpesa=…`. A callback without it in its path is ' +
        "404. Enter `…/callbacks/africas-talking/SECRET` in the account of Africa's Talking; the other " +
        'providers receive theirs with each payment. Required with `MPESA_URL`, and in production for ' +
        'each provider of these that has an address',
    ),
  CALLBACK_ADDRESSES: byName(callbackProviders, addressesOrRanges)
    .default({})
    .meta({
      description:
        'Addresses and CIDR ranges, separated by spaces, that callbacks may come from, by provider: ' +
        '`mpesa=196.201.214.0/24 196.201.213.0/24,gsma=…`',
      whenUnset: 'any address',
    }),
};

const headers = pairs.pipe(
  z.record(
    z.string().regex(/^[\w-]+$/, 'must have names of headers'),
    z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must have values of 1 to 256 visible characters'),
  ),
);

/** SMS and e-mail. */
const messageSettings = {
  SMS_PROVIDER: z
    .enum(smsProviderNames)
    .default('africas-talking')
    .describe('Provider of SMS where no route decides; must be set in production'),
  SMS_URL: webAddress
    .optional()
    .describe(
      "Base address of Africa's Talking, required with it; `npm start` uses the sandbox if this is " +
        'not set, which production refuses',
    ),
  SMS_USERNAME: z
    .string()
    .default('sandbox')
    .describe("The account's user name; must be set in production with `SMS_URL`"),
  SMS_API_KEY: secret.optional().describe("The account's API key, required with `SMS_URL`"),
  SMS_SENDER: z
    .string()
    .optional()
    .meta({ description: 'Sender that phones show', whenUnset: "the provider's own" }),
  ...smppSettings,
  MESSAGE_TEMPLATES: messageTemplates.meta({
    description:
      'Own texts of messages to owners: JSON by language (`en`, `am`) and message (`code`, ' +
      '`confirmation`, `reminder`, `reversal`), or the path of a file with it. Facts stand in {}; a ' +
      'part in [] is left out where its fact is missing ([messages](messages.md))',
    whenUnset: "the service's own texts",
  }),
  EMAIL_FROM: mailSender.describe('Sender of e-mail, `name@host` or `Name <name@host>`'),
  SMTP_URL: smtpAddress.describe(
    'The mail server, with user and password if it needs them. ' +
      '`smtp://user:password@host:587` encrypts by STARTTLS and sends nothing without it, ' +
      'unless the address ends in `?tls=off`; `smtps://` encrypts from the beginning. `npm ' +
      'start` uses the sandbox if this is not set',
  ),
};

/** Payments to merchants. */
const mobileMoneySettings = {
  MOBILE_MONEY_PROVIDER: z
    .enum(mobileMoneyProviderNames)
    .default('gsma')
    .describe('Provider of payments where no route decides; must be set in production'),
  MOBILE_MONEY_URL: webAddress
    .optional()
    .describe(
      'Base address of the provider with the GSMA API, required with it; `npm start` uses the ' +
        'sandbox if this is not set, which production refuses',
    ),
  MOBILE_MONEY_TOKEN_URL: webAddress
    .optional()
    .describe(
      'Address of the token endpoint. Without it the calls carry the key by HTTP Basic, or no ' +
        '`Authorization` header where there is no key',
    ),
  MOBILE_MONEY_KEY: z
    .string()
    .meta(SECRET)
    .default('')
    .describe('Key for the token, or for HTTP Basic where there is no address for tokens'),
  MOBILE_MONEY_SECRET: z.string().meta(SECRET).default('').describe('Secret of the key'),
  MOBILE_MONEY_ACCOUNT: someNames
    .optional()
    .describe(
      "Source account of payouts (GSMA's `accountid`), required with `MOBILE_MONEY_URL`. After it, " +
        'separated by commas, the other identifiers by which the provider names it in its lists, such as ' +
        'a short code: what it pays in is then known to be a credit',
    ),
  MOBILE_MONEY_ACCOUNT_CHECK: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      "Whether the provider is asked for the status and the holder of a merchant's payout account " +
        'before the first payment to it. `off` for a provider that does not offer it: ' +
        'accounts without a registered holder are then paid unasked, others after `confirm payout-account`',
    ),
  MOBILE_MONEY_HEADERS: headers
    .meta(SECRET)
    .default({})
    .describe(
      'Headers of every call, where the provider asks for them: `name=value,name=value`, such as ' +
        '`X-API-Key`, `X-Client-Id` and `X-Account-Holding-Institution-Identifier`',
    ),
  ...mpesaSettings,
};

/** Airtime and packages. */
const airtimeSettings = {
  ...reloadlySettings,
  AIRTIME_PROVIDER: z
    .enum(airtimeProviderNames)
    .default('dt-one')
    .describe('Provider of airtime and packages where no route decides; must be set in production'),
  AIRTIME_URL: webAddress
    .optional()
    .describe(
      'Base address of DT One, required with it; `npm start` uses the sandbox if this is not set, ' +
        'which production refuses',
    ),
  AIRTIME_KEY: secret.optional().describe("The account's key, required with `AIRTIME_URL`"),
  AIRTIME_SECRET: secret.optional().describe("The account's secret, required with `AIRTIME_URL`"),
  AIRTIME_PRODUCTS: byOperator(count)
    .prefault('ETHIO_TELECOM=1001,SAFARICOM_ETHIOPIA=1002')
    .describe(
      "DT One's products for airtime of the mobile operators; must be set in production with " +
        "`AIRTIME_URL` (the default is the sandbox's)",
    ),
};

/** What keeps a provider that is slow, or out of order, from keeping others waiting. */
export const providerGuardSettings = {
  PROVIDER_CALLS: count
    .default(25)
    .describe('Concurrent calls of a worker to one provider; what is beyond waits'),
  /** Longest wait for a call to one provider to end; then the next one is not sent. */
  PROVIDER_CALL_WAIT_SECONDS: constant(1),
  /** Longest call of all; the time limits of the providers must be shorter. */
  PROVIDER_DEADLINE_SECONDS: constant(25),
  /**
   * Last calls to a provider that its circuit breaker looks at: it opens where half of them, and of
   * at least half as many, had no connection, no answer in time, an answer of status 5xx, or were
   * not sent for another reason than that the provider asked for fewer calls.
   */
  PROVIDER_BREAKER_CALLS: constant(20),
  /** Time after which an open circuit breaker lets one call try. */
  PROVIDER_BREAKER_SECONDS: constant(15),
  /** Interval at which a worker tells operators the states of its circuit breakers. */
  PROVIDER_STATE_SECONDS: constant(10),
};

/** What providers are made of. */
export const providerSettings = {
  /** Time limit of one call, below the longest call of all: an adapter says how its call ended. */
  PROVIDER_TIMEOUT_SECONDS: constant(10),
  ...callbackSettings,
  ...messageSettings,
  ...mobileMoneySettings,
  ...airtimeSettings,
};

/** The same without e-mail, which few processes send. */
export type ProviderSettings = Omit<
  z.infer<z.ZodObject<typeof providerSettings>>,
  'EMAIL_FROM' | 'SMTP_URL'
>;
