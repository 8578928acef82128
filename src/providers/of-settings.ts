import type { Config } from '../config/config.ts';
import { mpesaPathsAt } from '../domain/mpesa.ts';
import type { Airtime } from './airtime/airtime.ts';
import { createDtOneAirtime } from './airtime/dt-one/client.ts';
import { createReloadlyAirtime } from './airtime/reloadly/client.ts';
import { createGsmaMobileMoney } from './mobile-money/gsma/client.ts';
import type { MobileMoney } from './mobile-money/mobile-money.ts';
import { createMpesaMobileMoney } from './mobile-money/mpesa/client.ts';
import type { MpesaResults } from './mobile-money/mpesa/transformers.ts';
import { createAfricasTalking } from './sms/africas-talking.ts';
import { createSmpp, type SmppEvents, type SmppSender } from './sms/smpp/client.ts';
import type { SmsSender } from './sms/sms-sender.ts';

// How each provider is made of the settings; undefined where they do not configure it.

/** The parts that adapters of providers are made of. */
export type ProviderSettings = Pick<Config, 'providers' | 'callbacks'>;

/** The path of each provider's callbacks. M-Pesa may refuse addresses with its own name in them. */
const callbackPaths = { gsma: 'gsma', mpesa: 'payouts', 'dt-one': 'airtime' } as const;

/** The callback address for a provider, including its secret; undefined where we only poll. */
function callbackUrlOf(
  { callbackUrl: base, callbackSecrets: secrets }: ProviderSettings['callbacks'],
  provider: keyof typeof callbackPaths,
): string | undefined {
  if (base === undefined) return undefined;
  const { [provider]: secret } = secrets;
  return [base, callbackPaths[provider], ...(secret ? [secret] : [])].join('/');
}

/** Africa's Talking. */
export function africasTalkingOfSettings({ providers }: ProviderSettings): SmsSender | undefined {
  const { smsUrl: baseUrl, smsApiKey: apiKey } = providers;
  if (baseUrl === undefined || apiKey === undefined) return undefined;
  return createAfricasTalking({
    baseUrl,
    apiKey,
    username: providers.smsUsername,
    sender: providers.smsSender,
    timeoutSeconds: providers.providerTimeoutSeconds,
  });
}

/** A process that does not hear receipts leaves them to the others. */
const withoutReceipts: SmppEvents = {
  record: () => Promise.reject(new Error('this process records no receipts')),
  note: () => {},
};

/** Pause between two signs of life. */
const ENQUIRE_LINK_SECONDS = 30;

/** A session with the SMSC. */
export function smppOfSettings(
  { providers }: ProviderSettings,
  events: SmppEvents = withoutReceipts,
): SmppSender | undefined {
  const { smppUrl: address } = providers;
  if (address === undefined) return undefined;
  // Half of it for a session and a place in the window, half for the answer.
  const halfMs = (providers.providerTimeoutSeconds * 1_000) / 2;
  return createSmpp(
    {
      ...address,
      ca: providers.smppCa,
      sender: providers.smppSender,
      waitMs: halfMs,
      timeoutMs: halfMs,
      windowSize: providers.smppWindow,
      enquireLinkMs: ENQUIRE_LINK_SECONDS * 1_000,
      firstPauseMs: providers.smppReconnectSeconds * 1_000,
      longestPauseMs: providers.smppReconnectMaximumSeconds * 1_000,
      throttlePauseMs: providers.smppThrottlePauseSeconds * 1_000,
      receiptIds: providers.smppReceiptIds,
    },
    events,
  );
}

/** A provider of the GSMA Mobile Money API. */
export function gsmaOfSettings({
  providers,
  callbacks,
}: ProviderSettings): MobileMoney | undefined {
  const { mobileMoneyUrl: baseUrl, mobileMoneyAccount = [] } = providers;
  const [account, ...accountAliases] = mobileMoneyAccount;
  if (baseUrl === undefined || account === undefined) return undefined;
  const { mobileMoneyKey: key, mobileMoneySecret: secret } = providers;
  const { mobileMoneyTokenUrl: tokenUrl } = providers;
  return createGsmaMobileMoney({
    baseUrl,
    account,
    accountAliases,
    token: tokenUrl ? { url: tokenUrl, key, secret } : undefined,
    basic: key ? { key, secret } : undefined,
    callbackUrl: callbackUrlOf(callbacks, 'gsma'),
    clientHeaders: providers.mobileMoneyHeaders,
    checksAccounts: providers.mobileMoneyAccountCheck === 'on',
    timeoutSeconds: providers.providerTimeoutSeconds,
  });
}

/** Placeholder for the results of M-Pesa in a process without callbacks: inquiries learn nothing. */
const noResults: MpesaResults = {
  ofPayment: async () => undefined,
  takeAnswers: async () => [],
};

/** M-Pesa. */
export function mpesaOfSettings(
  { providers, callbacks }: ProviderSettings,
  results: MpesaResults = noResults,
): MobileMoney | undefined {
  const needed = {
    baseUrl: providers.mpesaUrl,
    key: providers.mpesaConsumerKey,
    secret: providers.mpesaConsumerSecret,
    shortCode: providers.mpesaShortCode,
    initiator: providers.mpesaInitiator,
    credential: providers.mpesaSecurityCredential,
    callbackUrl: callbackUrlOf(callbacks, 'mpesa'),
  };
  if (!isComplete(needed)) return undefined;
  const { mpesaPaths: own } = providers;
  const paths = mpesaPathsAt(needed.baseUrl);
  return createMpesaMobileMoney(
    {
      ...needed,
      tokenPath: own.token ?? paths.tokenPath,
      paymentPath: own.payment ?? paths.paymentPath,
      statusPath: own.status ?? paths.statusPath,
      timeoutSeconds: providers.providerTimeoutSeconds,
    },
    results,
  );
}

const isComplete = <Names extends string>(
  settings: Readonly<Record<Names, string | undefined>>,
): settings is Readonly<Record<Names, string>> =>
  Object.values(settings).every((value) => value !== undefined);

/** DT One. */
export function dtOneOfSettings({ providers, callbacks }: ProviderSettings): Airtime | undefined {
  const { airtimeUrl: baseUrl, airtimeKey: key, airtimeSecret: secret } = providers;
  if (baseUrl === undefined || key === undefined || secret === undefined) return undefined;
  return createDtOneAirtime({
    baseUrl,
    key,
    secret,
    callbackUrl: callbackUrlOf(callbacks, 'dt-one'),
    rangedProducts: providers.airtimeProducts,
    timeoutSeconds: providers.providerTimeoutSeconds,
  });
}

/** Reloadly. */
export function reloadlyOfSettings({ providers }: ProviderSettings): Airtime | undefined {
  const {
    reloadlyUrl: baseUrl,
    reloadlyClientId: clientId,
    reloadlyClientSecret: clientSecret,
    reloadlyOperators: operatorIds,
  } = providers;
  if (!baseUrl || !clientId || !clientSecret || !operatorIds) return undefined;
  return createReloadlyAirtime({
    baseUrl,
    token: { url: providers.reloadlyTokenUrl, clientId, clientSecret, audience: baseUrl },
    operatorIds,
    timeoutSeconds: providers.providerTimeoutSeconds,
    settleSeconds: providers.reloadlySettleSeconds,
    zone: providers.reloadlyTimeZone,
  });
}
