/** Work that nobody waits for until the process stops. */
export interface BackgroundTasks {
  /** Runs it, unless this is no time for it. A failure is ignored: whoever hands work over has a second way. */
  run(task: () => Promise<unknown>): void;
  /** Settles when nothing is under way. */
  settled(): Promise<void>;
}

/** @param mayRun whether new work may begin */
export function createBackgroundTasks(mayRun: () => boolean): BackgroundTasks {
  const underWay = new Set<Promise<unknown>>();
  return {
    run(task) {
      if (!mayRun()) return;
      const running = task()
        .catch(() => undefined)
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}
