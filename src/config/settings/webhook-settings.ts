import { z } from 'zod';
import { constant } from '../setting-kinds.ts';

/** Webhooks. */
export const webhookSettings = {
  /** Webhooks that a company may have. */
  WEBHOOK_ENDPOINTS_PER_COMPANY: constant(10),
  WEBHOOK_PRIVATE_NETWORKS: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether webhooks may use http and addresses of private networks, for development. ' +
        'Production refuses `on`; `npm start` uses `on` in the test environment',
    ),
  /** Time limit of one call to a receiver, at most 20. */
  WEBHOOK_TIMEOUT_SECONDS: constant(10),
  /** Interval at which workers look for events to deliver. */
  WEBHOOK_DISPATCH_SECONDS: constant(0.5),
  /**
   * Pause after the first failed attempt of a delivery; each further pause is four times as long.
   */
  WEBHOOK_FIRST_PAUSE_SECONDS: constant(5),
  /** Longest pause between two attempts of a delivery. */
  WEBHOOK_LONGEST_PAUSE_SECONDS: constant(43_200),
  /** Time after which a failed attempt of a delivery is the last one. */
  WEBHOOK_RETRY_SECONDS: constant(259_200),
  /**
   * Time without one success after which a webhook that fails is switched off, and the company's
   * portal accounts are told by e-mail.
   */
  WEBHOOK_SWITCH_OFF_SECONDS: constant(432_000),
};
