import type { BoundSession } from './session.ts';

export interface ConnectionPauses {
  /** Pause before the first new try; it doubles with each failure. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Keeps one session open, once it is wanted. */
export interface Connection {
  /** Begins to connect, and connects again whenever the session ends. */
  open(): void;
  /** The open session, or why there is none, which is known after at most this time. */
  session(withinMs: number): Promise<BoundSession | NoSession>;
  /** Ends the session; there is none after it. */
  close(): Promise<void>;
}

interface NoSession {
  readonly reason: string;
  /** Pause until the next try. */
  readonly retryAfterSeconds?: number;
}

/** @param connect opens a session; its error says why it could not */
export function createConnection(
  connect: () => Promise<BoundSession>,
  pauses: ConnectionPauses,
  note: (event: 'bound' | 'lost', reason?: string) => void,
): Connection {
  let current: BoundSession | undefined;
  let reason = 'There is no session with the SMSC yet.';
  let failures = 0;
  let nextTryAt = 0;
  let isOpen = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let trying: Promise<void> = Promise.resolve();
  const waiters = createWaiters();

  async function tryOnce(): Promise<void> {
    const startedAt = Date.now();
    try {
      const session = await connect();
      current = session;
      note('bound');
      void session.closed.then((why) => {
        current = undefined;
        // One that ends soon after it began counts as a failure.
        if (Date.now() - startedAt > pauses.longestPauseMs) failures = 0;
        tryLater(why);
      });
    } catch (error) {
      tryLater(error instanceof Error ? error.message : String(error));
    } finally {
      waiters.wake();
    }
  }

  function tryLater(why: string) {
    reason = why;
    if (isClosed) return;
    note('lost', why);
    const pauseMs = Math.min(pauses.firstPauseMs * 2 ** failures, pauses.longestPauseMs);
    failures += 1;
    nextTryAt = Date.now() + pauseMs;
    timer = setTimeout(begin, pauseMs);
    timer.unref();
  }

  function begin() {
    trying = tryOnce();
  }

  function open() {
    if (isOpen || isClosed) return;
    isOpen = true;
    begin();
  }

  async function session(withinMs: number): Promise<BoundSession | NoSession> {
    open();
    const pauseMs = nextTryAt - Date.now();
    if (!current && !isClosed && pauseMs < withinMs) await waiters.wait(withinMs);
    if (current) return current;
    const restMs = Math.max(0, nextTryAt - Date.now());
    return { reason, ...(restMs > 0 && { retryAfterSeconds: Math.ceil(restMs / 1_000) }) };
  }

  async function close() {
    isClosed = true;
    reason = 'The service is stopping.';
    clearTimeout(timer);
    waiters.wake();
    await trying;
    await current?.end();
  }

  return { open, session, close };
}

/** Callers that wait for a new state. */
function createWaiters() {
  const waiting = new Set<() => void>();
  return {
    wake() {
      for (const goOn of [...waiting]) goOn();
    },
    wait: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const goOn = () => {
          clearTimeout(limit);
          waiting.delete(goOn);
          resolve();
        };
        const limit = setTimeout(goOn, milliseconds);
        waiting.add(goOn);
      }),
  };
}
