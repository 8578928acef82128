import { z } from 'zod';
import { isFailpoint } from '../process/failpoint.js';
import { port, seconds } from './setting-kinds.js';

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
