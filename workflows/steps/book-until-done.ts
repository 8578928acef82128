import {
  condition,
  isCancellation,
  TemporalFailure,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { showDetails } from '../current-details.js';
import { needsAction } from '../search-attributes.js';

const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60 * 1_000;
/** Once a person has been called. */
const LONGEST_OVERDUE_PAUSE_MS = 60 * 60 * 1_000;

/** What a provider has decided, and how it is booked. */
export interface Booking<Result> {
  /** Gives up after a few tries, which it makes by itself. */
  readonly book: () => Promise<Result>;
  /** What is to be booked, for support staff. */
  readonly description: string;
  /** Notes in the database that a person is needed. */
  readonly note: () => Promise<void>;
  readonly alarmAfterMs: number;
  /** Whether it is wanted at once; asked while waiting. */
  readonly takeHint?: (() => boolean) | undefined;
}

/**
 * Books what a provider has decided and does not give up, as the money is on hold until then. Pauses are
 * a quarter of the time that it has taken, so that it is soon booked after a short fault, and a
 * history stays short in a long one. Runs that began before this waited inside the step itself: that
 * never failed, so nothing of theirs comes here.
 */
export async function bookUntilDone<Result>(booking: Booking<Result>): Promise<Result> {
  const startedAt = Date.now();
  let wasRaised = false;
  for (;;) {
    try {
      const result = await booking.book();
      if (wasRaised) upsertSearchAttributes([{ key: needsAction, value: false }]);
      return result;
    } catch (error) {
      stepFailed(error);
    }
    const elapsedMs = Date.now() - startedAt;
    const isOverdue = elapsedMs >= booking.alarmAfterMs;
    showDetails(
      `**Not booked yet**: ${booking.description}`,
      'The provider has decided it, and the database cannot book that: the money stays on hold and ' +
        'it is tried again by itself; to try at once, send the signal `providerHint`.',
      ...(isOverdue
        ? ['**A person is needed**: the log of the worker says what the database refuses.']
        : []),
    );
    if (isOverdue && !wasRaised) {
      upsertSearchAttributes([{ key: needsAction, value: true }]);
      wasRaised = true;
    }
    if (isOverdue) await noted(booking);
    const longestMs = isOverdue ? LONGEST_OVERDUE_PAUSE_MS : LONGEST_PAUSE_MS;
    const pauseMs = Math.round(Math.min(Math.max(SHORTEST_PAUSE_MS, elapsedMs / 4), longestMs));
    await condition(() => booking.takeHint?.() ?? false, pauseMs, {
      summary: 'Not booked: try again',
    });
  }
}

/** Each time until it is noted, which changes nothing any more: the database may refuse that, too. */
const noted = ({ note }: Pick<Booking<unknown>, 'note'>): Promise<void> => note().catch(stepFailed);

/** Goes on where only a step has failed: a local one throws its own error, without a wrapping. */
export function stepFailed(error: unknown): void {
  if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
}
