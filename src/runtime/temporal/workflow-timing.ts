import type { RedemptionTiming, TopupTiming } from '../../../workflows/contracts.ts';
import type { Config } from '../../config/config.ts';

/** A claim uses a slot of its worker while its step waits for the SMS provider. */
const LONGEST_SENDING_STEP_MS = 3_000;
const SHORTEST_SENDING_STEP_MS = 1_000;
/** For what surrounds the wait for a place at the provider. */
const SENDING_MARGIN_MS = 1_000;
/** For the answer after a step that waited in vain. */
const ANSWER_MARGIN_MS = 500;

/** The durations of workflows, from the settings. */
export function workflowTiming(config: Config): RedemptionTiming & TopupTiming {
  const messageWaitMs = Math.max(100, config.http.callerWaitSeconds * 1_000 - ANSWER_MARGIN_MS);
  return {
    claimLifetimeMs: config.vouchers.claimLifetimeSeconds * 1_000,
    messageWaitMs,
    // A call that waits for a place at a full provider learns within the step that there is none,
    // where that wait is at most 2 s.
    sendingStepMs: Math.max(
      SHORTEST_SENDING_STEP_MS,
      Math.min(
        config.providerGuard.providerCallWaitSeconds * 1_000 + SENDING_MARGIN_MS,
        messageWaitMs - ANSWER_MARGIN_MS,
        LONGEST_SENDING_STEP_MS,
      ),
    ),
    inquiryIntervalMs: config.topups.paymentInquiryIntervalSeconds * 1_000,
    alarmAfterMs: config.topups.paymentAlarmSeconds * 1_000,
    maximumNudges: config.topups.nudgesPerWorkflow,
    retryWindowMs: config.topups.topupRetryWindowSeconds * 1_000,
  };
}
