import { finished } from 'node:stream';
import type { Context } from 'koa';
import type { TakenRequest, TakenStatus } from './accepted-requests.ts';
import type { CallbackCourse } from './behaviours.ts';
import type { Books } from './books.ts';
import type { Waiting } from './delays.ts';
import { shortlySeconds } from './scenarios.ts';

/** Tells a provider's client a new status of what was taken, as the number's scenario demands. */
export interface Callbacks<Taken extends TakenRequest> {
  announce(taken: Taken, status: TakenStatus): Promise<void>;
}

/** The statuses that are told. */
interface Told {
  /** The status that the answer has; undefined where the answer itself tells it. */
  readonly first: TakenStatus | undefined;
  readonly later: TakenStatus | undefined;
}

interface Parts<Taken extends TakenRequest> {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly callbacks: Callbacks<Taken>;
}

/**
 * Gives what was taken the status that follows its answer, and sends the callbacks of both, which
 * begin before the answer where the scenario says so. Its answer is made before: it has the first
 * status even where "shortly" is scaled to zero.
 */
export async function endLater<Taken extends TakenRequest>(
  ctx: Context,
  taken: Taken,
  { callback, ...told }: Told & { readonly callback: CallbackCourse },
  parts: Parts<Taken>,
): Promise<void> {
  const { later } = told;
  if (callback === 'before-the-answer') {
    parts.books.settle(taken, later);
    if (later) await parts.callbacks.announce(taken, later);
    return;
  }
  parts.books.settle(taken, later, parts.waiting.moment(shortlySeconds));
  announceAfterAnswer(ctx, taken, told, parts);
}

export function announceAfterAnswer<Taken extends TakenRequest>(
  ctx: Context,
  taken: Taken,
  { first, later }: Told,
  { waiting, callbacks }: Omit<Parts<Taken>, 'books'>,
): void {
  finished(ctx.res, async () => {
    if (first) await callbacks.announce(taken, first);
    await waiting.wait(shortlySeconds);
    if (later) await callbacks.announce(taken, later);
  });
}
