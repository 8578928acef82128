import { z } from 'zod';
import {
  CONSTANT,
  constant,
  databaseAddress,
  port,
  secret,
  smtpAddress,
  webAddress,
} from '../setting-kinds.ts';
import { byName, smppAddress } from '../setting-structures.ts';
import { serviceSettings } from './service-settings.ts';

const usualPorts = {
  sandbox: 3001,
  smtp: 3025,
  smpp: 3275,
  database: 5433,
  temporal: 7233,
  'temporal-ui': 8233,
};

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
  LOCAL_PORTS: byName(['sandbox', 'smtp', 'smpp', 'database', 'temporal', 'temporal-ui'], port)
    .prefault('')
    .transform((given) => ({ ...usualPorts, ...given }))
    .meta({
      description:
        'Ports of the servers that `npm start` starts, for those that are taken: the sandbox of the ' +
        'providers with its `smtp` and its `smpp`, `database`, `temporal` and `temporal-ui`, such as ' +
        '`database=5434,smtp=3026`',
      whenUnset: '`sandbox=3001,smtp=3025,smpp=3275,database=5433,temporal=7233,temporal-ui=8233`',
    }),
  /**
   * Where the sandbox's Africa's Talking posts delivery reports, which is a setting of the account there.
   * `npm start` names its own API; the sandbox alone posts none.
   */
  SANDBOX_SMS_REPORT_URL: webAddress.optional().meta(CONSTANT),
  /** Factor of the sandbox's delays of 3 s, 20 s and 5 min. */
  SANDBOX_DELAY_SCALE: constant(1),
  ENVIRONMENT: serviceSettings.ENVIRONMENT,
  PROMO_IMAGE_FOLDER: serviceSettings.PROMO_IMAGE_FOLDER,
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
  CALLBACK_URL: webAddress.optional(),
  CALLBACK_SECRETS: secret.optional(),
  SMS_URL: webAddress.optional(),
  SMPP_URL: smppAddress.optional(),
  SMTP_URL: smtpAddress.optional(),
  MOBILE_MONEY_URL: webAddress.optional(),
  MPESA_URL: webAddress.optional(),
  AIRTIME_URL: webAddress.optional(),
  RELOADLY_URL: webAddress.optional(),
};
