import type { Config } from '../config/config.js';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
  SmsProviderName,
} from '../domain/providers/provider-names.js';
import type { Airtime } from './airtime/airtime.js';
import { createDtOneAirtime } from './airtime/dt-one/client.js';
import { lookUpByPrefix, type OperatorLookup } from './airtime/operator-lookup.js';
import { reloadlyOfSettings } from './airtime/reloadly/reloadly-of-settings.js';
import type { EmailSender } from './email/email-sender.js';
import { createSmtp } from './email/smtp.js';
import { createGsmaMobileMoney } from './mobile-money/gsma/client.js';
import type { MobileMoney } from './mobile-money/mobile-money.js';
import type { MpesaResults } from './mobile-money/mpesa/answers.js';
import { createMpesaMobileMoney } from './mobile-money/mpesa/client.js';
import type { SecurityCredential } from './mobile-money/mpesa/security-credential.js';
import { createProviderSet, type ProviderSet } from './provider-set.js';
import { createAfricasTalking } from './sms/africas-talking.js';
import { createSmpp, type SmppEvents, type SmppSender } from './sms/smpp/client.js';
import type { SmsSender } from './sms/sms-sender.js';

type SettingsOf<Prefix extends string> = Pick<Config, Extract<keyof Config, `${Prefix}_${string}`>>;
type SmppConfig = SettingsOf<'SMPP'>;
type SmsConfig = Pick<
  Config,
  'SMS_PROVIDER' | 'SMS_URL' | 'SMS_API_KEY' | 'SMS_USERNAME' | 'SMS_SENDER' | 'SMS_TIMEOUT_SECONDS'
> &
  SmppConfig;
type EmailConfig = Pick<Config, 'SMTP_URL'> & SettingsOf<'EMAIL'>;
type MpesaConfig = SettingsOf<'MPESA'>;
type MobileMoneyConfig = SettingsOf<'MOBILE_MONEY'> & MpesaConfig;
type AirtimeConfig = Pick<
  Config,
  Extract<
    keyof Config,
    | `AIRTIME_${'PROVIDER' | 'URL' | 'KEY' | 'SECRET' | 'CALLBACK_URL' | 'CALLBACK_SECRET'}`
    | 'AIRTIME_TIMEOUT_SECONDS'
    | `AIRTIME_PRODUCT_${string}`
    | `RELOADLY_${string}`
  >
>;

/** How a provider is made of the settings; undefined where they do not configure it. */
type Row<Settings, Port> = (config: Settings) => Port | undefined;

/** One row per SMS provider. CONTRIBUTING.md, "Add a provider", is the recipe for all kinds. */
const smsSenders: Record<SmsProviderName, Row<SmsConfig & Sessions, SmsSender>> = {
  'africas-talking': ({ SMS_URL: baseUrl, SMS_API_KEY: apiKey, ...config }) =>
    baseUrl === undefined || apiKey === undefined
      ? undefined
      : createAfricasTalking({
          baseUrl,
          apiKey,
          username: config.SMS_USERNAME,
          sender: config.SMS_SENDER,
          timeoutSeconds: config.SMS_TIMEOUT_SECONDS,
        }),
  smpp: ({ smpp, ...config }) => smpp ?? createSmppSender(config, withoutReceipts),
};

/** Sessions that a process has made itself, because it hears what comes over them. */
interface Sessions {
  readonly smpp?: SmppSender | undefined;
}

/** A process that does not hear receipts leaves them to the others. */
const withoutReceipts: SmppEvents = {
  record: () => Promise.reject(new Error('this process records no receipts')),
  note: () => {},
};

const DEFAULT_PORTS = { 'smpp:': 2775, 'smpps:': 3550 } as const;

/** The session with the SMSC of the settings; undefined where they do not configure it. */
export function createSmppSender(config: SmppConfig, events: SmppEvents): SmppSender | undefined {
  const { SMPP_URL, SMPP_SYSTEM_ID: systemId, SMPP_PASSWORD: password } = config;
  if (SMPP_URL === undefined || systemId === undefined || password === undefined) return undefined;
  const { protocol, hostname, port } = new URL(SMPP_URL);
  const halfMs = (config.SMPP_TIMEOUT_SECONDS * 1_000) / 2;
  return createSmpp(
    {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || DEFAULT_PORTS[protocol as keyof typeof DEFAULT_PORTS],
      tls: protocol === 'smpps:',
      ca: config.SMPP_CA,
      systemId,
      password,
      systemType: config.SMPP_SYSTEM_TYPE,
      sender: config.SMPP_SENDER,
      waitMs: halfMs,
      timeoutMs: halfMs,
      windowSize: config.SMPP_WINDOW,
      enquireLinkMs: config.SMPP_ENQUIRE_LINK_SECONDS * 1_000,
      firstPauseMs: config.SMPP_RECONNECT_SECONDS * 1_000,
      longestPauseMs: config.SMPP_RECONNECT_MAXIMUM_SECONDS * 1_000,
      throttlePauseMs: config.SMPP_THROTTLE_PAUSE_SECONDS * 1_000,
      receiptIds: config.SMPP_RECEIPT_IDS,
    },
    events,
  );
}

/** One row per e-mail adapter. */
const emailSenders: Record<Config['EMAIL_PROVIDER'], (config: EmailConfig) => EmailSender> = {
  smtp: (config) =>
    createSmtp({
      url: config.SMTP_URL,
      from: config.EMAIL_FROM,
      timeoutSeconds: config.EMAIL_TIMEOUT_SECONDS,
    }),
};

/** The results of M-Pesa where nobody receives them: inquiries learn nothing. */
const noMpesaResults: MpesaResults = {
  ofPayment: async () => undefined,
  takeAnswers: async () => [],
};

/** One row per mobile-money provider. */
const mobileMoneyProviders = (
  mpesaResults: MpesaResults,
): Record<MobileMoneyProviderName, Row<MobileMoneyConfig, MobileMoney>> => ({
  gsma: ({ MOBILE_MONEY_URL: baseUrl, MOBILE_MONEY_ACCOUNT: account, ...config }) =>
    baseUrl === undefined || account === undefined
      ? undefined
      : createGsmaMobileMoney({
          baseUrl,
          account,
          token: config.MOBILE_MONEY_TOKEN_URL
            ? {
                url: config.MOBILE_MONEY_TOKEN_URL,
                key: config.MOBILE_MONEY_KEY,
                secret: config.MOBILE_MONEY_SECRET,
              }
            : undefined,
          basic: config.MOBILE_MONEY_KEY
            ? { key: config.MOBILE_MONEY_KEY, secret: config.MOBILE_MONEY_SECRET }
            : undefined,
          callbackUrl: callbackUrlOf(
            config.MOBILE_MONEY_CALLBACK_URL,
            config.MOBILE_MONEY_CALLBACK_SECRET,
          ),
          timeoutSeconds: config.MOBILE_MONEY_TIMEOUT_SECONDS,
        }),
  mpesa: (config) => createMpesa(config, mpesaResults),
});

/** The credential that the settings give; the rules of settings ensure one. */
function mpesaCredential(config: MpesaConfig): SecurityCredential | undefined {
  const { MPESA_SECURITY_CREDENTIAL: ready, MPESA_CERTIFICATE: certificate } = config;
  const { MPESA_INITIATOR_PASSWORD: password } = config;
  if (ready !== undefined) return { ready };
  return password === undefined || certificate === undefined
    ? undefined
    : { password, certificate };
}

/** M-Pesa of the settings; undefined where they do not configure it. */
function createMpesa(config: MpesaConfig, results: MpesaResults): MobileMoney | undefined {
  const credential = mpesaCredential(config);
  const needed = {
    baseUrl: config.MPESA_URL,
    key: config.MPESA_CONSUMER_KEY,
    secret: config.MPESA_CONSUMER_SECRET,
    shortCode: config.MPESA_SHORT_CODE,
    initiator: config.MPESA_INITIATOR,
    callbackUrl: callbackUrlOf(config.MPESA_CALLBACK_URL, config.MPESA_CALLBACK_SECRET ?? ''),
  };
  if (!isComplete(needed) || credential === undefined) return undefined;
  return createMpesaMobileMoney(
    {
      ...needed,
      credential,
      tokenPath: config.MPESA_TOKEN_PATH,
      paymentPath: config.MPESA_PAYMENT_PATH,
      command: config.MPESA_COMMAND,
      timeoutSeconds: config.MPESA_TIMEOUT_SECONDS,
    },
    results,
  );
}

const isComplete = <Names extends string>(
  settings: Readonly<Record<Names, string | undefined>>,
): settings is Readonly<Record<Names, string>> =>
  Object.values(settings).every((value) => value !== undefined);

/** One row per provider of airtime and packages. */
const airtimeProviders: Record<AirtimeProviderName, Row<AirtimeConfig, Airtime>> = {
  'dt-one': ({ AIRTIME_URL: baseUrl, AIRTIME_KEY: key, AIRTIME_SECRET: secret, ...config }) =>
    baseUrl === undefined || key === undefined || secret === undefined
      ? undefined
      : createDtOneAirtime({
          baseUrl,
          key,
          secret,
          callbackUrl: callbackUrlOf(config.AIRTIME_CALLBACK_URL, config.AIRTIME_CALLBACK_SECRET),
          rangedProducts: {
            ETHIO_TELECOM: config.AIRTIME_PRODUCT_ETHIO_TELECOM,
            SAFARICOM_ETHIOPIA: config.AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA,
          },
          timeoutSeconds: config.AIRTIME_TIMEOUT_SECONDS,
        }),
  reloadly: reloadlyOfSettings,
};

/** The callback address for the provider, including its secret. */
const callbackUrlOf = (url: string | undefined, secret: string): string | undefined =>
  url === undefined || secret === '' ? url : `${url.replace(/\/+$/, '')}/${secret}`;

function setOf<Name extends string, Settings, Port>(
  rows: Record<Name, Row<Settings, Port>>,
  config: Settings,
  defaultName: Name,
): ProviderSet<Name, Port> {
  const made = Object.entries(rows).map(([name, make]) => [
    name,
    (make as Row<Settings, Port>)(config),
  ]);
  return createProviderSet<Name, Port>(Object.fromEntries(made), defaultName);
}

/** The SMS senders that the settings configure. */
export const createSmsSenders = (
  config: SmsConfig,
  sessions: Sessions = {},
): ProviderSet<SmsProviderName, SmsSender> =>
  setOf(smsSenders, { ...config, ...sessions }, config.SMS_PROVIDER);

/** The e-mail sender of the settings. */
export const createEmailSender = (config: EmailConfig): EmailSender =>
  emailSenders[config.EMAIL_PROVIDER](config);

/** The mobile-money providers that the settings configure. */
export const createMobileMoneySet = (
  config: MobileMoneyConfig,
  mpesaResults = noMpesaResults,
): ProviderSet<MobileMoneyProviderName, MobileMoney> =>
  setOf(mobileMoneyProviders(mpesaResults), config, config.MOBILE_MONEY_PROVIDER);

/** The providers of airtime and packages that the settings configure. */
export const createAirtimeSet = (
  config: AirtimeConfig,
): ProviderSet<AirtimeProviderName, Airtime> =>
  setOf(airtimeProviders, config, config.AIRTIME_PROVIDER);

/** The look-up of a number's operator: without number portability, its prefix. */
export const createOperatorLookup = (): OperatorLookup => lookUpByPrefix;
