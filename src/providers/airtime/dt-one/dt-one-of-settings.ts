import type { Config } from '../../../config/config.ts';
import { callbackUrlOf } from '../../callback-url.ts';
import type { Airtime } from '../airtime.ts';
import { createDtOneAirtime } from './client.ts';

type DtOneSetting =
  | `AIRTIME_${'URL' | 'KEY' | 'SECRET' | 'CALLBACK_URL' | 'CALLBACK_SECRET'}`
  | `AIRTIME_PRODUCT_${string}`
  | 'AIRTIME_TIMEOUT_SECONDS';

/** DT One, or undefined where the settings do not configure it. */
export function dtOneOfSettings(
  config: Pick<Config, Extract<keyof Config, DtOneSetting>>,
): Airtime | undefined {
  const { AIRTIME_URL: baseUrl, AIRTIME_KEY: key, AIRTIME_SECRET: secret } = config;
  if (baseUrl === undefined || key === undefined || secret === undefined) return undefined;
  return createDtOneAirtime({
    baseUrl,
    key,
    secret,
    callbackUrl: callbackUrlOf(config.AIRTIME_CALLBACK_URL, config.AIRTIME_CALLBACK_SECRET),
    rangedProducts: {
      ETHIO_TELECOM: config.AIRTIME_PRODUCT_ETHIO_TELECOM,
      SAFARICOM_ETHIOPIA: config.AIRTIME_PRODUCT_SAFARICOM_ETHIOPIA,
    },
    timeoutSeconds: config.AIRTIME_TIMEOUT_SECONDS,
  });
}
