import type { RedemptionTiming, TopUpTiming } from '../../../workflows/contracts.ts';
import type { Config } from '../../config/config.ts';

/** A claim uses a slot of its worker while its step waits for the SMS provider. */
const LONGEST_SENDING_STEP_MS = 3_000;
const SHORTEST_SENDING_STEP_MS = 1_000;
/** For what surrounds the wait for a place at the provider. */
const SENDING_MARGIN_MS = 1_000;
/** For the answer after a step that waited in vain. */
const ANSWER_MARGIN_MS = 500;

/** The durations of workflows, from the settings. */
export function workflowTiming(config: Config): RedemptionTiming & TopUpTiming {
  const messageWaitMs = Math.max(100, config.CALLER_WAIT_SECONDS * 1_000 - ANSWER_MARGIN_MS);
  return {
    claimLifetimeMs: config.CLAIM_LIFETIME_SECONDS * 1_000,
    messageWaitMs,
    // Whoever waits for a place at a full provider learns within the step that there is none, where that wait is
    // at most 2 s.
    sendingStepMs: Math.max(
      SHORTEST_SENDING_STEP_MS,
      Math.min(
        config.PROVIDER_CALL_WAIT_SECONDS * 1_000 + SENDING_MARGIN_MS,
        messageWaitMs - ANSWER_MARGIN_MS,
        LONGEST_SENDING_STEP_MS,
      ),
    ),
    inquiryIntervalMs: config.PAYMENT_INQUIRY_INTERVAL_SECONDS * 1_000,
    alarmAfterMs: config.PAYMENT_ALARM_SECONDS * 1_000,
    maximumHints: config.HINTS_PER_WORKFLOW,
    retryWindowMs: config.TOPUP_RETRY_WINDOW_SECONDS * 1_000,
  };
}
