import type { Config } from '../config.js';
import { createGsmaMobileMoney } from './mobile-money/gsma/client.js';
import type { MobileMoney } from './mobile-money/mobile-money.js';
import { createAfricasTalking } from './sms/africas-talking.js';
import type { SmsSender } from './sms/sms-sender.js';

type SmsConfig = Pick<Config, Extract<keyof Config, `SMS_${string}`>>;
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

/** The sender of text messages that the settings name. */
export const createSmsSender = (config: SmsConfig): SmsSender =>
  smsSenders[config.SMS_PROVIDER](config);

/** The payer of merchants that the settings name. */
export const createMobileMoney = (config: MobileMoneyConfig): MobileMoney =>
  mobileMoneyProviders[config.MOBILE_MONEY_PROVIDER](config);
