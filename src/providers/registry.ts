import type { Config } from '../config/config.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
  SmsProviderName,
} from '../domain/providers/provider-names.ts';
import type { Airtime } from './airtime/airtime.ts';
import { dtOneOfSettings } from './airtime/dt-one/dt-one-of-settings.ts';
import { lookUpByPrefix, type OperatorLookup } from './airtime/operator-lookup.ts';
import { reloadlyOfSettings } from './airtime/reloadly/reloadly-of-settings.ts';
import type { EmailSender } from './email/email-sender.ts';
import { createSmtp } from './email/smtp.ts';
import { gsmaOfSettings } from './mobile-money/gsma/gsma-of-settings.ts';
import type { MobileMoney } from './mobile-money/mobile-money.ts';
import type { MpesaResults } from './mobile-money/mpesa/answers.ts';
import { mpesaOfSettings } from './mobile-money/mpesa/mpesa-of-settings.ts';
import { createProviderSet, type ProviderSet } from './provider-set.ts';
import type { SettingsOf } from './settings-of.ts';
import { africasTalkingOfSettings } from './sms/africas-talking-of-settings.ts';
import type { SmppSender } from './sms/smpp/client.ts';
import { smppOfSettings } from './sms/smpp/smpp-of-settings.ts';
import type { SmsSender } from './sms/sms-sender.ts';

type SmsConfig = { SMS_PROVIDER: SmsProviderName } & Parameters<
  typeof africasTalkingOfSettings
>[0] &
  SettingsOf<'SMPP'>;
type EmailConfig = Pick<Config, 'SMTP_URL'> & SettingsOf<'EMAIL'>;
type MobileMoneyConfig = SettingsOf<'MOBILE_MONEY'> & SettingsOf<'MPESA'>;
type AirtimeConfig = { AIRTIME_PROVIDER: AirtimeProviderName } & Parameters<
  typeof dtOneOfSettings
>[0] &
  SettingsOf<'RELOADLY'>;

/** How a provider is made of the settings; undefined where they do not configure it. */
type Row<Settings, Port> = (config: Settings) => Port | undefined;

/** Sessions that a process has made itself, because it hears what comes over them. */
interface Sessions {
  readonly smpp?: SmppSender | undefined;
}

/** One row per SMS provider. CONTRIBUTING.md, "Add a provider", is the recipe for all kinds. */
const smsSenders: Record<SmsProviderName, Row<SmsConfig & Sessions, SmsSender>> = {
  'africas-talking': africasTalkingOfSettings,
  smpp: ({ smpp, ...config }) => smpp ?? smppOfSettings(config),
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
const mobileMoneyProviders = (
  mpesaResults: MpesaResults | undefined,
): Record<MobileMoneyProviderName, Row<MobileMoneyConfig, MobileMoney>> => ({
  gsma: gsmaOfSettings,
  mpesa: (config) => mpesaOfSettings(config, mpesaResults),
});

/** One row per provider of airtime and packages. */
const airtimeProviders: Record<AirtimeProviderName, Row<AirtimeConfig, Airtime>> = {
  'dt-one': dtOneOfSettings,
  reloadly: reloadlyOfSettings,
};

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
  mpesaResults?: MpesaResults,
): ProviderSet<MobileMoneyProviderName, MobileMoney> =>
  setOf(mobileMoneyProviders(mpesaResults), config, config.MOBILE_MONEY_PROVIDER);

/** The providers of airtime and packages that the settings configure. */
export const createAirtimeSet = (
  config: AirtimeConfig,
): ProviderSet<AirtimeProviderName, Airtime> =>
  setOf(airtimeProviders, config, config.AIRTIME_PROVIDER);

/** The look-up of a number's operator: without number portability, its prefix. */
export const createOperatorLookup = (): OperatorLookup => lookUpByPrefix;
