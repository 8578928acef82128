import type { ProviderSettings } from '../config/provider-settings.ts';
import { mpesaPathsAt } from '../domain/mpesa.ts';
import type { Airtime } from './airtime/airtime.ts';
import { createDtOneAirtime } from './airtime/dt-one/client.ts';
import { createReloadlyAirtime } from './airtime/reloadly/client.ts';
import { createGsmaMobileMoney } from './mobile-money/gsma/client.ts';
import type { MobileMoney } from './mobile-money/mobile-money.ts';
import { createMpesaMobileMoney, type SecurityCredential } from './mobile-money/mpesa/client.ts';
import type { MpesaResults } from './mobile-money/mpesa/transformers.ts';
import { createAfricasTalking } from './sms/africas-talking.ts';
import { createSmpp, type SmppEvents, type SmppSender } from './sms/smpp/client.ts';
import type { SmsSender } from './sms/sms-sender.ts';

// How each provider is made of the settings; undefined where they do not configure it.

/** The path of each provider's callbacks. M-Pesa may refuse addresses with its own name in them. */
const callbackPaths = { gsma: 'gsma', mpesa: 'payouts', 'dt-one': 'airtime' } as const;

/** The callback address for a provider, including its secret; undefined where we only poll. */
function callbackUrlOf(
  { CALLBACK_URL: base, CALLBACK_SECRETS: secrets }: ProviderSettings,
  provider: keyof typeof callbackPaths,
): string | undefined {
  if (base === undefined) return undefined;
  const { [provider]: secret } = secrets;
  return [base.replace(/\/+$/, ''), callbackPaths[provider], ...(secret ? [secret] : [])].join('/');
}

/** Africa's Talking. */
export function africasTalkingOfSettings(settings: ProviderSettings): SmsSender | undefined {
  const { SMS_URL: baseUrl, SMS_API_KEY: apiKey } = settings;
  if (baseUrl === undefined || apiKey === undefined) return undefined;
  return createAfricasTalking({
    baseUrl,
    apiKey,
    username: settings.SMS_USERNAME,
    sender: settings.SMS_SENDER,
    timeoutSeconds: settings.PROVIDER_TIMEOUT_SECONDS,
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
  settings: ProviderSettings,
  events: SmppEvents = withoutReceipts,
): SmppSender | undefined {
  const { SMPP_URL: address } = settings;
  if (address === undefined) return undefined;
  // Half of it for a session and a place in the window, half for the answer.
  const halfMs = (settings.PROVIDER_TIMEOUT_SECONDS * 1_000) / 2;
  return createSmpp(
    {
      ...address,
      ca: settings.SMPP_CA,
      sender: settings.SMPP_SENDER,
      waitMs: halfMs,
      timeoutMs: halfMs,
      windowSize: settings.SMPP_WINDOW,
      enquireLinkMs: ENQUIRE_LINK_SECONDS * 1_000,
      firstPauseMs: settings.SMPP_RECONNECT_SECONDS * 1_000,
      longestPauseMs: settings.SMPP_RECONNECT_MAXIMUM_SECONDS * 1_000,
      throttlePauseMs: settings.SMPP_THROTTLE_PAUSE_SECONDS * 1_000,
      receiptIds: settings.SMPP_RECEIPT_IDS,
    },
    events,
  );
}

/** A provider of the GSMA Mobile Money API. */
export function gsmaOfSettings(settings: ProviderSettings): MobileMoney | undefined {
  const { MOBILE_MONEY_URL: baseUrl, MOBILE_MONEY_ACCOUNT = [] } = settings;
  const [account, ...accountAliases] = MOBILE_MONEY_ACCOUNT;
  if (baseUrl === undefined || account === undefined) return undefined;
  const { MOBILE_MONEY_KEY: key, MOBILE_MONEY_SECRET: secret } = settings;
  const { MOBILE_MONEY_TOKEN_URL: tokenUrl } = settings;
  return createGsmaMobileMoney({
    baseUrl,
    account,
    accountAliases,
    token: tokenUrl ? { url: tokenUrl, key, secret } : undefined,
    basic: key ? { key, secret } : undefined,
    callbackUrl: callbackUrlOf(settings, 'gsma'),
    clientHeaders: settings.MOBILE_MONEY_HEADERS,
    checksAccounts: settings.MOBILE_MONEY_ACCOUNT_CHECK === 'on',
    timeoutSeconds: settings.PROVIDER_TIMEOUT_SECONDS,
  });
}

/** The results of M-Pesa where nobody receives them: inquiries learn nothing. */
const noResults: MpesaResults = {
  ofPayment: async () => undefined,
  takeAnswers: async () => [],
};

/** The credential that the settings give; the rules of settings ensure one. */
function mpesaCredential(settings: ProviderSettings): SecurityCredential | undefined {
  const { MPESA_SECURITY_CREDENTIAL: ready, MPESA_CERTIFICATE: certificate } = settings;
  const { MPESA_INITIATOR_PASSWORD: password } = settings;
  if (ready !== undefined) return { ready };
  return password === undefined || certificate === undefined
    ? undefined
    : { password, certificate };
}

/** M-Pesa, or undefined where the settings do not settingsure it. */
export function mpesaOfSettings(
  settings: ProviderSettings,
  results: MpesaResults = noResults,
): MobileMoney | undefined {
  const credential = mpesaCredential(settings);
  const needed = {
    baseUrl: settings.MPESA_URL,
    key: settings.MPESA_CONSUMER_KEY,
    secret: settings.MPESA_CONSUMER_SECRET,
    shortCode: settings.MPESA_SHORT_CODE,
    initiator: settings.MPESA_INITIATOR,
    callbackUrl: callbackUrlOf(settings, 'mpesa'),
  };
  if (!isComplete(needed) || credential === undefined) return undefined;
  const { MPESA_PATHS: own } = settings;
  const paths = mpesaPathsAt(needed.baseUrl);
  return createMpesaMobileMoney(
    {
      ...needed,
      credential,
      tokenPath: own.token ?? paths.tokenPath,
      paymentPath: own.payment ?? paths.paymentPath,
      statusPath: own.status ?? paths.statusPath,
      command: 'BusinessPayment',
      timeoutSeconds: settings.PROVIDER_TIMEOUT_SECONDS,
    },
    results,
  );
}

const isComplete = <Names extends string>(
  settings: Readonly<Record<Names, string | undefined>>,
): settings is Readonly<Record<Names, string>> =>
  Object.values(settings).every((value) => value !== undefined);

/** DT One. */
export function dtOneOfSettings(settings: ProviderSettings): Airtime | undefined {
  const { AIRTIME_URL: baseUrl, AIRTIME_KEY: key, AIRTIME_SECRET: secret } = settings;
  if (baseUrl === undefined || key === undefined || secret === undefined) return undefined;
  return createDtOneAirtime({
    baseUrl,
    key,
    secret,
    callbackUrl: callbackUrlOf(settings, 'dt-one'),
    rangedProducts: settings.AIRTIME_PRODUCTS,
    timeoutSeconds: settings.PROVIDER_TIMEOUT_SECONDS,
  });
}

/** Reloadly. */
export function reloadlyOfSettings(settings: ProviderSettings): Airtime | undefined {
  const {
    RELOADLY_URL: baseUrl,
    RELOADLY_CLIENT_ID: clientId,
    RELOADLY_CLIENT_SECRET: clientSecret,
    RELOADLY_OPERATORS: operatorIds,
  } = settings;
  if (!baseUrl || !clientId || !clientSecret || !operatorIds) return undefined;
  return createReloadlyAirtime({
    baseUrl,
    token: { url: settings.RELOADLY_TOKEN_URL, clientId, clientSecret, audience: baseUrl },
    operatorIds,
    timeoutSeconds: settings.PROVIDER_TIMEOUT_SECONDS,
    settleSeconds: settings.RELOADLY_SETTLE_SECONDS,
    zone: settings.RELOADLY_TIME_ZONE,
  });
}
