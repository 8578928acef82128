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

/** One row registers a provider of text messages. */
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

/** One row registers a way to send e-mail. */
const emailSenders: Record<Config['EMAIL_PROVIDER'], (config: EmailConfig) => EmailSender> = {
  smtp: (config) =>
    createSmtp({
      url: config.SMTP_URL,
      from: config.EMAIL_FROM,
      timeoutSeconds: config.EMAIL_TIMEOUT_SECONDS,
    }),
};

/** One row registers a provider of mobile money. */
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
      account: config.MOBILE_MONEY_ACCOUNT,
      timeoutSeconds: config.MOBILE_MONEY_TIMEOUT_SECONDS,
    }),
};

/** One row registers a provider of airtime and packages. */
const airtimeProviders: Record<Config['AIRTIME_PROVIDER'], (config: AirtimeConfig) => Airtime> = {
  'dt-one': (config) =>
    createDtOneAirtime({
      baseUrl: config.AIRTIME_URL,
      key: config.AIRTIME_KEY,
      secret: config.AIRTIME_SECRET,
      callbackUrl: callbackUrlOf(config),
      rangedProducts: {
        ETHIO_TELECOM: config.AIRTIME_PRODUCT_ETHIO_TELECOM,
        SAFARICOM_ETHIOPIA: config.AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA,
      },
      timeoutSeconds: config.AIRTIME_TIMEOUT_SECONDS,
    }),
};

/** The address that the provider is given, with the secret part of its path. */
const callbackUrlOf = (config: AirtimeConfig): string | undefined =>
  config.AIRTIME_CALLBACK_URL === undefined || config.AIRTIME_CALLBACK_SECRET === ''
    ? config.AIRTIME_CALLBACK_URL
    : `${config.AIRTIME_CALLBACK_URL.replace(/\/+$/, '')}/${config.AIRTIME_CALLBACK_SECRET}`;

/** The sender of text messages that the settings name. */
export const createSmsSender = (config: SmsConfig): SmsSender =>
  smsSenders[config.SMS_PROVIDER](config);

/** The sender of e-mail that the settings name. */
export const createEmailSender = (config: EmailConfig): EmailSender =>
  emailSenders[config.EMAIL_PROVIDER](config);

/** The payer of merchants that the settings name. */
export const createMobileMoney = (config: MobileMoneyConfig): MobileMoney =>
  mobileMoneyProviders[config.MOBILE_MONEY_PROVIDER](config);

/** The sender of airtime and packages that the settings name. */
export const createAirtime = (config: AirtimeConfig): Airtime =>
  airtimeProviders[config.AIRTIME_PROVIDER](config);

/** Who knows the operator of a number: as long as numbers cannot move, the number itself. */
export const createOperatorLookup = (): OperatorLookup => lookUpByPrefix;
