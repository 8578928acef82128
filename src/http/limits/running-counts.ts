/** Counts the running work of each subject in this process, and notifies waiters. */
export interface RunningCounts {
  of(subject: string): number;
  begin(...subjects: readonly string[]): void;
  end(...subjects: readonly string[]): void;
  /** Resolves when work of the subject ends, or after `waitMs`. */
  nextEnd(subject: string, waitMs: number): Promise<void>;
  /** Runs the work of one subject one at a time, in the order of arrival. */
  inTurn<Result>(subject: string, work: () => Promise<Result>): Promise<Result>;
}

/** A subject without running or waiting work uses no memory. */
export function createRunningCounts(): RunningCounts {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();
  const last = new Map<string, Promise<unknown>>();

  const add = (subject: string, difference: 1 | -1): void => {
    const count = (counts.get(subject) ?? 0) + difference;
    if (count > 0) counts.set(subject, count);
    else counts.delete(subject);
  };
  return {
    of: (subject) => counts.get(subject) ?? 0,
    begin(...subjects) {
      for (const subject of subjects) add(subject, 1);
    },
    end(...subjects) {
      for (const subject of subjects) {
        add(subject, -1);
        for (const wake of waiting.get(subject) ?? []) wake();
        waiting.delete(subject);
      }
    },
    nextEnd(subject, waitMs) {
      return new Promise((resolve) => {
        const woken = waiting.get(subject) ?? new Set();
        waiting.set(subject, woken);
        const wake = (): void => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          woken.delete(wake);
          resolve();
        }, waitMs);
        woken.add(wake);
      });
    },
    async inTurn(subject, work) {
      const before = last.get(subject);
      const turn = (async () => {
        await before;
        return work();
      })();
      const settled = turn.then(
        () => undefined,
        () => undefined,
      );
      last.set(subject, settled);
      try {
        return await turn;
      } finally {
        if (last.get(subject) === settled) last.delete(subject);
      }
    },
  };
}
