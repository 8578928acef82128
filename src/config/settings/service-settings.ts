import {
  airtimeSettings,
  messageSettings,
  mobileMoneySettings,
  providerGuardSettings,
} from '../providers/provider-settings.js';
import { accessSettings } from './access-settings.js';
import { databaseSettings } from './database-settings.js';
import { eventSettings } from './event-settings.js';
import { httpSettings } from './http-settings.js';
import { portalSettings } from './portal-settings.js';
import { observationSettings, processSettings, tracingSettings } from './process-settings.js';
import { taskQueueSettings, temporalSettings } from './temporal-settings.js';
import { repairSettings, topupSettings } from './topup-settings.js';
import { scheduleSettings, voucherSettings } from './voucher-settings.js';
import { webhookSettings } from './webhook-settings.js';

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
  ...messageSettings,
  ...mobileMoneySettings,
  ...airtimeSettings,
};
