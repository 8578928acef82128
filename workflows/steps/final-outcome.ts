import { condition, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { Ending } from '../../src/domain/providers.ts';
import { quoted } from '../../src/domain/refusals.ts';
import type { InquiryTiming } from '../contracts.ts';
import { CALLS_FROM_REFUSAL, failureType, STEP_REFUSED } from './failures.ts';
import { createPersonCall, lengthenPause, startAlarm, type WithProviders } from './waiting.ts';

type SendOutcome = Awaited<ReturnType<Activities['payMerchant']>>;
type InquiryOutcome = Awaited<ReturnType<Activities['inquirePayment']>>;

/**
 * Why a person must check an unknown outcome: it takes too long, the content differs at the provider,
 * or the database refuses a step of the call.
 */
export type Urgency = 'none' | 'overdue' | 'disagrees' | 'refused';

/** One attempt towards a provider, always under the same reference. */
export interface ProviderAttempt {
  /** `isFirst`: nothing can have been sent before, so another provider may be asked. */
  readonly send: (isFirst: boolean) => Promise<SendOutcome>;
  /** Given the end of the last sending, or the beginning of a run that took the attempt over. */
  readonly inquire: (lastSentAtMs: number) => Promise<InquiryOutcome>;
  /** Called with each answer, for whom it names. */
  readonly note?: (answer: WithProviders<{ readonly kind: string }>) => void;
  /** Called while the outcome is unknown: for the database and for support staff. */
  readonly whileUnknown: (lastMessage: string, urgency: Urgency) => Promise<void>;
  /** An earlier run may have sent it: only an inquiry decides. */
  readonly possiblySent: boolean;
  /** Whether the provider has sent a nudge; checked during the pause. */
  readonly takeNudge: () => boolean;
  readonly timing: InquiryTiming;
}

/** Attempts to send what was provably not sent; the caller waits meanwhile. */
const MAXIMUM_SENDINGS = 3;
const RESEND_PAUSE_MS = 500;
const MAXIMUM_RESEND_PAUSE_MS = 2_000;
const MAXIMUM_PAUSE_MS = 60 * 60 * 1_000;
/** While the database refuses a step: a person mends it, and waits for the next try. */
const MAXIMUM_REFUSED_PAUSE_MS = 5 * 60 * 1_000;

/**
 * Sends, and then polls until the outcome is known: an inquiry by our reference with backoff and
 * without a time limit.
 */
export async function finalOutcome(attempt: ProviderAttempt): Promise<Ending> {
  const first = attempt.possiblySent ? resumed : await sendUntilSent(attempt);
  if (first.kind !== 'unknown') return first;
  const alarm = startAlarm(attempt.timing.alarmAfterMs);
  const person = createPersonCall();
  const ending = await inquireUntilKnown(attempt, first, { isOverdue: alarm.isDue, person });
  alarm.stop();
  person.withdraw();
  return ending;
}

/** An unknown outcome; `disagrees` when the provider has different content under our reference. */
interface Unknown {
  readonly kind: 'unknown';
  readonly message: string;
  readonly disagrees?: true;
  /** The database refused the step, before the provider was called or after. */
  readonly isRefused?: true;
}

const resumed: Unknown = { kind: 'unknown', message: 'taken over from a run that was cut off' };

/**
 * The outcome of a call that failed because the database refused a step of it. The call may have
 * reached the provider, so only an inquiry goes on. The refusal of a repeated call would end the
 * hold of a payment that was made.
 */
function unlessRefused(error: unknown): Unknown {
  if (failureType(error) !== STEP_REFUSED) throw error;
  return { kind: 'unknown', message: 'the database refused a step of the call', isRefused: true };
}

async function inquireUntilKnown(
  attempt: ProviderAttempt,
  first: Unknown,
  {
    isOverdue,
    person,
  }: {
    readonly isOverdue: () => boolean;
    readonly person: ReturnType<typeof createPersonCall>;
  },
): Promise<Ending> {
  // It may have been done, so from here on only an inquiry decides. The refusal of a repetition
  // proves nothing about the first sending, unless the provider also reports that it never saw one.
  let last: Omit<Unknown, 'kind'> = first;
  let refusals = 0;
  let repetitionRefused: Ending | undefined;
  let pauseMs = attempt.timing.inquiryIntervalMs;
  const startedAt = Date.now();
  let lastSentAtMs = startedAt;
  for (let inquiries = 0; ; inquiries += 1) {
    const wasRefused = refusals >= CALLS_FROM_REFUSAL;
    refusals = last.isRefused ? refusals + 1 : 0;
    const urgency = urgencyOf(last, refusals, isOverdue());
    if (urgency !== 'none') person.raise();
    // The database accepts the step again, and a slow payment needs no person.
    else if (wasRefused) person.withdraw();
    await attempt.whileUnknown(quoted(last.message), urgency);
    // A nudge is followed at once and does not lengthen the next pause.
    const usualMs = last.isRefused ? Math.min(pauseMs, MAXIMUM_REFUSED_PAUSE_MS) : pauseMs;
    const isFollowed =
      (inquiries === 0 && attempt.possiblySent) ||
      (await nudgeComes(attempt, lengthenPause(usualMs, Date.now() - startedAt)));
    if (!isFollowed) pauseMs = Math.min(pauseMs * 2, MAXIMUM_PAUSE_MS);
    const found = await attempt.inquire(lastSentAtMs).catch(unlessRefused);
    attempt.note?.(found);
    if (found.kind === 'delivered') return done(found);
    if (found.kind === 'refused') return refused(found);
    if (found.kind !== 'never-seen') {
      last = found;
      continue;
    }
    if (repetitionRefused !== undefined) return repetitionRefused;
    // Unknown under our reference: sending it again cannot repeat it.
    const repeated = await attempt.send(false).catch(unlessRefused);
    attempt.note?.(repeated);
    lastSentAtMs = Date.now();
    if (repeated.kind === 'delivered') return done(repeated);
    if (repeated.kind === 'refused') repetitionRefused = refused(repeated);
    last = repeated;
  }
}

/** The first sending, with a few attempts while it was provably not sent. */
async function sendUntilSent({ send, note }: ProviderAttempt): Promise<Ending | Unknown> {
  // A run that was reset, or goes on from another run, may have sent it before.
  const { runId, firstExecutionRunId } = workflowInfo();
  const isFirst = runId === firstExecutionRunId;
  for (let sendings = 1; ; sendings += 1) {
    const outcome = await send(isFirst).catch(unlessRefused);
    note?.(outcome);
    if (outcome.kind === 'delivered') return done(outcome);
    if (outcome.kind === 'unknown') return outcome;
    // The outcome says nothing of the sending before the reset: an inquiry decides.
    if (outcome.isFirst === false)
      return { kind: 'unknown', message: `sent again after a reset: ${outcome.message}` };
    if (outcome.kind === 'refused') return refused(outcome);
    if (sendings === MAXIMUM_SENDINGS) return notSent(outcome.message);
    const askedMs = (outcome.retryAfterSeconds ?? 0) * 1_000;
    const pauseMs = Math.max(RESEND_PAUSE_MS * sendings, askedMs);
    // A long Retry-After of the provider is not awaited: nothing was sent.
    if (pauseMs > MAXIMUM_RESEND_PAUSE_MS) return notSent(outcome.message);
    await condition(() => false, pauseMs, { summary: 'Not sent: try again soon' });
  }
}

/** The end of an order, where staff gave it in place of the provider. */
type Said = Pick<InquiryOutcome, 'by' | 'at'>;

const done = ({
  providerReference,
  reversal,
  by,
  at,
}: Said & { readonly providerReference: string; readonly reversal?: string }): Ending => ({
  kind: 'done',
  providerReference,
  ...(reversal !== undefined && { reversal }),
  by: by ?? 'provider',
  ...(at !== undefined && { at }),
});

const refused = ({ message, by }: Said & { readonly message: string }): Ending => ({
  kind: 'not-done',
  message,
  by: by ?? 'provider',
});

const notSent = (message: string): Ending => ({ kind: 'not-done', message, by: 'service' });

const urgencyOf = (
  { disagrees }: Pick<Unknown, 'disagrees'>,
  refusals: number,
  overdue: boolean,
): Urgency => {
  if (disagrees) return 'disagrees';
  if (refusals >= CALLS_FROM_REFUSAL) return 'refused';
  return overdue ? 'overdue' : 'none';
};

/** The first words on the page of an unknown outcome. */
export const urgencyWords: Readonly<Record<Urgency, string>> = {
  none: '',
  overdue: '**Overdue: call the provider.** ',
  refused:
    '**The database refuses a step of the call, and a person is needed**: the log of the worker has the ' +
    'error. The step is tried again, and nothing is done twice. ',
  disagrees:
    '**The provider has other content under our reference: call the provider, and compare it with ' +
    'our books.** ',
};

/** Waits; true when a nudge arrives before the time is up. */
const nudgeComes = (attempt: ProviderAttempt, pauseMs: number): Promise<boolean> =>
  condition(attempt.takeNudge, pauseMs, {
    summary: 'Outcome unknown: ask the provider again',
  });
