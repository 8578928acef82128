import type { Config } from '../../config/config.ts';
import { createAfricasTalking } from './africas-talking.ts';
import type { SmsSender } from './sms-sender.ts';

/** Africa's Talking, or undefined where the settings do not configure it. */
export function africasTalkingOfSettings(
  config: Pick<
    Config,
    'SMS_URL' | 'SMS_API_KEY' | 'SMS_USERNAME' | 'SMS_SENDER' | 'SMS_TIMEOUT_SECONDS'
  >,
): SmsSender | undefined {
  const { SMS_URL: baseUrl, SMS_API_KEY: apiKey } = config;
  if (baseUrl === undefined || apiKey === undefined) return undefined;
  return createAfricasTalking({
    baseUrl,
    apiKey,
    username: config.SMS_USERNAME,
    sender: config.SMS_SENDER,
    timeoutSeconds: config.SMS_TIMEOUT_SECONDS,
  });
}
