import { finished } from 'node:stream';
import type { Context } from 'koa';
import type { Books, Payout, Topup } from './books.ts';
import type { Faults } from './faults.ts';
import type { SandboxReply, TakenStatus } from './requests.ts';
import {
  type BooksBehaviour,
  type CallbackCourse,
  delaySecondsOf,
  firstStatus,
  laterStatus,
  lateSeconds,
  type ReportBehaviour,
  type SmsBehaviour,
  shortlySeconds,
} from './scenarios.ts';

export type Waiting = ReturnType<typeof createWaiting>;

/**
 * Waits for the delay before an outcome. The books have the outcome from the start, so that a
 * sandbox that is killed during the delay leaves none open. A sandbox that closes gives it at once.
 */
async function delayOutcome(
  waiting: Waiting,
  seconds: number,
  settle: (from: Date) => void,
): Promise<void> {
  settle(waiting.moment(seconds));
  await waiting.wait(seconds);
  if (waiting.ending.aborted) settle(new Date());
}

/** The sandbox's delays, which can be scaled and end when it closes. */
export function createWaiting(delayScale: number) {
  const ending = new AbortController();
  /** The waiters. A signal with a listener for each would be reported as a leak. */
  const waiting = new Set<() => void>();
  function pause(seconds: number): Promise<void> {
    if (seconds === 0 || ending.signal.aborted) return Promise.resolve();
    const due = Date.now() + seconds * 1000;
    return new Promise((resolve) => {
      const goOn = () => {
        clearTimeout(timer);
        waiting.delete(goOn);
        resolve();
      };
      // A timer may end before the clock shows its moment.
      const look = () => {
        if (Date.now() < due) timer = setTimeout(look, due - Date.now());
        else goOn();
      };
      let timer = setTimeout(look, seconds * 1000);
      waiting.add(goOn);
    });
  }
  return {
    /** Resolves after the scaled seconds, or when the sandbox closes. */
    wait: (seconds: number): Promise<void> => pause(seconds * delayScale),
    /** The same, not scaled: for what a tester has set. */
    pause,
    /** The scaled moment after this many seconds. */
    moment: (seconds: number): Date => new Date(Date.now() + seconds * delayScale * 1000),
    /** Aborted when the sandbox closes. */
    ending: ending.signal,
    end(): void {
      ending.abort();
      for (const goOn of [...waiting]) goOn();
    },
  };
}

/** Pauses before an unacknowledged callback is repeated. */
const retrySeconds = [5, 30, 120];
const answerTimeoutMilliseconds = 5_000;

export interface Callback {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

type CallbackSender = ReturnType<typeof createCallbackSender>;

/** The statuses whose callbacks are sent for a new one, in this order. */
const toldStatuses: Readonly<
  Record<CallbackCourse, <Status extends TakenStatus>(status: Status) => (Status | 'pending')[]>
> = {
  once: (status) => [status],
  'before-the-answer': (status) => [status],
  twice: (status) => [status, status],
  lost: () => [],
  'out-of-order': (status) => [status, 'pending'],
};

/** Sends the callbacks of all simulated providers, until the sandbox closes. */
export function createCallbackSender(waiting: Waiting) {
  async function attempt({ method, url, headers, body }: Callback): Promise<boolean> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), answerTimeoutMilliseconds);
    try {
      const answer = await fetch(url, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
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

  async function repeat(callback: Callback): Promise<void> {
    for (const seconds of retrySeconds) {
      await waiting.wait(seconds);
      if (waiting.ending.aborted || (await attempt(callback))) return;
    }
  }

  return {
    /**
     * Sends a callback; any 2xx acknowledges it. Resolves after the first attempt; repetitions continue
     * in the background.
     */
    async send(callback: Callback): Promise<void> {
      if (!(await attempt(callback))) void repeat(callback);
    },
  };
}

/** The parts that send callbacks. */
export interface CallbackParts {
  readonly sender: CallbackSender;
  readonly faults: Faults;
}

/** Tells the client of a provider a new status of an order, as the scenario of its number demands. */
export type Announce = (taken: Payout | Topup, status: TakenStatus) => Promise<void>;

/**
 * The callbacks of all providers. The function `callbackOf` makes the callback of one told status, which may differ
 * from the announced status. A provider that tells no status makes none.
 */
export const createAnnouncer =
  (
    { sender, faults }: CallbackParts,
    callbackOf: (
      taken: Payout | Topup,
      told: TakenStatus,
      announced: TakenStatus,
    ) => Callback | undefined,
  ): Announce =>
  async (taken, status) => {
    if (faults.of(taken.provider).losesCallbacks) return;
    const course = 'behaviour' in taken ? taken.behaviour.callback : taken.callback;
    for (const told of toldStatuses[course](status)) {
      const callback = callbackOf(taken, told, status);
      if (callback) await sender.send(callback);
    }
  };

/** The statuses that are told. */
interface Told {
  /** The status that the answer has; undefined where the answer itself tells it. */
  readonly first: TakenStatus | undefined;
  readonly later: TakenStatus | undefined;
}

/** The parts that every provider is made of. */
export interface CommonParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly faults: Faults;
}

/** The parts that a provider of payouts or top-ups is made of. */
export interface ProviderParts extends CommonParts {
  readonly announce: Announce;
}

/**
 * Gives an order its course, as its number demands: the first status after the delay, the answer,
 * the later status, and the callbacks of both. The callbacks begin before the answer where the
 * scenario says so. The answer has the first status even where "shortly" is scaled to zero. An
 * order that is not taken is refused after the delay.
 *
 * @param course `take` puts the order into the books; `tellsFirst` where the answer leaves the first
 *   status to a callback
 */
export async function runCourse<Taken extends Payout | Topup>(
  ctx: Context,
  { books, waiting, announce }: ProviderParts,
  course: {
    readonly to: string;
    readonly behaviour: { readonly books: BooksBehaviour; readonly callback: CallbackCourse };
    readonly delaySeconds?: number;
    readonly refuse: () => SandboxReply;
    readonly take: () => Taken;
    readonly tellsFirst: boolean;
    readonly answer: (taken: Taken) => SandboxReply;
  },
): Promise<SandboxReply> {
  const { to, behaviour, delaySeconds = delaySecondsOf(to), tellsFirst } = course;
  if (behaviour.books === 'not-taken') {
    await waiting.wait(delaySeconds);
    return course.refuse();
  }
  // The books contain an order before its delay, so that an inquiry during the delay finds it.
  const taken = course.take();
  const first = firstStatus[behaviour.books];
  const later = laterStatus[behaviour.books];
  await delayOutcome(waiting, delaySeconds, (from) => books.settle(taken, first, from));
  const reply = course.answer(taken);
  if (behaviour.callback === 'before-the-answer') {
    books.settle(taken, later);
    if (later) await announce(taken, later);
    return reply;
  }
  books.settle(taken, later, waiting.moment(shortlySeconds));
  const told = { first: tellsFirst ? first : undefined, later };
  announceAfterAnswer(ctx, taken, told, { waiting, announce });
  return reply;
}

function announceAfterAnswer(
  ctx: Context,
  taken: Payout | Topup,
  { first, later }: Told,
  { waiting, announce }: Pick<ProviderParts, 'waiting' | 'announce'>,
): void {
  finished(ctx.res, async () => {
    if (first) await announce(taken, first);
    await waiting.wait(shortlySeconds);
    if (later) await announce(taken, later);
  });
}

/** What a provider reports of a message that it took. */
export type ReportState = Exclude<TakenStatus, 'reversed'>;

/** The reports of a message that it took. */
const statesOf = (report: ReportBehaviour): readonly ReportState[] =>
  report === 'not-delivered'
    ? ['pending', 'failed']
    : toldStatuses[report === 'late' ? 'once' : report]('completed');

/**
 * Sends the delivery reports of a message, one after the other, as its number demands. Resolves when
 * the answer to the message may follow.
 */
export async function announceReports(
  { report = 'once' }: SmsBehaviour,
  waiting: Waiting,
  send: (state: ReportState) => Promise<void>,
): Promise<void> {
  const sending = (async () => {
    if (report !== 'before-the-answer')
      await waiting.wait(report === 'late' ? lateSeconds : shortlySeconds);
    for (const state of statesOf(report)) if (!waiting.ending.aborted) await send(state);
  })();
  if (report === 'before-the-answer') await sending;
}
