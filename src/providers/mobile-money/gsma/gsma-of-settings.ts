import type { ProviderSettings } from '../../../config/providers/provider-settings.ts';
import { callbackUrlOf } from '../../callback-url.ts';
import type { MobileMoney } from '../mobile-money.ts';
import { createGsmaMobileMoney } from './client.ts';

/** A provider of the GSMA Mobile Money API, or undefined where the settings do not configure it. */
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
