import {
  allHandlersFinished,
  CancellationScope,
  condition,
  patched,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { TopUpHeld } from '../activities/topup-holds.js';
import { refuse } from '../src/domain/errors.js';
import * as activities from './activity-options.js';
import { bookTopUp } from './book-ending.js';
import { stepFailed } from './book-until-done.js';
import { mayCome } from './command-shapes.js';
import { createHints } from './hints.js';
import { inTurn } from './in-turn.js';
import {
  type OperationOutcome,
  providerHint,
  type RetryCommand,
  retry,
  retryTopUp,
  type TopUpCommand,
  type TopUpInput,
  type TopUpMade,
  topUpResult,
} from './messages.js';
import { isHeldBy, namedCalls, raiseForeignHold } from './named-results.js';
import * as searchAttributes from './search-attributes.js';
import { supportRetry } from './support-retry.js';
import { createTopUpDetails } from './topup-details.js';
import { type Ending, untilKnown } from './until-known.js';

/** How a top-up ended, for the Temporal UI. */
export interface TopUpResult {
  readonly ended: 'refused' | 'delivered' | 'failed';
  readonly attempts: number;
}

/**
 * A top-up from its hold to its delivery (design 7). When an attempt fails, its money is given back
 * at once and the workflow waits for a retry, which holds it again; after the window it closes, and a
 * later retry starts it anew. A cancellation in the UI changes nothing: money on hold must come to
 * its end.
 */
export function topUp(input: TopUpInput): Promise<TopUpResult> {
  return CancellationScope.nonCancellable(() => attemptUntilDelivered(input));
}

async function attemptUntilDelivered({ begin, timing }: TopUpInput): Promise<TopUpResult> {
  const database = inTurn(activities.database);
  const { command } = begin;
  const running = new Map<number, RunningAttempt>();
  let ended: TopUpResult['ended'] = begin.kind === 'retry' ? 'failed' : 'refused';
  let attempts = begin.kind === 'retry' ? begin.command.attempt - 1 : 0;
  let retryIsWanted = false;
  const hints = createHints();
  let newsOfFailed = false;
  let lastHold: TopUpHeld | undefined;
  const references = new Set<string>();
  const details = createTopUpDetails(command.transactionId);

  const first = attemptOnce(command, attempts + 1);
  setHandler(topUpResult, () => first, {
    description: 'How the first attempt ended; asked by the API',
    validator: mayCome,
  });
  setHandler(
    retryTopUp,
    (again) => CancellationScope.nonCancellable(() => attemptOnce(again, again.attempt)),
    {
      description: 'Makes one more attempt; sent by the API. Support staff send the signal `retry`',
      validator: ({ transactionId }) => {
        if (transactionId !== command.transactionId) throw new Error('This is another top-up');
      },
    },
  );
  setHandler(
    retry,
    () => {
      // One that comes while an attempt runs, such as a second click, is not kept for later.
      retryIsWanted = ended === 'failed' && running.size === 0;
    },
    { description: 'Makes one more attempt to the same number. Needs no input.' },
  );
  setHandler(
    providerHint,
    () => {
      hints.give();
      if (ended === 'failed' && running.size === 0 && patched('late-delivery')) newsOfFailed = true;
    },
    { description: 'Asks the provider now. Sent by the API when there is news. Needs no input.' },
  );

  await first;
  while (ended === 'failed' && (await retryComes())) {
    if (newsOfFailed) await endIfDeliveredLate();
    if (ended !== 'failed' || !retryIsWanted) continue;
    retryIsWanted = false;
    await attemptOnce(supportRetry(command, attempts + 1), attempts + 1);
  }
  await condition(allHandlersFinished);
  if (ended === 'failed') details.windowOver(lastHold);
  return { ended, attempts };

  /** Whether a retry is wanted, or was made by a handler, before the window closes. */
  async function retryComes(): Promise<boolean> {
    await condition(() => running.size === 0);
    if (ended !== 'failed') return false;
    const attemptsBefore = attempts;
    const isOver = () =>
      retryIsWanted || newsOfFailed || running.size > 0 || attempts > attemptsBefore;
    return condition(isOver, timing.retryWindowMs, { summary: 'Waits for a retry' });
  }

  /** What was delivered after it had failed is not to be retried: there is nothing to wait for. */
  async function endIfDeliveredLate(): Promise<void> {
    newsOfFailed = false;
    if ((await database.readTopUpStatus(command.transactionId)) !== 'SUCCESS') return;
    if (ended !== 'failed' || running.size > 0) return;
    ended = 'delivered';
    retryIsWanted = false;
    upsertSearchAttributes([{ key: searchAttributes.outcome, value: 'SUCCESS' }]);
    details.deliveredLate();
  }

  /** Requests for the same attempt to the same number share it, whoever makes them. */
  function attemptOnce(
    by: TopUpCommand | RetryCommand,
    attempt: number,
  ): Promise<OperationOutcome<TopUpMade>> {
    const msisdn = 'msisdn' in by ? by.msisdn : null;
    const same = running.get(attempt);
    if (same === undefined) {
      const outcome = makeAttempt(by).finally(() => running.delete(attempt));
      running.set(attempt, { msisdn, operationId: by.operationId, outcome });
      return outcome;
    }
    if (same.operationId === by.operationId) return same.outcome;
    return same.msisdn === msisdn ? shareAnswer(by, same.outcome) : refuseOther(by);
  }

  /** The answer of another request's attempt is this one's too, and is kept under its own key. */
  async function shareAnswer(
    by: TopUpCommand,
    outcome: Promise<OperationOutcome<TopUpMade>>,
  ): Promise<OperationOutcome<TopUpMade>> {
    return database.recordSharedAnswer(by, (await outcome).result);
  }

  async function refuseOther(by: TopUpCommand): Promise<OperationOutcome<TopUpMade>> {
    const refusal = refuse('topup-not-failed', { detail: 'it is being retried to another number' });
    // The retry was recorded before it was sent here, and is not to be left open.
    if (patched('refused-retry-is-recorded')) return database.recordSharedAnswer(by, refusal);
    return { requestId: by.requestId, requestDigest: by.requestDigest, result: refusal };
  }

  async function makeAttempt(
    by: TopUpCommand | RetryCommand,
  ): Promise<OperationOutcome<TopUpMade>> {
    const hold = await database.holdTopUp(by);
    if (hold.kind === 'answered') {
      const { result } = hold.outcome;
      // Made before this run began, so there is nothing left to wait for.
      if (result.ok && ended !== 'delivered' && patched('answered-is-delivered'))
        ended = 'delivered';
      if (ended === 'failed' && !result.ok) {
        details.retryRefused(result);
        lookAfterRetry();
      }
      if (ended === 'refused' && !result.ok) details.refused(result);
      return hold.outcome;
    }
    if (!isHeldBy(by.operationId, timing.resultsAreNamed, hold)) {
      ended = 'refused';
      throw raiseForeignHold(by.operationId);
    }
    attempts = hold.attempt;
    references.add(hold.reference);
    lastHold = hold;
    details.sending(hold);
    const ending = await deliver(by.operationId, hold);
    const bookkeeping = { database, alarmAfterMs: timing.alarmAfterMs, takeHint: hints.take };
    const outcome = await bookTopUp(bookkeeping, by.operationId, { hold, ending });
    ended = ending.kind === 'done' ? 'delivered' : 'failed';
    report(hold, ending);
    if (ended === 'failed' && attempts > 1) lookAfterRetry();
    return outcome;
  }

  /** An earlier attempt may have been delivered late, and this run not have heard of it. */
  function lookAfterRetry(): void {
    if (patched('look-after-retry')) newsOfFailed = true;
  }

  function deliver(operationId: string, hold: TopUpHeld): Promise<Ending> {
    const named = namedCalls(operationId, timing.resultsAreNamed);
    const summary = `${hold.product}, ETB ${hold.amount} to ${hold.msisdn}, attempt ${hold.attempt}`;
    return untilKnown({
      timing,
      mayBeSent: hold.isResumed,
      send: () =>
        named((call) =>
          activities.providers.sendTopUp.executeWithOptions({ summary: `Send ${summary}` }, [
            operationId,
            call,
          ]),
        ),
      inquire: () =>
        named((call) =>
          activities.providers.inquireTopUp.executeWithOptions(
            { summary: `Ask about ${summary}` },
            [operationId, call],
          ),
        ),
      takeHint: hints.take,
      whileUnknown: async (lastWords, urgency) => {
        // A database that refuses it must not keep the provider from being asked.
        await database.markTopUpUnknown(operationId, lastWords).catch(stepFailed);
        upsertSearchAttributes([
          { key: searchAttributes.transactionId, value: String(command.transactionId) },
          { key: searchAttributes.outcome, value: 'UNKNOWN' },
          { key: searchAttributes.reference, value: [...references] },
        ]);
        details.unknown(hold, lastWords, urgency);
      },
    });
  }

  function report(hold: TopUpHeld, ending: Ending): void {
    const failed = ending.kind === 'not-done';
    if (ending.kind === 'done') references.add(ending.providerReference);
    upsertSearchAttributes([
      { key: searchAttributes.transactionId, value: String(command.transactionId) },
      { key: searchAttributes.outcome, value: failed ? 'FAILED' : 'SUCCESS' },
      // What the provider took back becomes a case of its own.
      { key: searchAttributes.needsAction, value: false },
      { key: searchAttributes.reference, value: [...references] },
    ]);
    if (ending.kind === 'done') details.delivered(hold, ending);
    else details.failed(hold, ending.message, timing.retryWindowMs);
  }
}

/** An attempt under way, and whose it is. */
interface RunningAttempt {
  readonly operationId: string;
  readonly msisdn: string | null;
  readonly outcome: Promise<OperationOutcome<TopUpMade>>;
}
