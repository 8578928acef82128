/** The sandbox's delays, which can be scaled and end when it closes. */
export interface Waiting {
  /** Resolves after the scaled seconds, or when the sandbox closes. */
  wait(seconds: number): Promise<void>;
  /** The same, not scaled: for what a tester has set. */
  pause(seconds: number): Promise<void>;
  /** The scaled moment after this many seconds. */
  moment(seconds: number): Date;
  /** Aborted when the sandbox closes. */
  readonly ending: AbortSignal;
  end(): void;
}

/**
 * Waits for the delay before an outcome. The books have the outcome from the start, so that a sandbox that is
 * killed during the delay leaves none open; one that closes gives it at once.
 */
export async function delayOutcome(
  waiting: Waiting,
  seconds: number,
  settle: (from: Date) => void,
): Promise<void> {
  settle(waiting.moment(seconds));
  await waiting.wait(seconds);
  if (waiting.ending.aborted) settle(new Date());
}

export function createWaiting(delayScale: number): Waiting {
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
    pause,
    wait: (seconds) => pause(seconds * delayScale),
    moment: (seconds) => new Date(Date.now() + seconds * delayScale * 1000),
    ending: ending.signal,
    end() {
      ending.abort();
      for (const goOn of [...waiting]) goOn();
    },
  };
}
