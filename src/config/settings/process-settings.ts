import { z } from 'zod';
import { isFailpoint } from '../../runtime/process/failpoint.ts';
import { samplerNames } from '../../runtime/tracing/tracer.ts';
import { CONSTANT, constant, port, SECRET } from '../setting-kinds.ts';
import { pairs } from '../setting-structures.ts';

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
  TEST_CONSTANTS: z
    .string()
    .optional()
    .describe(
      'For tests, in the test environment only: JSON of the constants of `src/config` that a process ' +
        'has otherwise, by name, such as `{"RECONCILE_INTERVAL_SECONDS":1}`',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('`fatal` to `trace`, or `silent`; `npm start` uses `warn`'),
};

/** What API and worker tell of themselves. */
export const observationSettings = {
  METRICS_PORT: port.optional().meta({
    description:
      'Port on which a process answers `/metrics` in the format of Prometheus ([metrics](metrics.md))',
    whenUnset: 'no metrics; `npm start`: with `PORT_BASE`, the last of its ports',
  }),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that `METRICS_PORT` listens on; no caller of the API needs to reach it'),
  /**
   * Interval at which a worker reads the values of its metrics that stand in the database and in
   * Temporal.
   */
  METRICS_READ_SECONDS: constant(15),
};

/** Traces: the standard variables of OpenTelemetry. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description:
        'Address of a collector of traces that takes OTLP over HTTP (JSON), such as ' +
        '`http://localhost:4318`; spans go to `/v1/traces` below it ([traces](traces.md))',
      whenUnset: 'no traces',
    }),
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
