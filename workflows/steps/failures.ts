import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  getCurrentDetails,
  setCurrentDetails,
} from '@temporalio/workflow';
import { createPersonCall, lengthenPause } from './waiting.ts';

/** The error of a step; a local activity throws its own error without a wrapper. */
const causeOf = (error: unknown): unknown =>
  error instanceof ActivityFailure ? error.cause : error;

/** The type of the failure of a step; undefined where it has none. */
export function failureType(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}

const MAXIMUM_SHOWN = 20;
const MAXIMUM_LENGTH = 300;

/** Each distinct failure of steps once, with the name of its step. */
export function failureLines(failures: readonly unknown[]): string[] {
  const lines = failures.map((failure) => {
    const step = failure instanceof ActivityFailure ? `${failure.activityType}: ` : '';
    const cause = causeOf(failure);
    return `${step}${cause instanceof Error ? cause.message : cause}`.slice(0, MAXIMUM_LENGTH);
  });
  return [...new Set(lines)].slice(0, MAXIMUM_SHOWN);
}

const NEEDS_ACTION = 'NeedsAction';

/** The failure of a workflow that ends by calling a person. */
export const needsPerson = (message: string, cause?: unknown): ApplicationFailure =>
  ApplicationFailure.create({
    message,
    type: NEEDS_ACTION,
    nonRetryable: true,
    ...(cause instanceof Error && { cause }),
  });

/** Whether a workflow ended by calling a person. */
export const calledPerson = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.type === NEEDS_ACTION;

/** Fails a workflow some of whose steps have failed. */
export function raiseFailures(failures: readonly unknown[]): void {
  const [first, ...others] = failures;
  if (failures.length === 0) return;
  if (others.length === 0) throw first;
  throw ApplicationFailure.create({
    message: [`${failures.length} steps failed`, ...failureLines(failures)].join('\n'),
    type: 'StepsFailed',
    nonRetryable: true,
    ...(first instanceof Error && { cause: first }),
  });
}

/**
 * The type of the failure of a step that the database refuses, such as for a missing right. Temporal does
 * not repeat it where the options of the step name this type; the workflow does, with pauses, and calls a
 * person.
 */
export const STEP_REFUSED = 'StepRefused';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60 * 1_000;
/** The first refusal may be a race with another transaction. */
export const CALLS_FROM_REFUSAL = 2;

const NOTICE =
  '**The database refuses a step of this workflow, and a person is needed**: the log of the worker has ' +
  'the error. The step is tried again every few minutes; nothing is done twice.\n\n';

/**
 * Runs a step until the database no longer refuses it, with pauses that end at once where somebody asks for the next
 * try.
 */
export async function untilNotRefused<Result>(
  step: () => Promise<Result>,
  isAsked: () => boolean = () => false,
): Promise<Result> {
  let refusedSince: number | undefined;
  const person = createPersonCall();
  for (let tries = 1; ; tries += 1) {
    try {
      const result = await step();
      if (tries > 1) showNotice(false);
      person.withdraw();
      return result;
    } catch (error) {
      if (failureType(error) !== STEP_REFUSED) throw error;
    }
    refusedSince ??= Date.now();
    if (tries >= CALLS_FROM_REFUSAL) {
      showNotice(true);
      person.raise();
    }
    const usualMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
    await condition(isAsked, lengthenPause(usualMs, Date.now() - refusedSince), {
      summary: 'The database refused a step: try again',
    });
  }
}

/** Shows the notice above the details of the workflow, or takes it away. */
function showNotice(isShown: boolean): void {
  const details = getCurrentDetails();
  const own = details.startsWith(NOTICE) ? details.slice(NOTICE.length) : details;
  setCurrentDetails(isShown ? NOTICE + own : own);
}
