import type { TakenStatus } from '../accepted-requests.js';
import type { Topup } from '../books.js';
import type { Waiting } from '../delays.js';
import { transactionOf } from './transaction.js';

/** Pauses before a callback is repeated that was not acknowledged. */
const retrySeconds = [5, 30, 120];
const answerTimeoutMilliseconds = 5_000;

export interface Callbacks {
  /**
   * Tells the caller of a new status, in the way the number asks for. Resolves when that was tried
   * once; repetitions go on by themselves.
   */
  announce(topup: Topup, status: TakenStatus): Promise<void>;
}

/** Which statuses are told of a new one, in this order. */
const told: Readonly<
  Record<Topup['behaviour']['callback'], (status: TakenStatus) => TakenStatus[]>
> = {
  once: (status) => [status],
  'before-the-answer': (status) => [status],
  twice: (status) => [status, status],
  lost: () => [],
  'out-of-order': (status) => [status, 'pending'],
};

/** DT One's callbacks: the transaction is POSTed, and any 2xx acknowledges it. */
export function createCallbacks(waiting: Waiting): Callbacks {
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
      if (callbackUrl === undefined) return;
      for (const one of told[behaviour.callback](status)) {
        const body = JSON.stringify(transactionOf(topup, { status: one }));
        if (!(await post(callbackUrl, body))) void repeat(callbackUrl, body);
      }
    },
  };
}
