import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { OperationOutcome } from '../src/domain/refusals.ts';
import { mayCome } from './addressed-input.ts';
import {
  providerNudge,
  retry,
  retryTopup,
  type TopupInput,
  type TopupMade,
  topupResult,
} from './contracts.ts';
import * as searchAttributes from './search-attributes.ts';
import { answerCall } from './steps/answers.ts';
import {
  attemptOnce,
  createTopupRun,
  hasFailed,
  supportRetry,
  type TopupResult,
  type TopupRun,
} from './top-up/attempt-top-up.ts';

/**
 * Events of a history after which a failed top-up waits for no further retry. An attempt has at least ten of them, and
 * Temporal ends a workflow whose search attribute has some 55 references.
 */
const MAXIMUM_HISTORY = 400;

/**
 * A top-up from its hold to its delivery. A failed attempt voids its hold at once, and
 * the workflow waits for a retry, which holds the money again. After the window, or with a long history, it ends,
 * and a later retry starts it again. A cancellation in the UI has no effect: money on hold must come to
 * its end.
 */
export function topup(input: TopupInput): Promise<TopupResult> {
  return CancellationScope.nonCancellable(() => attemptUntilDelivered(createTopupRun(input)));
}

async function attemptUntilDelivered(run: TopupRun): Promise<TopupResult> {
  const { command } = run.begin;
  const first = attemptOnce(run, command, run.attempts + 1);
  setHandlers(run, first);
  await first;
  while (hasFailed(run) && (await retryComes(run))) {
    // Read before the late delivery: a replay may have its result before a signal of the same workflow task.
    const { retryIsWanted } = run;
    if (run.mayBeDelivered) await readLateDelivery(run);
    if (!hasFailed(run) || !retryIsWanted) continue;
    run.retryIsWanted = false;
    const attempt = run.attempts + 1;
    await attemptOnce(run, supportRetry(command, attempt), attempt);
  }
  await condition(allHandlersFinished);
  if (hasFailed(run)) run.details.windowOver(run.lastHold);
  return { ended: run.ended, attempts: run.attempts };
}

/** Waits for a retry, or for a nudge; false where the window closes before. */
async function retryComes(run: TopupRun): Promise<boolean> {
  const { running, timing } = run;
  await condition(() => running.size === 0);
  if (!hasFailed(run)) return false;
  const attemptsBefore = run.attempts;
  const isOver = () =>
    run.retryIsWanted || run.mayBeDelivered || running.size > 0 || run.attempts > attemptsBefore;
  // Each wait has a timer, also a wait that ends at once: a replay may learn its reason or the length one task later
  // or earlier, and timers are numbered.
  const isLong = workflowInfo().historyLength > MAXIMUM_HISTORY;
  return condition(isOver, isLong ? 1 : timing.retryWindowMs, { summary: 'Waits for a retry' });
}

/**
 * Reads whether the failed top-up was delivered late, or retried by another run. A delivered top-up is not retried,
 * so the workflow waits no longer.
 */
async function readLateDelivery(run: TopupRun): Promise<void> {
  run.mayBeDelivered = false;
  const { status, attempt } = await run.database.readTopup(run.begin.command.transactionId);
  if (!hasFailed(run) || run.running.size > 0) return;
  run.attempts = attempt;
  if (status !== 'SUCCESS') return;
  run.ended = 'delivered';
  run.retryIsWanted = false;
  upsertSearchAttributes([{ key: searchAttributes.outcome, value: 'SUCCESS' }]);
  run.details.deliveredLate();
}

/** The messages from the API and support staff to a run. */
function setHandlers(run: TopupRun, first: Promise<OperationOutcome<TopupMade>>): void {
  const { running, nudges, begin } = run;
  answerCall(topupResult, first, {
    description: 'For the API alone: how the first attempt ended.',
    validator: mayCome,
  });
  setHandler(
    retryTopup,
    (again) => CancellationScope.nonCancellable(() => attemptOnce(run, again, again.attempt)),
    {
      description: 'For the API alone. To retry, send the signal "retry".',
      validator: ({ transactionId }) => {
        if (transactionId !== begin.command.transactionId)
          throw new Error('This is another top-up');
      },
    },
  );
  setHandler(
    retry,
    () => {
      // A retry during an attempt, such as a second click, is not queued.
      run.retryIsWanted = hasFailed(run) && running.size === 0;
    },
    {
      description:
        'Makes one more attempt to the same number, if the last one failed and its amount needs no second ' +
        'person. Needs no input.',
    },
  );
  setHandler(
    providerNudge,
    () => {
      nudges.give();
      run.mayBeDelivered ||= hasFailed(run) && running.size === 0;
    },
    {
      description:
        'Asks the provider at once how the top-up ended. Safe at any time. Needs no input.',
    },
  );
}
