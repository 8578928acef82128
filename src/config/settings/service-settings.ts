import { providerGuardSettings, providerSettings } from '../provider-settings.ts';
import { accessSettings } from './access-settings.ts';
import { databaseSettings } from './database-settings.ts';
import { eventSettings } from './event-settings.ts';
import { httpSettings } from './http-settings.ts';
import { portalSettings } from './portal-settings.ts';
import { observationSettings, processSettings, tracingSettings } from './process-settings.ts';
import { taskQueueSettings, temporalSettings } from './temporal-settings.ts';
import { repairSettings, topupSettings } from './topup-settings.ts';
import { scheduleSettings, voucherSettings } from './voucher-settings.ts';
import { webhookSettings } from './webhook-settings.ts';

/** Every setting of the API and the worker except the secrets. */
export const serviceSettings = {
  ...processSettings,
  ...observationSettings,
  ...tracingSettings,
  ...databaseSettings,
  ...temporalSettings,
  ...taskQueueSettings,
  ...httpSettings,
  ...accessSettings,
  ...portalSettings,
  ...voucherSettings,
  ...scheduleSettings,
  ...eventSettings,
  ...webhookSettings,
  ...topupSettings,
  ...repairSettings,
  ...providerGuardSettings,
  ...providerSettings,
};
