import { z } from 'zod';
import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from '../../domain/providers/provider-names.ts';
import {
  addressOrRange,
  commaList,
  count,
  mailSender,
  messageTemplates,
  SECRET,
  seconds,
  secret,
  smtpAddress,
  webAddress,
} from '../setting-kinds.ts';
import { mpesaSettings } from './mpesa-settings.ts';
import { reloadlySettings } from './reloadly-settings.ts';
import { smppSettings } from './smpp-settings.ts';

/** The secret part of a path. */
const callbackSecret = z
  .string()
  .regex(/^([\w-]{16,128})?$/, 'must be 16 to 128 letters, digits, - or _')
  .meta(SECRET)
  .default('');

const callbackAddresses = commaList.pipe(z.array(addressOrRange)).meta({
  description: 'Addresses and CIDR ranges, separated by commas, that callbacks may come from',
  whenUnset: 'any address',
});

/** The value of a header. */
const headerText = z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 visible characters');

/** SMS and e-mail. */
export const messageSettings = {
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
  SMS_CALLBACK_SECRET: callbackSecret.describe(
    "Last part of the path of Africa's Talking's delivery reports, 16 to 128 letters, digits, `-` " +
      'or `_`: `…/callbacks/africas-talking/SECRET`. Enter that address as the callback of the ' +
      'account; a report without it in its path is 404. Must be set in production with `SMS_URL`',
  ),
  SMS_CALLBACK_ADDRESSES: callbackAddresses,
  SMS_TIMEOUT_SECONDS: seconds.default(10).describe('Time limit of one call'),
  ...smppSettings,
  MESSAGE_TEMPLATES: messageTemplates.meta({
    description:
      'Own texts of messages to owners: JSON by language (`en`, `am`) and message (`code`, ' +
      '`confirmation`, `reminder`, `reversal`), or the path of a file with it. Facts stand in {}; a ' +
      'part in [] is left out where its fact is missing ([messages](messages.md))',
    whenUnset: "the service's own texts",
  }),
  EMAIL_PROVIDER: z
    .enum(['smtp'])
    .default('smtp')
    .describe('Adapter for e-mail; must be set in production'),
  EMAIL_FROM: mailSender.describe('Sender of e-mail, `name@host` or `Name <name@host>`'),
  EMAIL_TIMEOUT_SECONDS: seconds.default(10).describe('Time limit of sending one e-mail'),
  SMTP_URL: smtpAddress.describe(
    'The mail server, with user and password if it needs them. ' +
      '`smtp://user:password@host:587` encrypts by STARTTLS and sends nothing without it, ' +
      'unless the address ends in `?tls=off`; `smtps://` encrypts from the beginning. `npm ' +
      'start` uses the sandbox if this is not set',
  ),
};

/** Payments to merchants. */
export const mobileMoneySettings = {
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
  MOBILE_MONEY_ACCOUNT: z
    .string()
    .min(1)
    .optional()
    .describe("Source account of payouts (GSMA's `accountid`), required with `MOBILE_MONEY_URL`"),
  MOBILE_MONEY_ACCOUNT_ALIASES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    )
    .describe(
      'Other identifiers by which the provider names our account in its lists, such as a short code, ' +
        'separated by commas: what it pays in is then known to be a credit',
    ),
  MOBILE_MONEY_ACCOUNT_CHECK: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      "Whether the provider is asked for the status and the holder of a merchant's payout account " +
        'before the first payment to it. `off` for a provider that does not offer it: ' +
        'accounts without a registered holder are then paid unasked, others after `confirm payout-account`',
    ),
  MOBILE_MONEY_API_KEY: secret
    .optional()
    .describe('Sent as `X-API-Key` with every call, where the provider asks for it'),
  MOBILE_MONEY_CLIENT_ID: headerText
    .optional()
    .describe('Sent as `X-Client-Id` with every call, where the provider asks for it'),
  MOBILE_MONEY_INSTITUTION: headerText
    .optional()
    .describe(
      'Sent as `X-Account-Holding-Institution-Identifier` with every call: who holds the accounts, ' +
        'where one address serves several institutions',
    ),
  MOBILE_MONEY_INSTITUTION_TYPE: headerText
    .optional()
    .describe(
      'Sent as `X-Account-Holding-Institution-Identifier-Type` with `MOBILE_MONEY_INSTITUTION`, such ' +
        'as `organisationid`',
    ),
  MOBILE_MONEY_CALLBACK_URL: webAddress
    .optional()
    .describe(
      'Address for callbacks of the provider about payments, `…/callbacks/gsma`; without it the ' +
        'service only polls the provider',
    ),
  MOBILE_MONEY_CALLBACK_SECRET: callbackSecret.describe(
    'Last part of the path of callbacks, 16 to 128 letters, digits, `-` or `_`: ' +
      '`…/callbacks/gsma/SECRET`. The provider receives it with `MOBILE_MONEY_CALLBACK_URL`; a ' +
      'callback without it in its path is 404. Must be set in production with `MOBILE_MONEY_URL`',
  ),
  MOBILE_MONEY_CALLBACK_ADDRESSES: callbackAddresses,
  MOBILE_MONEY_TIMEOUT_SECONDS: seconds.default(10).describe('Time limit of one call'),
  ...mpesaSettings,
};

/** Airtime and packages. */
export const airtimeSettings = {
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
  AIRTIME_CALLBACK_URL: webAddress
    .optional()
    .describe(
      'Address for callbacks of the provider at the end of a top-up; without it the service only ' +
        'polls the provider',
    ),
  AIRTIME_CALLBACK_SECRET: callbackSecret.describe(
    'Last part of the path of callbacks, 16 to 128 letters, digits, `-` or `_`: ' +
      '`…/callbacks/airtime/SECRET`. The provider receives it with `AIRTIME_CALLBACK_URL`; ' +
      'a callback without it in its path is 404. Must be set in production with `AIRTIME_URL`',
  ),
  AIRTIME_CALLBACK_ADDRESSES: callbackAddresses,
  AIRTIME_TIMEOUT_SECONDS: seconds.default(10).describe('Time limit of one call'),
  AIRTIME_PRODUCT_ETHIO_TELECOM: count
    .default(1001)
    .describe(
      "DT One's product for airtime of Ethio telecom; must be set in production with `AIRTIME_URL` " +
        "(the default is the sandbox's)",
    ),
  AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA: count
    .default(1002)
    .describe(
      "DT One's product for airtime of Safaricom Ethiopia; must be set in production with " +
        "`AIRTIME_URL` (the default is the sandbox's)",
    ),
};

/** What keeps a provider that is slow, or out of order, from keeping others waiting. */
export const providerGuardSettings = {
  PROVIDER_CALLS: count
    .default(25)
    .describe('Concurrent calls of a worker to one provider; what is beyond waits'),
  PROVIDER_CALL_WAIT_SECONDS: seconds
    .default(1)
    .describe('Longest wait for a call to one provider to end; then the next one is not sent'),
  PROVIDER_DEADLINE_SECONDS: seconds
    .default(25)
    .describe('Longest call of all; the time limits of the providers must be shorter'),
  PROVIDER_EMPTY_SECONDS: seconds
    .default(300)
    .describe(
      'Time for which new payments and top-ups prefer other providers, after one refused for lack of ' +
        'our money',
    ),
  PROVIDER_BREAKER_CALLS: count
    .default(20)
    .describe(
      'Last calls to a provider that its circuit breaker looks at: it opens where half of them, and ' +
        'of at least half as many, had no connection, no answer in time, an answer of status 5xx, or were ' +
        'not sent for another reason than that the provider asked for fewer calls',
    ),
  PROVIDER_BREAKER_SECONDS: seconds
    .default(15)
    .describe('Time after which an open circuit breaker lets one call try'),
  PROVIDER_STATE_SECONDS: seconds
    .default(10)
    .describe('Interval at which a worker tells operators the states of its circuit breakers'),
};
