import { z } from 'zod';
import { count, seconds } from '../setting-kinds.ts';

/** Webhooks. */
export const webhookSettings = {
  WEBHOOK_ENDPOINTS_PER_COMPANY: count.default(10).describe('Webhooks that a company may have'),
  WEBHOOK_PRIVATE_NETWORKS: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether webhooks may use http and addresses of private networks, for development. ' +
        'Production refuses `on`; `npm start` uses `on` in the test environment',
    ),
  WEBHOOK_TIMEOUT_SECONDS: seconds
    .max(20)
    .default(10)
    .describe('Time limit of one call to a receiver, at most 20'),
  WEBHOOK_DISPATCH_SECONDS: seconds
    .default(0.5)
    .describe('Interval at which workers look for events to deliver'),
  WEBHOOK_CALLS_PER_ENDPOINT: count.default(4).describe('Concurrent calls to one receiver'),
  WEBHOOK_ENDPOINTS_AT_ONCE: count
    .default(100)
    .describe('Receivers that one worker calls at the same time'),
  WEBHOOK_FIRST_PAUSE_SECONDS: seconds
    .default(5)
    .describe(
      'Pause after the first failed attempt of a delivery; each further pause is four times as long',
    ),
  WEBHOOK_LONGEST_PAUSE_SECONDS: seconds
    .default(43_200)
    .describe('Longest pause between two attempts of a delivery'),
  WEBHOOK_RETRY_SECONDS: seconds
    .default(259_200)
    .describe('Time after which a failed attempt of a delivery is the last one'),
  WEBHOOK_SWITCH_OFF_SECONDS: seconds
    .default(432_000)
    .describe(
      'Time without one success after which a webhook that fails is switched off, and the ' +
        "company's portal accounts are told by e-mail",
    ),
  WEBHOOK_SECRET_OVERLAP_HOURS: z.coerce
    .number()
    .min(0)
    .max(720)
    .default(24)
    .describe('Time that the old secret of a webhook still signs after a rotation'),
};
