import type { ProviderSettings } from '../../../config/providers/provider-settings.ts';
import { callbackUrlOf } from '../../callback-url.ts';
import type { Airtime } from '../airtime.ts';
import { createDtOneAirtime } from './client.ts';

/** DT One, or undefined where the settings do not configure it. */
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
