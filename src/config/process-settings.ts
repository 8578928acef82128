import { z } from 'zod';
import { isFailpoint } from '../process/failpoint.js';

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
