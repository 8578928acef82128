import type { ProviderSettings } from '../../config/providers/provider-settings.ts';
import { createAfricasTalking } from './africas-talking.ts';
import type { SmsSender } from './sms-sender.ts';

/** Africa's Talking, or undefined where the settings do not configure it. */
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
