import type { Config } from '../config/config.js';
import type { Airtime } from './airtime/airtime.js';
import { createDtOneAirtime } from './airtime/dt-one/client.js';
import { lookUpByPrefix, type OperatorLookup } from './airtime/operator-lookup.js';
import type { EmailSender } from './email/email-sender.js';
import { createSmtp } from './email/smtp.js';
import { createGsmaMobileMoney } from './mobile-money/gsma/client.js';
import type { MobileMoney } from './mobile-money/mobile-money.js';
import { createAfricasTalking } from './sms/africas-talking.js';
import type { SmsSender } from './sms/sms-sender.js';

type SmsConfig = Pick<Config, Extract<keyof Config, `SMS_${string}`>>;
type EmailConfig = Pick<Config, 'SMTP_URL' | Extract<keyof Config, `EMAIL_${string}`>>;
type AirtimeConfig = Pick<
  Config,
  Extract<
    keyof Config,
    | `AIRTIME_${'PROVIDER' | 'URL' | 'KEY' | 'SECRET' | 'CALLBACK_URL' | 'CALLBACK_SECRET'}`
    | 'AIRTIME_TIMEOUT_SECONDS'
    | `AIRTIME_PRODUCT_${string}`
  >
>;
type MobileMoneyConfig = Pick<Config, Extract<keyof Config, `MOBILE_MONEY_${string}`>>;

/** One row per SMS provider. CONTRIBUTING.md, "Add a provider", is the recipe for all kinds. */
const smsSenders: Record<Config['SMS_PROVIDER'], (config: SmsConfig) => SmsSender> = {
  'africas-talking': (config) =>
    createAfricasTalking({
      baseUrl: config.SMS_URL,
      username: config.SMS_USERNAME,
      apiKey: config.SMS_API_KEY,
      sender: config.SMS_SENDER,
      timeoutSeconds: config.SMS_TIMEOUT_SECONDS,
    }),
};

/** One row per e-mail adapter. */
const emailSenders: Record<Config['EMAIL_PROVIDER'], (config: EmailConfig) => EmailSender> = {
  smtp: (config) =>
    createSmtp({
      url: config.SMTP_URL,
      from: config.EMAIL_FROM,
      timeoutSeconds: config.EMAIL_TIMEOUT_SECONDS,
    }),
};

/** One row per mobile-money provider. */
const mobileMoneyProviders: Record<
  Config['MOBILE_MONEY_PROVIDER'],
  (config: MobileMoneyConfig) => MobileMoney
> = {
  gsma: (config) =>
    createGsmaMobileMoney({
      baseUrl: config.MOBILE_MONEY_URL,
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
      account: config.MOBILE_MONEY_ACCOUNT,
      timeoutSeconds: config.MOBILE_MONEY_TIMEOUT_SECONDS,
    }),
};

/** One row per provider of airtime and packages. */
const airtimeProviders: Record<Config['AIRTIME_PROVIDER'], (config: AirtimeConfig) => Airtime> = {
  'dt-one': (config) =>
    createDtOneAirtime({
      baseUrl: config.AIRTIME_URL,
      key: config.AIRTIME_KEY,
      secret: config.AIRTIME_SECRET,
      callbackUrl: callbackUrlOf(config.AIRTIME_CALLBACK_URL, config.AIRTIME_CALLBACK_SECRET),
      rangedProducts: {
        ETHIO_TELECOM: config.AIRTIME_PRODUCT_ETHIO_TELECOM,
        SAFARICOM_ETHIOPIA: config.AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA,
      },
      timeoutSeconds: config.AIRTIME_TIMEOUT_SECONDS,
    }),
};

/** The callback address for the provider, including its secret. */
const callbackUrlOf = (url: string | undefined, secret: string): string | undefined =>
  url === undefined || secret === '' ? url : `${url.replace(/\/+$/, '')}/${secret}`;

/** The SMS sender of the settings. */
export const createSmsSender = (config: SmsConfig): SmsSender =>
  smsSenders[config.SMS_PROVIDER](config);

/** The e-mail sender of the settings. */
export const createEmailSender = (config: EmailConfig): EmailSender =>
  emailSenders[config.EMAIL_PROVIDER](config);

/** The mobile-money provider of the settings. */
export const createMobileMoney = (config: MobileMoneyConfig): MobileMoney =>
  mobileMoneyProviders[config.MOBILE_MONEY_PROVIDER](config);

/** The airtime provider of the settings. */
export const createAirtime = (config: AirtimeConfig): Airtime =>
  airtimeProviders[config.AIRTIME_PROVIDER](config);

/** The look-up of a number's operator: without number portability, its prefix. */
export const createOperatorLookup = (): OperatorLookup => lookUpByPrefix;
