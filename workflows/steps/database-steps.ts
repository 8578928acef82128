import { condition, isCancellation, TemporalFailure } from '@temporalio/workflow';
import { PERSON_NEEDED, showDetails } from '../current-details.ts';
import { ROWS_VANISHED } from '../interceptors/vanished-rows.ts';
import { CALLS_FROM_REFUSAL, failureType, STEP_REFUSED } from './failures.ts';
import { createPersonCall, lengthenPause, startAlarm } from './waiting.ts';

/** More conditions than can follow one another between an end and the next action of a workflow. */
const ROUNDS = 4;

type Steps = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/**
 * Runs the local activities of a workflow one at a time, in the order of the calls, and runs
 * continuations last. Their ends are markers. A replay delivers the markers of one workflow task
 * together, along with all other events of the task. Concurrent steps would therefore lead to a
 * different order of commands, and no worker could take the workflow over. A step that fails lets
 * the others go on.
 */
export function serializeActivities<These extends Steps>(steps: These): These {
  const inTurn = createTurns();
  return new Proxy(steps, {
    get:
      (target, name: string) =>
      (...parameters: never[]) =>
        inTurn(() => (target[name] as Steps[string])(...parameters)),
  });
}

function createTurns() {
  let isBusy = false;
  const waiting: (() => void)[] = [];
  return async <Result>(step: () => Promise<Result>): Promise<Result> => {
    if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
    isBusy = true;
    try {
      return await step();
    } finally {
      await untilOthersWentOn();
      const next = waiting.shift();
      if (next) next();
      else isBusy = false;
    }
  };
}

/** Yields to everything that the same activation of the workflow started. */
async function untilOthersWentOn(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let isAskedAgain = false;
    // Conditions are evaluated at once, and again when no promise can continue: by then other
    // conditions are met, too.
    await condition(() => {
      const answer = isAskedAgain;
      isAskedAgain = true;
      return answer;
    });
  }
}

const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60 * 1_000;

/** A step that is tried again until it is done. */
export interface LastingStep<Result> {
  /** Undefined while nothing is known yet. */
  readonly attempt: () => Promise<Result | undefined>;
  /** Tells support staff that the attempts fail. */
  readonly whileFailing: (isOverdue: boolean) => void | Promise<void>;
  /** How long the attempts may fail until a person is called. */
  readonly alarmAfterMs: number;
  /** Whether an immediate attempt is requested; checked during the pause. */
  readonly takeNudge: () => boolean;
  readonly firstPauseMs?: number | undefined;
  readonly pauseSummary: string;
}

/**
 * Tries a step until it is done, and never gives up. Each pause is a quarter of the elapsed time: a
 * short fault delays the step little, and a long one keeps the history short. A person is called when
 * failures last, and sooner where the database refuses the step, such as for a missing right.
 */
export async function untilDone<Result>(step: LastingStep<Result>): Promise<Result> {
  const { attempt, firstPauseMs = SHORTEST_PAUSE_MS } = step;
  const startedAt = Date.now();
  let alarm: ReturnType<typeof startAlarm> | undefined;
  const person = createPersonCall();
  let refusals = 0;
  for (;;) {
    try {
      const result = await attempt();
      alarm?.stop();
      alarm = undefined;
      if (result !== undefined) {
        person.withdraw();
        return result;
      }
    } catch (error) {
      stepFailed(error);
      alarm ??= startAlarm(step.alarmAfterMs);
      if (failureType(error) === STEP_REFUSED) refusals += 1;
      const isOverdue = refusals >= CALLS_FROM_REFUSAL || alarm.isDue();
      if (isOverdue) person.raise();
      await step.whileFailing(isOverdue);
    }
    const elapsedMs = Date.now() - startedAt;
    const usualMs = Math.round(Math.min(Math.max(firstPauseMs, elapsedMs / 4), LONGEST_PAUSE_MS));
    await condition(step.takeNudge, lengthenPause(usualMs, elapsedMs), {
      summary: step.pauseSummary,
    });
  }
}

/** A decided outcome, and its booking. */
interface Booking<Result> extends Pick<LastingStep<Result>, 'alarmAfterMs' | 'takeNudge'> {
  /** Makes a few attempts by itself. */
  readonly book: () => Promise<Result>;
  /** The subject of the booking, for support staff. */
  readonly description: string;
  /** Records in the database that a person is needed. */
  readonly note: () => Promise<void>;
}

/** Books a decided outcome, however long that takes: the money stays on hold until then. */
export const bookUntilDone = <Result>({
  book,
  description,
  note,
  ...patience
}: Booking<Result>): Promise<Result> =>
  untilDone({
    ...patience,
    attempt: book,
    pauseSummary: 'Not booked: try again',
    async whileFailing(isOverdue) {
      showDetails(
        `**Not booked yet**: ${description}`,
        "The provider's outcome is known, but the database cannot book it. The money stays on hold, and " +
          'the service tries again. To try now, send the signal `providerNudge`.',
        ...(isOverdue ? [PERSON_NEEDED] : []),
      );
      // Repeated until it succeeds, which is idempotent: the database may refuse this as well.
      if (isOverdue) await note().catch(stepFailed);
    },
  });

/** Ignores the failure of a step, unless its rows have vanished. */
export function stepFailed(error: unknown): void {
  const isOurs = error instanceof TemporalFailure && !isCancellation(error);
  if (!isOurs || failureType(error) === ROWS_VANISHED) throw error;
}
