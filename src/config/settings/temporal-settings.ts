import { z } from 'zod';
import { constant, file, pemOrFile, port, SECRET, secret } from '../setting-kinds.ts';

/** The address of Temporal, and the credentials of a process. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: z
    .string()
    .min(1)
    .describe(
      '`host:port` of Temporal; `npm start` starts a development server if this is not set',
    ),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Namespace of all workflows'),
  TEMPORAL_UI_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .meta({
      description: 'Address of the Temporal UI, to which the pages and commands of support link',
      whenUnset: 'no links',
    }),
  TEMPORAL_TLS: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      '`on` encrypts the connection to Temporal; any `TEMPORAL_TLS_…` setting and ' +
        '`TEMPORAL_API_KEY` do so too',
    ),
  TEMPORAL_TLS_CA: pemOrFile.optional().meta({
    description: "Authority that signs the server's certificate: PEM, or the path of a PEM file",
    whenUnset: "the system's",
  }),
  TEMPORAL_TLS_CERT: pemOrFile
    .optional()
    .describe("The service's own certificate: PEM, or the path of a PEM file"),
  TEMPORAL_TLS_KEY: pemOrFile
    .meta(SECRET)
    .optional()
    .describe('Private key of that certificate: PEM, or the path of a PEM file'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Name in the server's certificate", whenUnset: 'that of the address' }),
  TEMPORAL_API_KEY: secret.optional().describe('API key for the Temporal server'),
};

/** Settings of API and worker. */
export const taskQueueSettings = {
  WORKER_HEALTH_PORT: port.optional().meta({
    description:
      'Port on which a worker answers `/health/live` and `/health/ready`; the API does so on its own',
    whenUnset: 'the worker has no port',
  }),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be letters, digits, "-" and "_"')
    .default('voucher-topup-service')
    .describe(
      'Task queue of API and worker. With `TEMPORAL_BUILD_ID` it also names the deployment whose ' +
        'versions workers are',
    ),
  TEMPORAL_BUILD_ID: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be letters, digits, ".", "-" and "_"')
    .optional()
    .meta({
      description:
        'Release that a worker is. Its version gets tasks once it is made current, and workflows do ' +
        'not start eagerly',
      whenUnset: 'every worker gets tasks; `npm start`: so, too',
    }),
  WORKFLOW_BUNDLE: file.optional().meta({
    description: 'File of the bundled workflows of this release, as `npm run build` writes it',
    whenUnset: 'the worker bundles them at its start, which takes some seconds',
  }),
  /**
   * Interval at which workers check the namespace, the search attributes and the Schedules, and
   * create what is missing.
   */
  TEMPORAL_UPKEEP_SECONDS: constant(30),
};
