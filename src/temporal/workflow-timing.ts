import type { RedemptionTiming, TopUpTiming } from '../../workflows/contracts.js';
import type { Config } from '../config/config.js';

/** Meanwhile a claim uses a slot of its worker. */
const SENDING_STEP_MS = 1_000;

/** The durations of workflows, from the settings. */
export const workflowTiming = (config: Config): RedemptionTiming & TopUpTiming => ({
  claimLifetimeMs: config.CLAIM_LIFETIME_SECONDS * 1_000,
  messageWaitMs: Math.max(100, config.CALLER_WAIT_SECONDS * 1_000 - 500),
  sendingStepMs: SENDING_STEP_MS,
  inquiryIntervalMs: config.PAYMENT_INQUIRY_INTERVAL_SECONDS * 1_000,
  alarmAfterMs: config.PAYMENT_ALARM_SECONDS * 1_000,
  resultsAreNamed: true,
  maximumHints: config.HINTS_PER_WORKFLOW,
  retryWindowMs: config.TOPUP_RETRY_WINDOW_SECONDS * 1_000,
});
