import type { Config } from '../config/config.ts';
import { createSecretBox } from '../crypto/secret-box.ts';
import type { WebhookSettings } from './webhooks.ts';

/** Time that the old secret of a webhook still signs after a rotation. */
const SECRET_OVERLAP_HOURS = 24;

/** The settings of webhooks, for the API and the operator's command line. */
export const webhookSettingsOf = (
  config: Pick<
    Config,
    | 'DATA_KEYS'
    | 'WEBHOOK_ENDPOINTS_PER_COMPANY'
    | 'WEBHOOK_PRIVATE_NETWORKS'
    | 'WEBHOOK_RETRY_SECONDS'
  >,
): WebhookSettings => ({
  secretBox: createSecretBox(config.DATA_KEYS),
  perCompany: config.WEBHOOK_ENDPOINTS_PER_COMPANY,
  allowsPrivate: config.WEBHOOK_PRIVATE_NETWORKS === 'on',
  overlapHours: SECRET_OVERLAP_HOURS,
  retrySeconds: config.WEBHOOK_RETRY_SECONDS,
});
