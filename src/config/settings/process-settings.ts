import { z } from 'zod';
import { isFailpoint } from '../../process/failpoint.ts';
import { samplerNames } from '../../tracing/sampler.ts';
import { port, SECRET, seconds } from '../setting-kinds.ts';

/** Settings of every process. */
export const processSettings = {
  ENVIRONMENT: z
    .enum(['test', 'production'])
    .default('test')
    .describe('`test` or `production`: which API keys the service accepts'),
  FAILPOINT: z
    .string()
    .refine(isFailpoint, 'names no step, or no action')
    .optional()
    .describe(
      'For tests of crashes, in the test environment only: a step of `src/process/failpoint.ts` ' +
        'and what happens when a process first reaches it, such as `redeem-paid:kill`; the other ' +
        'actions are `throw`, `hang` and `delay`',
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
    whenUnset: 'no metrics',
  }),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that `METRICS_PORT` listens on; no caller of the API needs to reach it'),
  METRICS_READ_SECONDS: seconds
    .default(15)
    .describe(
      'Interval at which a worker reads the values of its metrics that stand in the database and ' +
        'in Temporal',
    ),
};

/** `name=value,name=value` with percent-encoded values, as OpenTelemetry writes them. */
const pairs = z.string().transform((given, context): Readonly<Record<string, string>> => {
  const found = given
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      found.map((pair) => [pair?.[1] ?? fail(), decodeURIComponent(pair?.[2] ?? fail())]),
    );
  } catch {
    context.addIssue({ code: 'custom', message: 'must be name=value, separated by commas' });
    return z.NEVER;
  }
});

function fail(): never {
  throw new RangeError('not a pair');
}

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
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .default('otlp')
    .describe('`none` switches traces off although there is a collector'),
  OTEL_SERVICE_NAME: z
    .string()
    .default('voucher-topup-service')
    .describe('Name of the service in traces'),
  OTEL_RESOURCE_ATTRIBUTES: pairs
    .default({})
    .describe('What else every span of a process says, such as `deployment.environment.name=test`'),
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
  OTEL_PROPAGATORS: z
    .enum(['tracecontext', 'none'])
    .default('tracecontext')
    .describe(
      'With `tracecontext` the header `traceparent` is taken over from callers and passed on to ' +
        'providers; baggage never is',
    ),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce
    .number()
    .int()
    .min(1)
    .default(5_000)
    .describe('Milliseconds between two deliveries of spans to the collector'),
};
