import type { Config } from '../../../config/config.ts';
import type { Airtime } from '../airtime.ts';
import { createReloadlyAirtime } from './client.ts';

/** Reloadly, or undefined where the settings do not configure it. */
export function reloadlyOfSettings(
  config: Pick<Config, Extract<keyof Config, `RELOADLY_${string}`>>,
): Airtime | undefined {
  const {
    RELOADLY_URL: baseUrl,
    RELOADLY_CLIENT_ID: clientId,
    RELOADLY_CLIENT_SECRET: clientSecret,
    RELOADLY_OPERATOR_ETHIO_TELECOM: ethioTelecom,
    RELOADLY_OPERATOR_SAFARICOM_ETHIOPIA: safaricom,
  } = config;
  if (!baseUrl || !clientId || !clientSecret || !ethioTelecom || !safaricom) return undefined;
  return createReloadlyAirtime({
    baseUrl,
    token: { url: config.RELOADLY_TOKEN_URL, clientId, clientSecret, audience: baseUrl },
    operatorIds: { ETHIO_TELECOM: ethioTelecom, SAFARICOM_ETHIOPIA: safaricom },
    timeoutSeconds: config.RELOADLY_TIMEOUT_SECONDS,
    settleSeconds: config.RELOADLY_SETTLE_SECONDS,
    zone: config.RELOADLY_TIME_ZONE,
  });
}
