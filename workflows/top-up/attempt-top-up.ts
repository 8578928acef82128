import type { SearchAttributePair } from '@temporalio/common';
import { upsertSearchAttributes, uuid4 } from '@temporalio/workflow';
import type { Ending } from '../../src/domain/providers.ts';
import { type OperationOutcome, refuse } from '../../src/domain/refusals.ts';
import { databaseInTurn, providers } from '../activity-options.ts';
import {
  createNudges,
  type RetryCommand,
  type TopupCommand,
  type TopupInput,
  type TopupMade,
} from '../contracts.ts';
import { inRows } from '../current-details.ts';
import * as searchAttributes from '../search-attributes.ts';
import { bookUntilDone, stepFailed } from '../steps/database-steps.ts';
import { finalOutcome } from '../steps/final-outcome.ts';
import { isHeldBy, namedCalls, raiseForeignHold } from '../steps/named-results.ts';
import { askedFirst, noteAsked, untilRecorded } from '../steps/waiting.ts';
import { createTopupDetails, type ShownTopup } from './topup-details.ts';

/** The end of a top-up, for the Temporal UI. */
export interface TopupResult {
  readonly ended: 'refused' | 'delivered' | 'failed';
  readonly attempts: number;
}

/** A running attempt, and its request. */
interface RunningAttempt {
  readonly operationId: string;
  readonly msisdn: string | null;
  readonly outcome: Promise<OperationOutcome<TopupMade>>;
}

/** The state of a run of `topup`. */
export interface TopupRun extends TopupInput {
  readonly database: ReturnType<typeof databaseInTurn>;
  readonly nudges: ReturnType<typeof createNudges>;
  readonly details: ReturnType<typeof createTopupDetails>;
  readonly running: Map<number, RunningAttempt>;
  /** The references of all attempts: ours and the provider's. */
  readonly references: Set<string>;
  /** Keyed hash of the number of the newest attempt, where that differs from the first number. */
  numberHash?: string;
  /** The number of the newest attempt. */
  attempts: number;
  ended: TopupResult['ended'];
  lastHold?: ShownTopup;
  /** The provider's message of the last attempt that failed. */
  lastFailure?: string;
  retryIsWanted: boolean;
  /** The failed top-up may have been delivered by now: a nudge has arrived, or another run has made an attempt. */
  mayBeDelivered: boolean;
}

export const createTopupRun = (input: TopupInput): TopupRun => ({
  ...input,
  database: databaseInTurn(),
  nudges: createNudges(input.timing.maximumNudges),
  details: createTopupDetails(input.begin.command.transactionId),
  running: new Map(),
  references: new Set(),
  attempts: input.begin.kind === 'retry' ? input.begin.command.attempt - 1 : 0,
  ended: input.begin.kind === 'retry' ? 'failed' : 'refused',
  retryIsWanted: false,
  mayBeDelivered: false,
});

/** Whether the top-up has failed; handlers change this while the workflow waits. */
export const hasFailed = (run: TopupRun): boolean => run.ended === 'failed';

/** Sends a held top-up to the provider; ends when the outcome is known. */
function deliverTopup(run: TopupRun, operationId: string, hold: ShownTopup): Promise<Ending> {
  const { database, timing, nudges, details } = run;
  const named = namedCalls(operationId);
  const summary = `${hold.product}, ETB ${hold.amount} to ${hold.msisdn}, attempt ${hold.attempt}`;
  return finalOutcome({
    timing,
    possiblySent: hold.isResumed,
    send: (isFirst) => named(providers.sendTopup, `Send ${summary}`, isFirst),
    inquire: (lastSentAtMs) => named(providers.inquireTopup, `Ask about ${summary}`, lastSentAtMs),
    takeNudge: nudges.take,
    note: noteAsked(hold),
    whileUnknown: async (lastMessage, urgency) => {
      // A refusal of the database must not prevent the inquiry.
      await database.markTopupUnknown(operationId, lastMessage).catch(stepFailed);
      upsertSearchAttributes([
        ...namesOf(run, hold),
        { key: searchAttributes.outcome, value: 'UNKNOWN' },
        { key: searchAttributes.reference, value: [...run.references] },
        ...newNumberOf(run),
      ]);
      details.unknown(hold, { lastMessage, urgency, lastFailure: run.lastFailure });
    },
  });
}

/** The number of the top-up, and its row in lists. */
const namesOf = (
  { begin: { command } }: TopupRun,
  { amount, product, partner }: ShownTopup,
): SearchAttributePair[] => [
  { key: searchAttributes.transactionId, value: String(command.transactionId) },
  inRows(`Top-up ${command.transactionId} of ETB ${amount} (${product}) for ${partner}`),
];

/** The number of a retry is found by its hash, in place of the previous number. */
const newNumberOf = ({ numberHash }: TopupRun) =>
  numberHash === undefined ? [] : [{ key: searchAttributes.numberHash, value: numberHash }];

/** Shows the outcome of an attempt to support staff. */
function reportAttempt(run: TopupRun, hold: ShownTopup, ending: Ending): void {
  const { references, details, timing } = run;
  const failed = ending.kind === 'not-done';
  if (ending.kind === 'done') references.add(ending.providerReference);
  upsertSearchAttributes([
    ...namesOf(run, hold),
    { key: searchAttributes.outcome, value: failed ? 'FAILED' : 'SUCCESS' },
    { key: searchAttributes.reference, value: [...references] },
    ...newNumberOf(run),
  ]);
  if (ending.kind === 'not-done') run.lastFailure = ending.message;
  if (ending.kind === 'done') details.delivered(hold, ending);
  else details.failed(hold, ending, timing.retryWindowMs);
}

/** Makes one attempt of a top-up. All requests for one attempt to one number share it. */
export function attemptOnce(
  run: TopupRun,
  by: TopupCommand | RetryCommand,
  attempt: number,
): Promise<OperationOutcome<TopupMade>> {
  const { running } = run;
  const msisdn = 'msisdn' in by ? by.msisdn : null;
  const same = running.get(attempt);
  if (same === undefined) {
    const outcome = attemptOver(run, by).finally(() => running.delete(attempt));
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
  { database }: TopupRun,
  by: TopupCommand,
  outcome: Promise<OperationOutcome<TopupMade>>,
): Promise<OperationOutcome<TopupMade>> {
  return database.recordSharedAnswer(by, (await outcome).result);
}

/** The retry was recorded before it was sent here, and must not stay open. */
function refuseOther(
  { database }: TopupRun,
  by: TopupCommand,
): Promise<OperationOutcome<TopupMade>> {
  const refusal = refuse('topup-not-failed', { detail: 'it is being retried to another number' });
  return database.recordSharedAnswer(by, refusal);
}

/** After a failure the signals of support staff count. */
async function attemptOver(
  run: TopupRun,
  by: TopupCommand | RetryCommand,
): Promise<OperationOutcome<TopupMade>> {
  const outcome = await holdDeliverAndBook(run, by);
  if (hasFailed(run)) await untilRecorded();
  return outcome;
}

async function holdDeliverAndBook(
  run: TopupRun,
  by: TopupCommand | RetryCommand,
): Promise<OperationOutcome<TopupMade>> {
  const { database, timing, nudges, details } = run;
  const held = await database.holdTopup(by);
  if (held.kind === 'answered') {
    noteAnswered(run, held.outcome);
    return held.outcome;
  }
  if (!isHeldBy(by.operationId, held)) {
    run.ended = 'refused';
    throw raiseForeignHold(by.operationId);
  }
  const hold: ShownTopup = { ...held, asked: askedFirst(held.provider) };
  run.attempts = hold.attempt;
  run.references.add(hold.reference);
  if ('numberHash' in by && by.numberHash !== undefined) run.numberHash = by.numberHash;
  run.lastHold = hold;
  details.sending(hold, run.lastFailure);
  const ending = await deliverTopup(run, by.operationId, hold);
  const outcome = await bookUntilDone({
    alarmAfterMs: timing.alarmAfterMs,
    takeNudge: nudges.take,
    book: () => database.endTopup(by.operationId, ending),
    description: `${hold.product}, ETB ${hold.amount} to ${hold.msisdn}, our reference ${hold.reference}.`,
    note: () => database.noteUnbookedPayment('topup', by.operationId),
  });
  run.ended = ending.kind === 'done' ? 'delivered' : 'failed';
  reportAttempt(run, hold, ending);
  // An earlier attempt may have been delivered late without this run knowing.
  if (hasFailed(run) && run.attempts > 1) run.mayBeDelivered = true;
  return outcome;
}

/** An attempt that was answered without a hold: refused, or made before this run began. */
function noteAnswered(run: TopupRun, { result }: OperationOutcome<TopupMade>): void {
  if (result.ok) {
    // Delivered before this run began, so there is nothing to wait for.
    run.ended = 'delivered';
    if (run.lastHold === undefined) run.details.deliveredBefore();
  } else if (run.ended === 'failed') {
    run.details.retryRefused(result);
    // Another run may have made the attempt, or an earlier attempt was delivered late.
    run.mayBeDelivered = true;
  } else if (run.ended === 'refused') run.details.refused(result);
}

/** A separate operation for an attempt that support staff request. */
export const supportRetry = (command: TopupCommand, attempt: number): RetryCommand => ({
  operationId: uuid4().replaceAll('-', ''),
  requestId: uuid4(),
  requestDigest: 'support',
  // Without the first caller's token: support staff retry long after its expiry.
  company: {
    kind: command.company.kind,
    id: command.company.id,
    credential: { operatorSignal: 'retry' },
  },
  transactionId: command.transactionId,
  attempt,
  msisdn: null,
});
