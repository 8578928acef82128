import { z } from 'zod';
import { isFailpoint } from '../../runtime/process/failpoint.ts';
import { samplerNames } from '../../runtime/tracing/tracer.ts';
import { localServers } from '../local-ports.ts';
import {
  addressOrRange,
  CONSTANT,
  commaList,
  constant,
  count,
  databaseAddress,
  file,
  folder,
  limit,
  linkAddress,
  onOff,
  optionalSetting,
  pairs,
  pemOrFile,
  port,
  SECRET,
  seconds,
  secret,
} from '../setting-kinds.ts';

/** Settings of every process. */
export const processSettings = {
  ENVIRONMENT: z
    .enum(['test', 'production'])
    .default('test')
    .describe('`test` or `production`: which API keys the service accepts'),
  /**
   * A step of `src/runtime/process/failpoint.ts` and what happens when a process first reaches it, such as
   * `redeem-paid:kill`; the other actions are `throw`, `hang` and `delay`.
   */
  FAILPOINT: z
    .string()
    .refine(isFailpoint, 'names no step, or no action')
    .optional()
    .meta(CONSTANT),
  TEST_CONSTANTS: optionalSetting(
    z.string(),
    'For tests, in the test environment only: JSON of the constants of `src/config` that a process ' +
      'has otherwise, by name, such as `{"RECONCILE_INTERVAL_SECONDS":1}`',
  ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('`fatal` to `trace`, or `silent`; `npm start` uses `warn`'),
};

/** Metrics and traces of API and worker; those of traces are the standard variables of OpenTelemetry. */
export const observationSettings = {
  METRICS_PORT: optionalSetting(
    port,
    'Port on which a process answers `/metrics` in the format of Prometheus ([metrics](metrics.md))',
    'no metrics; `npm start`: with `PORT_BASE`, the last of its ports',
  ),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that `METRICS_PORT` listens on; no caller of the API needs to reach it'),
  /**
   * Interval at which a worker reads the values of its metrics that stand in the database and in
   * Temporal.
   */
  METRICS_READ_SECONDS: constant(15),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting(
    z.url({ protocol: /^https?$/ }),
    'Address of a collector of traces that takes OTLP over HTTP (JSON), such as ' +
      '`http://localhost:4318`; spans go to `/v1/traces` below it ([traces](traces.md))',
    'no traces',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: pairs
    .meta(SECRET)
    .default({})
    .describe('Headers for the collector, such as a token: `name=value,name=value`'),
  OTEL_RESOURCE_ATTRIBUTES: pairs
    .default({})
    .describe(
      'What every span of a process says, such as `deployment.environment.name=test`; `service.name` is `voucher-topup-service` without it',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames)
    .default('parentbased_always_on')
    .describe(
      'Which traces are recorded. Those with `parentbased` follow the `traceparent` of callers: with ' +
        '`traceidratio` no caller decides',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of traces of the samplers with `traceidratio`'),
  /** Milliseconds between two deliveries of spans to the collector. */
  OTEL_BSP_SCHEDULE_DELAY: constant(5_000),
};

/** PostgreSQL, and the limits of lists. */
export const databaseSettings = {
  DATABASE_URL: databaseAddress.describe(
    'Address of PostgreSQL; `npm start` starts an embedded server if this is not set',
  ),
  DATABASE_READ_URL: optionalSetting(
    databaseAddress,
    'Address of a replica of PostgreSQL for the whole check of the books, nightly and by ' +
      '`money check-ledger`, and for day reports; without it they read `DATABASE_URL`',
  ),
  WORKER_DATABASE_URL: optionalSetting(
    databaseAddress,
    'Address of PostgreSQL for the worker of `src/service.ts`, with a login of its role; the API in ' +
      'that process uses `DATABASE_URL`',
    'both use `DATABASE_URL`',
  ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(2)
    .default(20)
    .describe(
      "Connections of each process, at least 2; a quarter of the API's are reserved for lists. One more is for health and the fence",
    ),
  /** How often a process looks whether the fence of a restored database stands, or was lifted. */
  FENCE_CHECK_SECONDS: constant(1),
  SYNCHRONOUS_REPLICATION: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      '`yes` says that PostgreSQL answers a commit only when a standby has it, and that no other ' +
        'standby is ever promoted. With `no`, nothing is changed or sent after a promotion until an ' +
        'operator lifts the fence: the last commits may be lost',
    ),
  TRUST_UNENCRYPTED_NETWORK: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      'With `ENVIRONMENT=production`, PostgreSQL and Temporal must be on this machine or ' +
        'encrypted (`sslmode` of `require`, `verify-ca` or `verify-full`; TLS). The value `yes` accepts ' +
        'a network without other participants: anybody on the network could read numbers ' +
        'and balances, and change them. The compose file sets `yes` for its own network',
    ),
  /** Longest time that a statement of a list may take. */
  LIST_TIMEOUT_SECONDS: constant(3),
  /** Longest time that a list waits for one of its connections before the answer is 503. */
  LIST_WAIT_SECONDS: constant(1),
};

/** The address of Temporal, and the credentials of a process. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: z
    .string()
    .min(1)
    .describe(
      '`host:port` of Temporal; `npm start` starts a development server if this is not set',
    ),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Namespace of all workflows'),
  TEMPORAL_UI_URL: optionalSetting(
    linkAddress,
    'Address of the Temporal UI, to which the pages and commands of support link',
    'no links',
  ),
  TEMPORAL_TLS: onOff
    .default('off')
    .describe(
      '`on` encrypts the connection to Temporal; any `TEMPORAL_TLS_…` setting and ' +
        '`TEMPORAL_API_KEY` do so too',
    ),
  TEMPORAL_TLS_CA: optionalSetting(
    pemOrFile,
    "Authority that signs the server's certificate: PEM, or the path of a PEM file",
    "the system's",
  ),
  TEMPORAL_TLS_CERT: optionalSetting(
    pemOrFile,
    "The service's own certificate: PEM, or the path of a PEM file",
  ),
  TEMPORAL_TLS_KEY: optionalSetting(
    pemOrFile.meta(SECRET),
    'Private key of that certificate: PEM, or the path of a PEM file',
  ),
  TEMPORAL_TLS_SERVER_NAME: optionalSetting(
    z.string().min(1),
    "Name in the server's certificate",
    'that of the address',
  ),
  TEMPORAL_API_KEY: optionalSetting(secret, 'API key for the Temporal server'),
};

/** The work that API and worker give each other through Temporal. */
export const taskQueueSettings = {
  WORKER_HEALTH_PORT: optionalSetting(
    port,
    'Port on which a worker answers `/health/live` and `/health/ready`; the API does so on its own',
    'the worker has no port',
  ),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be letters, digits, "-" and "_"')
    .default('voucher-topup-service')
    .describe(
      'Task queue of API and worker. With `TEMPORAL_BUILD_ID` it also names the deployment whose ' +
        'versions workers are',
    ),
  TEMPORAL_BUILD_ID: optionalSetting(
    z.string().regex(/^[\w.-]{1,100}$/, 'must be letters, digits, ".", "-" and "_"'),
    'Release that a worker is. Its version gets tasks once it is made current, and workflows do ' +
      'not start eagerly',
    'every worker gets tasks; `npm start`: so, too',
  ),
  WORKFLOW_BUNDLE: optionalSetting(
    file,
    'File of the bundled workflows of this release, as `npm run build` writes it',
    'the worker bundles them at its start, which takes some seconds',
  ),
  /**
   * Interval at which workers check the namespace, the search attributes and the Schedules, and
   * create what is missing.
   */
  TEMPORAL_UPKEEP_SECONDS: constant(30),
  /** Interval at which workers look for messages of the outbox, and for repairs: a person waits for these. */
  WORKER_PICKUP_SECONDS: constant(1),
};

/** The HTTP server: its addresses and its limits. */
export const httpSettings = {
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that the API, the codec server or the sandbox process listens on'),
  PORT: port.default(localServers.api.usual).describe('Port of the API'),
  PUBLIC_URL: optionalSetting(
    linkAddress,
    'Public address of the service; the base of links. Passkeys belong to its host, and the cookies of the ' +
      'portal follow it. Must be set in production, with https',
    '`http://localhost:PORT`',
  ),
  SANDBOX_URL: optionalSetting(
    linkAddress,
    'Address at which integrators reach the provider sandbox: the guides and the portal lead to ' +
      'its phone. For the test environment only',
    'no link; `npm start`: its own sandbox',
  ),
  TRUSTED_PROXIES: commaList
    .pipe(z.array(addressOrRange))
    .describe('Addresses and CIDR ranges, separated by commas, whose `X-Forwarded-For` counts'),
  PROMO_IMAGE_FOLDER: optionalSetting(
    folder,
    'Folder of the images of promos: `promoImage` is a path in it, and below `PUBLIC_URL`',
    'no images; `npm start`: those of the demo',
  ),
  SECURITY_CONTACT: optionalSetting(
    z
      .string()
      .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: address'),
    'Where weaknesses are reported, a `mailto:` or `https:` address: `/.well-known/security.txt` ' +
      'names it',
    'no such file',
  ),
  /** Time within which the headers of a request must arrive. */
  HEADERS_TIMEOUT_SECONDS: constant(10),
  /** Time within which the whole request must arrive. */
  REQUEST_TIMEOUT_SECONDS: constant(30),
  /**
   * Time without traffic after which the server closes a connection, also before it has answered;
   * is longer than `CALLER_WAIT_SECONDS` may be.
   */
  IDLE_TIMEOUT_SECONDS: constant(60),
  CONNECTION_LIMIT: count
    .default(5_000)
    .describe('Connections of each process; further ones are closed unread'),
  /**
   * Connections of one address (IPv6: one /64 network). `TRUSTED_PROXIES` have no such limit:
   * without them all callers behind a proxy would share one.
   */
  CONNECTIONS_PER_ADDRESS: constant(1_000),
  /**
   * Places reserved for addresses with at most 8 connections and for trusted proxies; at most a
   * quarter of `CONNECTION_LIMIT`.
   */
  CONNECTION_RESERVE: constant(500),
  DRAIN_SECONDS: limit.default(5).meta({
    description:
      'Time for which a stopping API still serves after `/health/ready` has become 503. The time must be longer ' +
      "than the load balancer's interval times the failures that it waits for. 0: none",
    whenUnset: '5; `npm start`: 0',
  }),
  CALLER_WAIT_SECONDS: seconds
    .max(59, 'must be shorter than the minute after which a connection without traffic is closed')
    .default(8)
    .describe('Longest time that a caller waits before the answer is "still processing"'),
};
