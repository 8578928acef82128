import { z } from 'zod';
import { amount, constant, seconds } from '../setting-kinds.ts';
import { amountRange, byOperator } from '../setting-structures.ts';

/** Top-ups, and unknown outcomes of providers. */
export const topupSettings = {
  /**
   * First pause before the service asks a provider about an unknown payment or top-up; pauses double
   * up to an hour.
   */
  PAYMENT_INQUIRY_INTERVAL_SECONDS: constant(2),
  PAYMENT_ALARM_SECONDS: seconds
    .default(86_400)
    .describe('Time after which an unknown payment or top-up is flagged for a person'),
  /**
   * Hints of a provider, and signals of support staff, after which a workflow keeps to its own
   * pauses between two inquiries: each adds some 30 events to a history, which must stay below
   * 51,200.
   */
  HINTS_PER_WORKFLOW: constant(200),
  /**
   * Time during which the service checks whether a provider reverses a completed operation: after 10
   * minutes, after 24 hours, at the end, and after a callback. 0 switches the watch off.
   */
  REVERSAL_WATCH_SECONDS: constant(604_800),
  /** Time that a failed top-up's workflow waits for a retry; a later retry starts a new run. */
  TOPUP_RETRY_WINDOW_SECONDS: constant(86_400),
  /**
   * Time after which a top-up or a retry whose workflow never began is failed; nothing was charged.
   */
  TOPUP_START_SECONDS: constant(300),
  SUPPORT_RETRY_SIGNAL: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the signal `retry` in the Temporal UI makes one more attempt of a failed ' +
        'top-up. It needs no data, so anybody with access to Temporal can send it; `off` refuses ' +
        'it, and so does an amount of `REPAIR_CONFIRM_FROM` or more',
    ),
  AIRTIME_RANGES: byOperator(amountRange)
    .prefault('ETHIO_TELECOM=5-10000,SAFARICOM_ETHIOPIA=5-10000')
    .describe('Smallest and largest airtime top-up of each mobile operator, in ETB'),
};

/** Repairs of staff and operators; the same for all processes. */
export const repairSettings = {
  REPAIR_CONFIRM_FROM: amount
    .default('5000')
    .describe(
      'Amount in ETB from which a repair needs two people: one asks, and another one confirms. What one ' +
        'person moves alone within 24 hours, or all people for one subject, is added up. `0` for every ' +
        'repair that is about value',
    ),
  /** Time within which the second person must confirm a repair. */
  REPAIR_CONFIRM_SECONDS: constant(86_400),
};
