import type { ProviderSettings } from '../../../config/providers/provider-settings.ts';
import type { Airtime } from '../airtime.ts';
import { createReloadlyAirtime } from './client.ts';

/** Reloadly, or undefined where the settings do not configure it. */
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
