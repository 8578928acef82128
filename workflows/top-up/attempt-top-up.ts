import { refuse } from '../../src/domain/refusals.ts';
import type { OperationOutcome, RetryCommand, TopUpCommand, TopUpMade } from '../contracts.ts';
import { bookTopUp } from '../steps/book-ending.ts';
import { isHeldBy, raiseForeignHold } from '../steps/named-results.ts';
import { deliverTopUp, reportAttempt } from './deliver-top-up.ts';
import { hasFailed, type TopUpRun } from './top-up-run.ts';
import { shownTopUp } from './topup-details.ts';

/** Makes one attempt of a top-up. All requests for one attempt to one number share it. */
export function attemptOnce(
  run: TopUpRun,
  by: TopUpCommand | RetryCommand,
  attempt: number,
): Promise<OperationOutcome<TopUpMade>> {
  const { running } = run;
  const msisdn = 'msisdn' in by ? by.msisdn : null;
  const same = running.get(attempt);
  if (same === undefined) {
    const outcome = holdDeliverAndBook(run, by).finally(() => running.delete(attempt));
    running.set(attempt, { msisdn, operationId: by.operationId, outcome });
    return outcome;
  }
  if (same.operationId === by.operationId) return same.outcome;
  return same.msisdn === msisdn ? shareAnswer(run, by, same.outcome) : refuseOther(run, by);
}

/**
 * The answer of another request's attempt becomes this request's answer, stored under its own key.
 */
async function shareAnswer(
  { database }: TopUpRun,
  by: TopUpCommand,
  outcome: Promise<OperationOutcome<TopUpMade>>,
): Promise<OperationOutcome<TopUpMade>> {
  return database.recordSharedAnswer(by, (await outcome).result);
}

/** The retry was recorded before it was sent here, and must not stay open. */
function refuseOther(
  { database }: TopUpRun,
  by: TopUpCommand,
): Promise<OperationOutcome<TopUpMade>> {
  const refusal = refuse('topup-not-failed', { detail: 'it is being retried to another number' });
  return database.recordSharedAnswer(by, refusal);
}

async function holdDeliverAndBook(
  run: TopUpRun,
  by: TopUpCommand | RetryCommand,
): Promise<OperationOutcome<TopUpMade>> {
  const { database, timing, hints, details } = run;
  const held = await database.holdTopUp(by);
  if (held.kind === 'answered') {
    noteAnswered(run, held.outcome);
    return held.outcome;
  }
  if (!isHeldBy(by.operationId, held)) {
    run.ended = 'refused';
    throw raiseForeignHold(by.operationId);
  }
  const hold = shownTopUp(held);
  run.attempts = hold.attempt;
  run.references.add(hold.reference);
  if ('numberHash' in by && by.numberHash !== undefined) run.numberHash = by.numberHash;
  run.lastHold = hold;
  details.sending(hold, run.lastFailure);
  const ending = await deliverTopUp(run, by.operationId, hold);
  const bookkeeping = { database, alarmAfterMs: timing.alarmAfterMs, takeHint: hints.take };
  const outcome = await bookTopUp(bookkeeping, by.operationId, { hold, ending });
  run.ended = ending.kind === 'done' ? 'delivered' : 'failed';
  reportAttempt(run, hold, ending);
  // An earlier attempt may have been delivered late without this run knowing.
  if (hasFailed(run) && run.attempts > 1) run.newsOfFailed = true;
  return outcome;
}

/** An attempt that was answered without a hold: refused, or made before this run began. */
function noteAnswered(run: TopUpRun, { result }: OperationOutcome<TopUpMade>): void {
  if (result.ok) {
    // Delivered before this run began, so there is nothing to wait for.
    run.ended = 'delivered';
    if (run.lastHold === undefined) run.details.deliveredBefore();
  } else if (run.ended === 'failed') {
    run.details.retryRefused(result);
    // An attempt that was delivered late refuses each retry.
    run.newsOfFailed = true;
  } else if (run.ended === 'refused') run.details.refused(result);
}
