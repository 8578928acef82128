import type { TakenStatus } from '../accepted-requests.js';
import type { Topup } from '../books.js';
import type { Waiting } from '../delays.js';
import type { Faults } from '../faults/provider-faults.js';
import { transactionOf } from './transaction.js';

/** Pauses before an unacknowledged callback is repeated. */
const retrySeconds = [5, 30, 120];
const answerTimeoutMilliseconds = 5_000;

export interface Callbacks {
  /**
   * Sends a callback for a new status, as the number's scenario demands. Resolves after the first
   * attempt; repetitions continue in the background.
   */
  announce(topup: Topup, status: TakenStatus): Promise<void>;
}

/** The statuses whose callbacks are sent for a new one, in this order. */
const told: Readonly<
  Record<Topup['behaviour']['callback'], (status: TakenStatus) => TakenStatus[]>
> = {
  once: (status) => [status],
  'before-the-answer': (status) => [status],
  twice: (status) => [status, status],
  lost: () => [],
  'out-of-order': (status) => [status, 'pending'],
};

/** DT One's callbacks: POSTs the transaction; any 2xx acknowledges it. */
export function createCallbacks(waiting: Waiting, faults: Faults): Callbacks {
  async function post(url: string, body: string): Promise<boolean> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), answerTimeoutMilliseconds);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([limit.signal, waiting.ending]),
      });
      await answer.body?.cancel();
      return answer.ok;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async function repeat(url: string, body: string): Promise<void> {
    for (const seconds of retrySeconds) {
      await waiting.wait(seconds);
      if (waiting.ending.aborted || (await post(url, body))) return;
    }
  }

  return {
    async announce(topup, status) {
      const { callbackUrl, behaviour } = topup;
      if (callbackUrl === undefined || faults.of('dt-one').losesCallbacks) return;
      for (const one of told[behaviour.callback](status)) {
        const body = JSON.stringify(transactionOf(topup, { status: one }));
        if (!(await post(callbackUrl, body))) void repeat(callbackUrl, body);
      }
    },
  };
}
