import { finished } from 'node:stream';
import type { Context } from 'koa';
import { settle, type TakenStatus } from '../accepted-requests.js';
import type { Topup } from '../books.js';
import type { Waiting } from '../delays.js';
import { shortlySeconds } from '../scenarios.js';

/** Tells a provider's client a new status of a top-up, as the number's scenario demands. */
export interface TopupCallbacks {
  announce(topup: Topup, status: TakenStatus): Promise<void>;
}

interface Course {
  /** The status that the answer has. */
  readonly first: TakenStatus | undefined;
  readonly later: TakenStatus | undefined;
}

/**
 * Gives a top-up the status that follows its answer, and sends the callbacks of both, which begin
 * before the answer where the scenario says so.
 */
export async function endLater(
  ctx: Context,
  topup: Topup,
  { first, later }: Course,
  { waiting, callbacks }: { readonly waiting: Waiting; readonly callbacks: TopupCallbacks },
): Promise<void> {
  if (topup.behaviour.callback === 'before-the-answer') {
    settle(topup, later);
    if (later) await callbacks.announce(topup, later);
    return;
  }
  settle(topup, later, waiting.moment(shortlySeconds));
  finished(ctx.res, async () => {
    if (first) await callbacks.announce(topup, first);
    await waiting.wait(shortlySeconds);
    if (later) await callbacks.announce(topup, later);
  });
}
