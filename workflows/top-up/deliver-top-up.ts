import { upsertSearchAttributes } from '@temporalio/workflow';
import { providers } from '../activity-options.ts';
import * as searchAttributes from '../search-attributes.ts';
import { stepFailed } from '../steps/book-until-done.ts';
import { type Ending, finalOutcome } from '../steps/final-outcome.ts';
import { namedCalls } from '../steps/named-results.ts';
import type { TopUpRun } from './top-up-run.ts';
import type { ShownTopUp } from './topup-details.ts';

/** Sends a held top-up to the provider; ends when the outcome is known. */
export function deliverTopUp(
  run: TopUpRun,
  operationId: string,
  hold: ShownTopUp,
): Promise<Ending> {
  const { database, timing, hints, details, begin } = run;
  const named = namedCalls(operationId);
  const summary = `${hold.product}, ETB ${hold.amount} to ${hold.msisdn}, attempt ${hold.attempt}`;
  return finalOutcome({
    timing,
    possiblySent: hold.isResumed,
    send: (isFirst) =>
      named((call) =>
        providers.sendTopUp.executeWithOptions({ summary: `Send ${summary}` }, [
          operationId,
          call,
          isFirst,
        ]),
      ),
    inquire: (lastSentAtMs) =>
      named((call) =>
        providers.inquireTopUp.executeWithOptions({ summary: `Ask about ${summary}` }, [
          operationId,
          call,
          lastSentAtMs,
        ]),
      ),
    takeHint: hints.take,
    note: ({ asked }) => {
      hold.asked = asked ?? hold.asked;
    },
    whileUnknown: async (lastMessage, urgency) => {
      // A refusal of the database must not prevent the inquiry.
      await database.markTopUpUnknown(operationId, lastMessage).catch(stepFailed);
      upsertSearchAttributes([
        { key: searchAttributes.transactionId, value: String(begin.command.transactionId) },
        { key: searchAttributes.outcome, value: 'UNKNOWN' },
        { key: searchAttributes.reference, value: [...run.references] },
        ...newNumberOf(run),
      ]);
      details.unknown(hold, { lastMessage, urgency, lastFailure: run.lastFailure });
    },
  });
}

/** The number that a retry went to is found by its hash instead of the one before it. */
const newNumberOf = ({ numberHash }: TopUpRun) =>
  numberHash === undefined ? [] : [{ key: searchAttributes.numberHash, value: numberHash }];

/** Shows the outcome of an attempt to support staff. */
export function reportAttempt(run: TopUpRun, hold: ShownTopUp, ending: Ending): void {
  const { references, details, begin, timing } = run;
  const failed = ending.kind === 'not-done';
  if (ending.kind === 'done') references.add(ending.providerReference);
  upsertSearchAttributes([
    { key: searchAttributes.transactionId, value: String(begin.command.transactionId) },
    { key: searchAttributes.outcome, value: failed ? 'FAILED' : 'SUCCESS' },
    // A reversal becomes a separate case.
    { key: searchAttributes.needsAction, value: false },
    { key: searchAttributes.reference, value: [...references] },
    ...newNumberOf(run),
  ]);
  if (ending.kind === 'not-done') run.lastFailure = ending.message;
  if (ending.kind === 'done') details.delivered(hold, ending);
  else details.failed(hold, ending, timing.retryWindowMs);
}
