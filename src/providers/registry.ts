import type { Config } from '../config/config.ts';
import type { ProviderSettings } from '../config/providers/provider-settings.ts';
import type {
  AirtimeProviderName,
  MobileMoneyProviderName,
  SmsProviderName,
} from '../domain/providers/provider-names.ts';
import type { Airtime } from './airtime/airtime.ts';
import { lookUpByPrefix, type OperatorLookup } from './airtime/operator-lookup.ts';
import type { EmailSender } from './email/email-sender.ts';
import { createSmtp } from './email/smtp.ts';
import type { MobileMoney } from './mobile-money/mobile-money.ts';
import type { MpesaResults } from './mobile-money/mpesa/answers.ts';
import {
  africasTalkingOfSettings,
  dtOneOfSettings,
  gsmaOfSettings,
  mpesaOfSettings,
  reloadlyOfSettings,
  smppOfSettings,
} from './of-settings.ts';
import { createProviderSet, type ProviderSet } from './provider-set.ts';
import type { SmppSender } from './sms/smpp/client.ts';
import type { SmsSender } from './sms/sms-sender.ts';

/** How a provider is made of the settings; undefined where they do not configure it. */
type Row<Port> = (settings: ProviderSettings) => Port | undefined;

/** Sessions that a process has made itself, because it hears what comes over them. */
interface Sessions {
  readonly smpp?: SmppSender | undefined;
}

/** One row per SMS provider. CONTRIBUTING.md, "Add a provider", is the recipe for all kinds. */
const smsSenders = ({ smpp }: Sessions): Record<SmsProviderName, Row<SmsSender>> => ({
  'africas-talking': africasTalkingOfSettings,
  smpp: (settings) => smpp ?? smppOfSettings(settings),
});

/** Time limit of sending one e-mail. */
export const EMAIL_TIMEOUT_SECONDS = 10;

/** One row per mobile-money provider. */
const mobileMoneyProviders = (
  mpesaResults: MpesaResults | undefined,
): Record<MobileMoneyProviderName, Row<MobileMoney>> => ({
  gsma: gsmaOfSettings,
  mpesa: (settings) => mpesaOfSettings(settings, mpesaResults),
});

/** One row per provider of airtime and packages. */
const airtimeProviders: Record<AirtimeProviderName, Row<Airtime>> = {
  'dt-one': dtOneOfSettings,
  reloadly: reloadlyOfSettings,
};

function setOf<Name extends string, Port>(
  rows: Record<Name, Row<Port>>,
  settings: ProviderSettings,
  defaultName: Name,
): ProviderSet<Name, Port> {
  const made = Object.entries(rows).map(([name, make]) => [name, (make as Row<Port>)(settings)]);
  return createProviderSet<Name, Port>(Object.fromEntries(made), defaultName);
}

/** The SMS senders that the settings configure. */
export const createSmsSenders = (
  settings: ProviderSettings,
  sessions: Sessions = {},
): ProviderSet<SmsProviderName, SmsSender> =>
  setOf(smsSenders(sessions), settings, settings.SMS_PROVIDER);

/** The e-mail sender of the settings. */
export const createEmailSender = (settings: Pick<Config, 'SMTP_URL' | 'EMAIL_FROM'>): EmailSender =>
  createSmtp({
    url: settings.SMTP_URL,
    from: settings.EMAIL_FROM,
    timeoutSeconds: EMAIL_TIMEOUT_SECONDS,
  });

/** The mobile-money providers that the settings configure. */
export const createMobileMoneySet = (
  settings: ProviderSettings,
  mpesaResults?: MpesaResults,
): ProviderSet<MobileMoneyProviderName, MobileMoney> =>
  setOf(mobileMoneyProviders(mpesaResults), settings, settings.MOBILE_MONEY_PROVIDER);

/** The providers of airtime and packages that the settings configure. */
export const createAirtimeSet = (
  settings: ProviderSettings,
): ProviderSet<AirtimeProviderName, Airtime> =>
  setOf(airtimeProviders, settings, settings.AIRTIME_PROVIDER);

/** The look-up of a number's operator: without number portability, its prefix. */
export const createOperatorLookup = (): OperatorLookup => lookUpByPrefix;
