import {
  condition,
  isCancellation,
  TemporalFailure,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { PERSON_NEEDED, showDetails } from '../current-details.ts';
import { ROWS_VANISHED } from '../interceptors/vanished-rows.ts';
import { needsAction } from '../search-attributes.ts';
import { failureType, type Turns, untilNotRefused } from './failures.ts';
import { lengthenPause, startAlarm } from './waiting.ts';

/** More conditions than can follow one another between an end and the next action of a workflow. */
const ROUNDS = 4;

type Steps = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/**
 * Runs the local activities of a workflow one at a time, in the order of the calls, and runs
 * continuations last. Their ends are markers. A replay delivers the markers of one workflow task
 * together, along with all other events of the task. Concurrent steps would therefore lead to a
 * different order of commands, and no worker could take the workflow over.
 */
export function serializeActivities<These extends Steps>(steps: These): These {
  const turns = createTurns();
  return new Proxy(steps, {
    get:
      (target, name: string) =>
      (...parameters: never[]) =>
        untilNotRefused(() => (target[name] as Steps[string])(...parameters), turns),
  });
}

function createTurns(): Turns {
  let isBusy = false;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
      isBusy = true;
    },
    othersWentOn: untilOthersWentOn,
    pass() {
      const next = waiting.shift();
      if (next) next();
      else isBusy = false;
    },
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
/** The longest pause once a person has been called, within a week. */
const LONGEST_OVERDUE_PAUSE_MS = 60 * 60 * 1_000;

/** A decided outcome, and its booking. */
export interface Booking<Result> {
  /** Makes a few attempts by itself. */
  readonly book: () => Promise<Result>;
  /** The subject of the booking, for support staff. */
  readonly description: string;
  /** Records in the database that a person is needed. */
  readonly note: () => Promise<void>;
  readonly alarmAfterMs: number;
  /** Whether an immediate attempt is requested; checked during the pause. */
  readonly takeNudge: () => boolean;
}

/**
 * Books a decided outcome and never gives up, as the money stays on hold until then. Each pause is
 * a quarter of the elapsed time: a short fault delays the booking little, and a long one keeps the
 * history short.
 */
export async function bookUntilDone<Result>(booking: Booking<Result>): Promise<Result> {
  const startedAt = Date.now();
  let alarm: ReturnType<typeof startAlarm> | undefined;
  let wasRaised = false;
  for (;;) {
    try {
      const result = await booking.book();
      alarm?.stop();
      if (wasRaised) upsertSearchAttributes([{ key: needsAction, value: false }]);
      return result;
    } catch (error) {
      stepFailed(error);
    }
    alarm ??= startAlarm(booking.alarmAfterMs);
    const isOverdue = alarm.isDue();
    const elapsedMs = Date.now() - startedAt;
    showDetails(
      `**Not booked yet**: ${booking.description}`,
      "The provider's outcome is known, but the database cannot book it. The money stays on hold, and " +
        'the service tries again. To try now, send the signal `providerNudge`.',
      ...(isOverdue ? [PERSON_NEEDED] : []),
    );
    if (isOverdue && !wasRaised) {
      upsertSearchAttributes([{ key: needsAction, value: true }]);
      wasRaised = true;
    }
    if (isOverdue) await noted(booking);
    const longestMs = isOverdue ? LONGEST_OVERDUE_PAUSE_MS : LONGEST_PAUSE_MS;
    const usualMs = Math.round(Math.min(Math.max(SHORTEST_PAUSE_MS, elapsedMs / 4), longestMs));
    const pauseMs = lengthenPause(usualMs, elapsedMs);
    await condition(booking.takeNudge, pauseMs, {
      summary: 'Not booked: try again',
    });
  }
}

/** Repeated until it succeeds, which is idempotent: the database may refuse this as well. */
const noted = ({ note }: Pick<Booking<unknown>, 'note'>): Promise<void> => note().catch(stepFailed);

/** Ignores the failure of a step, unless its rows have vanished. */
export function stepFailed(error: unknown): void {
  const isOurs = error instanceof TemporalFailure && !isCancellation(error);
  if (!isOurs || failureType(error) === ROWS_VANISHED) throw error;
}
