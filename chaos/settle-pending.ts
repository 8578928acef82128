import { setTimeout as sleep } from 'node:timers/promises';
import type { BooksRow, ReceivedMessage } from '../src/sandbox/requests.ts';
import { call } from '../test/support/clients.ts';
import type { Random } from './random.ts';

/** What `GET /books` of the sandbox shows. */
export interface ProviderBooks {
  /** Newest first. */
  readonly payouts: readonly BooksRow[];
  readonly reversals: readonly BooksRow[];
  readonly topups: readonly BooksRow[];
  readonly messages: readonly ReceivedMessage[];
}

export const readBooks = async (sandboxUrl: string): Promise<ProviderBooks> =>
  (await call(`${sandboxUrl}/books`)).body;

/** Decides a row of the books, named by its kind and reference. */
export const setStatus = (sandboxUrl: string, row: string, status: string) =>
  call(`${sandboxUrl}/books/${row}`, { body: { status } });

/** Only what is sent to these numbers waits for a person; the rest comes to its end by itself. */
const PENDING_SUFFIX = /14$/;

const INTERVAL_MS = 1_000;

/**
 * Decides what is pending at the providers, some of it each second, as their support staff would.
 * Early enough, because the service asks about it with growing pauses.
 */
export async function settlePending(
  sandboxUrl: string,
  random: Random,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    await settleOnce(sandboxUrl, random, 0.3);
    await sleep(INTERVAL_MS);
  }
}

/** Decides each pending item with a probability. */
export async function settleOnce(
  sandboxUrl: string,
  random: Random,
  probability: number,
): Promise<void> {
  const books = await readBooks(sandboxUrl);
  for (const kind of ['payouts', 'topups'] as const) {
    for (const { reference, status, to } of books[kind]) {
      if (status !== 'pending' || !PENDING_SUFFIX.test(to) || !random.chance(probability)) continue;
      await setStatus(
        sandboxUrl,
        `${kind}/${reference}`,
        random.chance(0.6) ? 'completed' : 'failed',
      );
    }
  }
}
