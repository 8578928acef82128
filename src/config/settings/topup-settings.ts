import { z } from 'zod';
import { amount, count, seconds } from '../setting-kinds.ts';

/** Top-ups, and unknown outcomes of providers. */
export const topupSettings = {
  PAYMENT_INQUIRY_INTERVAL_SECONDS: seconds
    .default(2)
    .describe(
      'First pause before the service asks a provider about an unknown payment or top-up; ' +
        'pauses double up to an hour',
    ),
  PAYMENT_ALARM_SECONDS: seconds
    .default(86_400)
    .describe('Time after which an unknown payment or top-up is flagged for a person'),
  HINTS_PER_WORKFLOW: count
    .default(200)
    .describe(
      'Hints of a provider, and signals of support staff, after which a workflow keeps to its own pauses ' +
        'between two inquiries: each adds some 30 events to a history, which must stay below 51,200',
    ),
  REVERSAL_WATCH_SECONDS: z.coerce
    .number()
    .min(0)
    .default(604_800)
    .describe(
      'Time during which the service checks whether a provider reverses a completed ' +
        'operation. It asks after 10 minutes, after 24 hours, at the end, and after a callback; ' +
        '`0` switches the watch off',
    ),
  TOPUP_RETRY_WINDOW_SECONDS: seconds
    .default(86_400)
    .describe(
      "Time that a failed top-up's workflow waits for a retry; a later retry starts a new " + 'run',
    ),
  TOPUP_START_SECONDS: seconds
    .default(300)
    .describe(
      'Time after which a top-up or a retry whose workflow never began is failed; nothing ' +
        'was charged',
    ),
  SUPPORT_RETRY_SIGNAL: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the signal `retry` in the Temporal UI makes one more attempt of a failed ' +
        'top-up. It needs no data, so anybody with access to Temporal can send it; `off` refuses ' +
        'it, and so does an amount above `REPAIR_CONFIRM_ABOVE`',
    ),
  AIRTIME_MINIMUM_ETHIO_TELECOM: amount
    .default('5')
    .describe('Smallest airtime top-up to Ethio telecom, in ETB'),
  AIRTIME_MAXIMUM_ETHIO_TELECOM: amount
    .default('10000')
    .describe('Largest airtime top-up to Ethio telecom, in ETB'),
  AIRTIME_MINIMUM_SAFARICOM_ETHIOPIA: amount
    .default('5')
    .describe('Smallest airtime top-up to Safaricom Ethiopia, in ETB'),
  AIRTIME_MAXIMUM_SAFARICOM_ETHIOPIA: amount
    .default('10000')
    .describe('Largest airtime top-up to Safaricom Ethiopia, in ETB'),
};

/** Repairs of staff and operators; the same for all processes. */
export const repairSettings = {
  REPAIR_CONFIRM_ABOVE: amount
    .default('5000')
    .describe(
      'Amount in ETB above which a repair needs two people: one asks, and another one confirms; also what ' +
        'one asker, or all for one partner, may give alone within 24 hours. `0` for every repair that is ' +
        'about value',
    ),
  REPAIR_CONFIRM_SECONDS: seconds
    .default(86_400)
    .describe('Time within which the second person must confirm a repair'),
};
