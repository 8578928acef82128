import * as activities from '../activity-options.ts';
import type { OperationOutcome, TopUpInput, TopUpMade } from '../contracts.ts';
import { createHints } from '../steps/hints.ts';
import { serializeActivities } from '../steps/serialized-activities.ts';
import { createTopUpDetails, type ShownTopUp } from './topup-details.ts';

/** The end of a top-up, for the Temporal UI. */
export interface TopUpResult {
  readonly ended: 'refused' | 'delivered' | 'failed';
  readonly attempts: number;
}

/** A running attempt, and its request. */
interface RunningAttempt {
  readonly operationId: string;
  readonly msisdn: string | null;
  readonly outcome: Promise<OperationOutcome<TopUpMade>>;
}

/** The state of a run of `topUp`. */
export interface TopUpRun extends TopUpInput {
  readonly database: typeof activities.database;
  readonly hints: ReturnType<typeof createHints>;
  readonly details: ReturnType<typeof createTopUpDetails>;
  readonly running: Map<number, RunningAttempt>;
  /** Ours and the provider's, of all attempts. */
  readonly references: Set<string>;
  /** Keyed hash of the number of the newest attempt, where that is another one than at the start. */
  numberHash?: string;
  /** The number of the newest attempt. */
  attempts: number;
  ended: TopUpResult['ended'];
  lastHold?: ShownTopUp;
  /** The provider's message of the last attempt that failed. */
  lastFailure?: string;
  retryIsWanted: boolean;
  /** Whether a hint for a failed top-up has arrived. */
  newsOfFailed: boolean;
}

export const createTopUpRun = (input: TopUpInput): TopUpRun => ({
  ...input,
  database: serializeActivities(activities.singleSteps),
  hints: createHints(input.timing.maximumHints),
  details: createTopUpDetails(input.begin.command.transactionId),
  running: new Map(),
  references: new Set(),
  attempts: input.begin.kind === 'retry' ? input.begin.command.attempt - 1 : 0,
  ended: input.begin.kind === 'retry' ? 'failed' : 'refused',
  retryIsWanted: false,
  newsOfFailed: false,
});

/** Whether a top-up has failed by now; handlers change this while its workflow waits. */
export const hasFailed = (run: TopUpRun): boolean => run.ended === 'failed';
