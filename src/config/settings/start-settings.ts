import { z } from 'zod';
import { databaseAddress, port, smppAddress, smtpAddress, webAddress } from '../setting-kinds.ts';
import { serviceSettings } from './service-settings.ts';

/** Settings that only `npm start` reads, for the servers it starts. */
export const startSettings = {
  DATA_DIR: z
    .string()
    .default('.data')
    .describe(
      'Folder of `npm start`: databases, secrets, demo keys; the demo and the operator’s ' +
        'commands look there',
    ),
  HOST: serviceSettings.HOST,
  PORT: serviceSettings.PORT,
  SANDBOX_PORT: port.default(3001).describe('Port of the provider sandbox'),
  SANDBOX_SMTP_PORT: port.default(3025).describe('Port on which the sandbox accepts e-mail'),
  SANDBOX_SMPP_PORT: port.default(3275).describe('Port on which the sandbox speaks SMPP'),
  SANDBOX_SMS_REPORT_URL: webAddress.optional().meta({
    description:
      "Where the sandbox's Africa's Talking posts delivery reports, which is a setting of the account there",
    whenUnset: '`npm start`: its own API; the sandbox alone: nowhere',
  }),
  SANDBOX_DELAY_SCALE: z.coerce
    .number()
    .min(0)
    .default(1)
    .describe("Factor of the sandbox's delays of 3 s, 20 s and 5 min"),
  DATABASE_PORT: port.default(5433).describe('Port of the embedded PostgreSQL'),
  ENVIRONMENT: serviceSettings.ENVIRONMENT,
  PROMO_IMAGE_FOLDER: serviceSettings.PROMO_IMAGE_FOLDER,
  TEMPORAL_PORT: port.default(7233).describe('Port of the Temporal development server'),
  TEMPORAL_UI_PORT: port.default(8233).describe('Port of the Temporal UI'),
  CODEC_SERVER_PORT: port
    .default(8234)
    .describe('Port of the codec server, which decrypts payloads for the Temporal UI'),
  TEMPORAL_CLI_PATH: z.string().optional().meta({
    description: 'Path of the Temporal CLI, with server 1.32 or newer',
    whenUnset: '`temporal` on PATH, or one that is fetched',
  }),
  XDG_CACHE_HOME: z.string().optional().meta({
    description: 'Folder in which a fetched Temporal CLI is kept',
    whenUnset: '`~/.cache`',
  }),
  LOG_LEVEL: serviceSettings.LOG_LEVEL.default('warn'),
  WEBHOOK_PRIVATE_NETWORKS: serviceSettings.WEBHOOK_PRIVATE_NETWORKS.default('on'),
  DATABASE_URL: databaseAddress.optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: serviceSettings.TEMPORAL_NAMESPACE,
  SMS_URL: webAddress.optional(),
  SMPP_URL: smppAddress.optional(),
  SMTP_URL: smtpAddress.optional(),
  MOBILE_MONEY_URL: webAddress.optional(),
  MPESA_URL: webAddress.optional(),
  AIRTIME_URL: webAddress.optional(),
  RELOADLY_URL: webAddress.optional(),
};
