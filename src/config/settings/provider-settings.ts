import { z } from 'zod';
import {
  airtimeProviderNames,
  mobileMoneyProviderNames,
  smsProviderNames,
} from '../../domain/providers.ts';
import {
  addressesOrRanges,
  byName,
  byOperator,
  constant,
  count,
  linkAddress,
  mailSender,
  messageTemplates,
  onOff,
  optionalSetting,
  pairs,
  pemOrFile,
  SECRET,
  secret,
  smppAddress,
  smtpAddress,
  someNames,
  webAddress,
  zoneName,
} from '../setting-kinds.ts';

const path = z.string().regex(/^\/[\w./-]+$/, 'must be a path such as /oauth/v1/generate');

/** Payments by M-Pesa Daraja; `MPESA_URL` configures it. */
const mpesaSettings = {
  MPESA_URL: optionalSetting(
    linkAddress,
    'Base address of M-Pesa Daraja, such as `https://api.safaricom.et`; `npm start` uses the ' +
      'sandbox if this is not set',
  ),
  MPESA_PATHS: byName(['token', 'payment', 'status'], path)
    .default({})
    .meta({
      description:
        'Paths of tokens, of B2C payments and of inquiries about payments, for those that differ: ' +
        '`token=/oauth/v1/generate,…`',
      whenUnset: "Kenya's, and Ethiopia's where the host of `MPESA_URL` ends in `.et`",
    }),
  MPESA_CONSUMER_KEY: optionalSetting(secret, 'Key of the app, required with `MPESA_URL`'),
  MPESA_CONSUMER_SECRET: optionalSetting(secret, 'Secret of the app, required with `MPESA_URL`'),
  MPESA_SHORT_CODE: optionalSetting(
    z.string().regex(/^\d{5,9}$/, 'must be 5 to 9 digits'),
    'Our short code, which pays; required with `MPESA_URL`',
  ),
  MPESA_INITIATOR: optionalSetting(
    z.string().min(1),
    'Name of the API operator that initiates payments, required with `MPESA_URL`',
  ),
  MPESA_SECURITY_CREDENTIAL: optionalSetting(
    secret,
    "The initiator's password as M-Pesa's portal encrypts it, required with `MPESA_URL`",
  ),
};

/** Airtime by Reloadly; `RELOADLY_URL` configures it. */
const reloadlySettings = {
  RELOADLY_URL: optionalSetting(
    linkAddress,
    'Base address of Reloadly, such as `https://topups.reloadly.com`, and audience of its tokens. The setting ' +
      'configures Reloadly; without it `npm start` uses the sandbox',
  ),
  RELOADLY_TOKEN_URL: webAddress
    .default('https://auth.reloadly.com/oauth/token')
    .describe('Address of the token endpoint'),
  RELOADLY_CLIENT_ID: optionalSetting(
    secret,
    "The account's client id, required with `RELOADLY_URL`",
  ),
  RELOADLY_CLIENT_SECRET: optionalSetting(
    secret,
    "The account's client secret, required with `RELOADLY_URL`",
  ),
  RELOADLY_OPERATORS: optionalSetting(
    byOperator(count),
    "Reloadly's ids of the mobile operators, required with `RELOADLY_URL`: " +
      '`ETHIO_TELECOM=…,SAFARICOM_ETHIOPIA=…`',
  ),
  RELOADLY_TIME_ZONE: zoneName
    .default('America/New_York')
    .describe(
      "Time zone of Reloadly's times, in its API and in files, which have no offset. It is not " +
        "documented: a public sample has 13:17 where its operator's id says 18:17 of Lagos",
    ),
  /**
   * Time after the last sending from which a top-up that Reloadly does not list was never received,
   * and is sent again; at least 120 in production. Reloadly may execute two requests that are under
   * way together.
   */
  RELOADLY_SETTLE_SECONDS: constant(600),
};

/** SMS over SMPP 3.4. */
const smppSettings = {
  SMPP_URL: optionalSetting(
    smppAddress,
    'Address of the SMSC with the system id and the password of the account: ' +
      '`smpp://id:password@host:2775`, or `smpps://id:password@host:3550` with TLS, and `?system_type=…` where the SMSC ' +
      'needs it. Without the setting the provider `smpp` is not configured, and `npm start` uses the sandbox',
  ),
  SMPP_SENDER: optionalSetting(
    z.string().regex(/^[ -~]{1,20}$/, 'must be 1 to 20 ASCII characters'),
    'Sender that phones show: a name, a short code, or a number with its plus sign',
    "the account's own",
  ),
  SMPP_CA: optionalSetting(
    pemOrFile,
    "Authority of the SMSC's certificate: PEM, or the path of a file with it",
    'those of Node.js',
  ),
  SMPP_WINDOW: count.default(10).describe('Messages of one worker without an answer at a time'),
  /** Pause before a lost session is opened again; it doubles with each failure. */
  SMPP_RECONNECT_SECONDS: constant(1),
  /** The longest of these pauses. */
  SMPP_RECONNECT_MAXIMUM_SECONDS: constant(60),
  /** Pause after the SMSC asked for fewer messages; none is sent in it. */
  SMPP_THROTTLE_PAUSE_SECONDS: constant(1),
  SMPP_RECEIPT_IDS: z
    .enum(['same', 'decimal-for-hex', 'hex-for-decimal'])
    .default('same')
    .describe(
      'How receipts write the id that the SMSC answered: the same, in decimal where it answered ' +
        'in hexadecimal, or the other way round',
    ),
};

/** The providers whose callbacks are not signed. */
export const callbackProviders = ['africas-talking', 'gsma', 'mpesa', 'dt-one'] as const;

/** A text that only who knows it can put into a path. */
const pathSecret = z.string().regex(/^[\w-]{16,128}$/, 'must be 16 to 128 letters, digits, - or _');

/** Where providers report, and who may. */
export const callbackSettings = {
  CALLBACK_URL: optionalSetting(
    linkAddress,
    'Base address at which providers reach us, such as `https://vouchers.example.com/callbacks`; ' +
      'required with `MPESA_URL`, because M-Pesa answers only there',
    'the service only polls the providers',
  ),
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
  RELOADLY_CALLBACK_SECRET: optionalSetting(
    z.string().min(16).meta(SECRET),
    'Secret of the webhook of the account, which signs callbacks at `…/callbacks/reloadly`; ' +
      'other callbacks are 404',
    'callbacks are 404, and the service only polls Reloadly',
  ),
};

/** The providers that serve where no route decides. */
export const defaultProviderSettings = {
  SMS_PROVIDER: z
    .enum(smsProviderNames)
    .default('africas-talking')
    .describe('Provider of SMS where no route decides; must be set in production'),
  MOBILE_MONEY_PROVIDER: z
    .enum(mobileMoneyProviderNames)
    .default('gsma')
    .describe('Provider of payments where no route decides; must be set in production'),
  AIRTIME_PROVIDER: z
    .enum(airtimeProviderNames)
    .default('dt-one')
    .describe('Provider of airtime and packages where no route decides; must be set in production'),
};

/** E-mail, which few processes send. */
export const emailSettings = {
  EMAIL_FROM: mailSender.describe('Sender of e-mail, `name@host` or `Name <name@host>`'),
  SMTP_URL: smtpAddress.describe(
    'The mail server, with user and password if it needs them. ' +
      'With `smtp://user:password@host:587` the service encrypts by STARTTLS and sends nothing without it, ' +
      'unless the address ends in `?tls=off`. With `smtps://` it encrypts from the beginning. Without the setting ' +
      '`npm start` uses the sandbox',
  ),
};

const headers = pairs.pipe(
  z.record(
    z.string().regex(/^[\w-]+$/, 'must have names of headers'),
    z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must have values of 1 to 256 visible characters'),
  ),
);

/** SMS. */
const messageSettings = {
  SMS_URL: optionalSetting(
    linkAddress,
    "Base address of Africa's Talking, required with it; `npm start` uses the sandbox if this is " +
      'not set, which production refuses',
  ),
  SMS_USERNAME: z
    .string()
    .default('sandbox')
    .describe("The account's user name; must be set in production with `SMS_URL`"),
  SMS_API_KEY: optionalSetting(secret, "The account's API key, required with `SMS_URL`"),
  SMS_SENDER: optionalSetting(z.string(), 'Sender that phones show', "the provider's own"),
  ...smppSettings,
  MESSAGE_TEMPLATES: messageTemplates.meta({
    description:
      'Own texts of messages to owners: JSON by language (`en`, `am`) and message (`code`, ' +
      '`confirmation`, `reminder`, `reversal`), or the path of a file with it. Facts stand in {}; a ' +
      'part in [] is left out where its fact is missing ([messages](messages.md))',
    whenUnset: "the service's own texts",
  }),
};

/** Payments to merchants. */
const mobileMoneySettings = {
  MOBILE_MONEY_URL: optionalSetting(
    linkAddress,
    'Base address of the provider with the GSMA API, required with it; `npm start` uses the ' +
      'sandbox if this is not set, which production refuses',
  ),
  MOBILE_MONEY_TOKEN_URL: optionalSetting(
    webAddress,
    'Address of the token endpoint. Without it the calls carry the key by HTTP Basic, or no ' +
      '`Authorization` header where there is no key',
  ),
  MOBILE_MONEY_KEY: z
    .string()
    .meta(SECRET)
    .default('')
    .describe('Key for the token, or for HTTP Basic where there is no address for tokens'),
  MOBILE_MONEY_SECRET: z.string().meta(SECRET).default('').describe('Secret of the key'),
  MOBILE_MONEY_ACCOUNT: optionalSetting(
    someNames,
    "Source account of payouts (GSMA's `accountid`), required with `MOBILE_MONEY_URL`. After it, " +
      'separated by commas, other identifiers of the account in the lists of the provider, such as a short code. ' +
      'The service then recognises a transfer to them as a credit',
  ),
  MOBILE_MONEY_ACCOUNT_CHECK: onOff
    .default('on')
    .describe(
      "Whether the service asks the provider for the status and the holder of a merchant's payout account " +
        'before the first payment to it. Set `off` for a provider that does not offer it. The service then pays ' +
        'accounts without a registered holder at once, and others after `merchant payout-account confirm`',
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
  AIRTIME_URL: optionalSetting(
    linkAddress,
    'Base address of DT One, required with it; `npm start` uses the sandbox if this is not set, ' +
      'which production refuses',
  ),
  AIRTIME_KEY: optionalSetting(secret, "The account's key, required with `AIRTIME_URL`"),
  AIRTIME_SECRET: optionalSetting(secret, "The account's secret, required with `AIRTIME_URL`"),
  AIRTIME_PRODUCTS: byOperator(count)
    .prefault('ETHIO_TELECOM=1001,SAFARICOM_ETHIOPIA=1002')
    .describe(
      "DT One's products for airtime of the mobile operators; must be set in production with " +
        "`AIRTIME_URL` (the default is the sandbox's)",
    ),
};

/** Limits that keep a slow or broken provider from delaying others. */
export const providerGuardSettings = {
  PROVIDER_CALLS: count
    .default(25)
    .describe('Concurrent calls of a worker to one provider; what is beyond waits'),
  /** Longest wait for a call to one provider to end; then the next one is not sent. */
  PROVIDER_CALL_WAIT_SECONDS: constant(1),
  /** Longest call of all; the time limits of the providers must be shorter. */
  PROVIDER_DEADLINE_SECONDS: constant(25),
  /**
   * Last calls to a provider that its circuit breaker counts. It opens where half of them had no
   * connection, no answer in time or a status 5xx, or were not sent. It needs at least half as many
   * calls. Calls that the provider throttled do not count.
   */
  PROVIDER_BREAKER_CALLS: constant(20),
  /** Time after which an open circuit breaker lets one call try. */
  PROVIDER_BREAKER_SECONDS: constant(15),
  /** Interval at which a worker tells operators the states of its circuit breakers. */
  PROVIDER_STATE_SECONDS: constant(10),
};

/** Addresses and credentials of providers: what their adapters are made of. */
export const providerSettings = {
  /** Time limit of one call, below the longest call of all: an adapter says how its call ended. */
  PROVIDER_TIMEOUT_SECONDS: constant(10),
  ...messageSettings,
  ...mobileMoneySettings,
  ...airtimeSettings,
};
