import { z } from 'zod';
import { serviceSettings } from './service-settings.js';
import { port, smtpAddress, webAddress } from './setting-kinds.js';

/** Settings that only `npm start` reads, to place what it starts. */
export const startSettings = {
  DATA_DIR: z.string().default('.data'),
  HOST: serviceSettings.HOST,
  PORT: port.default(3000),
  SANDBOX_PORT: port.default(3001),
  /** Where the sandbox takes e-mail. */
  SANDBOX_SMTP_PORT: port.default(3025),
  /** Multiplies the sandbox's delays of 3 s, 20 s and 5 min. */
  SANDBOX_DELAY_SCALE: z.coerce.number().min(0).default(1),
  DATABASE_PORT: port.default(5433),
  ENVIRONMENT: serviceSettings.ENVIRONMENT,
  TEMPORAL_PORT: port.default(7233),
  TEMPORAL_UI_PORT: port.default(8233),
  CODEC_SERVER_PORT: port.default(8234),
  TEMPORAL_CLI_PATH: z.string().optional(),
  /** The user's cache folder, for the Temporal CLI; `~/.cache` where it is not set. */
  XDG_CACHE_HOME: z.string().optional(),
  LOG_LEVEL: serviceSettings.LOG_LEVEL.default('warn'),
  DATABASE_URL: z.string().optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: serviceSettings.TEMPORAL_NAMESPACE,
  SMS_URL: webAddress.optional(),
  SMTP_URL: smtpAddress.optional(),
  MOBILE_MONEY_URL: webAddress.optional(),
  AIRTIME_URL: webAddress.optional(),
};
