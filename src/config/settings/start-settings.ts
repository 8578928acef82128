import { z } from 'zod';
import { localServers, PORTS_IN_A_ROW } from '../local-ports.ts';
import {
  CONSTANT,
  constant,
  databaseAddress,
  optionalSetting,
  port,
  secret,
  smppAddress,
  smtpAddress,
  webAddress,
} from '../setting-kinds.ts';
import { webhookSettings } from './business-settings.ts';
import { httpSettings, processSettings, temporalSettings } from './deployment-settings.ts';

/** The names of the servers, in the order of the ports. */
const serverTitles = Object.values(localServers).map(({ title }) => title);
const usualPorts = Object.values(localServers).flatMap(({ usual }) => usual ?? []);

/** Settings that only `npm start` reads, for the servers it starts. */
export const startSettings = {
  DATA_DIR: z
    .string()
    .default('.data')
    .describe(
      'Folder of `npm start`: databases, secrets, demo keys, books of the sandbox; the demo and the operator’s ' +
        'commands look there',
    ),
  HOST: httpSettings.HOST,
  PORT_BASE: optionalSetting(
    z.coerce
      .number()
      .int()
      .min(1)
      .max(65_536 - PORTS_IN_A_ROW),
    `First of ${PORTS_IN_A_ROW} ports in a row for a second stack on one machine. The command ` +
      `\`npm start\` opens on them: ${serverTitles.join(', ')}. A setting of one port counts more`,
    `${usualPorts.join(', ')}, and no metrics`,
  ),
  PORT: port.optional(),
  METRICS_PORT: port.optional(),
  /**
   * Where the sandbox's Africa's Talking posts delivery reports, which is a setting of the account there.
   * `npm start` names its own API; the sandbox alone posts none.
   */
  SANDBOX_SMS_REPORT_URL: webAddress.optional().meta(CONSTANT),
  /** Factor of the sandbox's delays of 3 s, 20 s and 5 min. */
  SANDBOX_DELAY_SCALE: constant(1),
  ENVIRONMENT: processSettings.ENVIRONMENT,
  PROMO_IMAGE_FOLDER: httpSettings.PROMO_IMAGE_FOLDER,
  CODEC_SERVER_PORT: port.optional(),
  TEMPORAL_CLI_PATH: optionalSetting(
    z.string(),
    'Path of the Temporal CLI, with server 1.32 or newer',
    '`temporal` on PATH, or a fetched file',
  ),
  XDG_CACHE_HOME: optionalSetting(
    z.string(),
    'Folder in which a fetched Temporal CLI is kept',
    '`~/.cache`',
  ),
  LOG_LEVEL: processSettings.LOG_LEVEL.default('warn'),
  WEBHOOK_PRIVATE_NETWORKS: webhookSettings.WEBHOOK_PRIVATE_NETWORKS.default('on'),
  DATABASE_URL: databaseAddress.optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: temporalSettings.TEMPORAL_NAMESPACE,
  TEMPORAL_UI_URL: temporalSettings.TEMPORAL_UI_URL,
  CALLBACK_URL: webAddress.optional(),
  CALLBACK_SECRETS: secret.optional(),
  PROVIDER_CONTACTS: z.string().optional(),
  SMS_URL: webAddress.optional(),
  SMPP_URL: smppAddress.optional(),
  SMTP_URL: smtpAddress.optional(),
  MOBILE_MONEY_URL: webAddress.optional(),
  MPESA_URL: webAddress.optional(),
  AIRTIME_URL: webAddress.optional(),
  RELOADLY_URL: webAddress.optional(),
};
