import { callbackUrlOf } from '../../callback-url.ts';
import type { SettingsOf } from '../../settings-of.ts';
import type { MobileMoney } from '../mobile-money.ts';
import { createGsmaMobileMoney } from './client.ts';

/** A provider of the GSMA Mobile Money API, or undefined where the settings do not configure it. */
export function gsmaOfSettings(config: SettingsOf<'MOBILE_MONEY'>): MobileMoney | undefined {
  const { MOBILE_MONEY_URL: baseUrl, MOBILE_MONEY_ACCOUNT: account } = config;
  if (baseUrl === undefined || account === undefined) return undefined;
  const { MOBILE_MONEY_KEY: key, MOBILE_MONEY_SECRET: secret } = config;
  const { MOBILE_MONEY_TOKEN_URL: tokenUrl } = config;
  return createGsmaMobileMoney({
    baseUrl,
    account,
    accountAliases: config.MOBILE_MONEY_ACCOUNT_ALIASES,
    token: tokenUrl ? { url: tokenUrl, key, secret } : undefined,
    basic: key ? { key, secret } : undefined,
    callbackUrl: callbackUrlOf(
      config.MOBILE_MONEY_CALLBACK_URL,
      config.MOBILE_MONEY_CALLBACK_SECRET,
    ),
    clientHeaders: clientHeaders({
      'X-API-Key': config.MOBILE_MONEY_API_KEY,
      'X-Client-Id': config.MOBILE_MONEY_CLIENT_ID,
      'X-Account-Holding-Institution-Identifier': config.MOBILE_MONEY_INSTITUTION,
      'X-Account-Holding-Institution-Identifier-Type': config.MOBILE_MONEY_INSTITUTION_TYPE,
    }),
    checksAccounts: config.MOBILE_MONEY_ACCOUNT_CHECK === 'on',
    timeoutSeconds: config.MOBILE_MONEY_TIMEOUT_SECONDS,
  });
}

/** Those that are set. */
const clientHeaders = (given: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
