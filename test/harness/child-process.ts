import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A child that does not outlive this process. */
export interface SupervisedChild {
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Asks it to stop, and waits until it has; after the time, if one is given, it is killed. */
  stop(killAfterSeconds?: number): Promise<number | NodeJS.Signals>;
  /** Gives it no chance to stop. */
  kill(): Promise<number | NodeJS.Signals>;
}

const running = new Set<ChildProcess>();

/** Ends every child that is left. */
export function killAllProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

// Vitest may end without running what is to run after the tests.
process.once('exit', killAllProcesses);

export function superviseChild(child: ChildProcess): SupervisedChild {
  running.add(child);
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return code ?? signal;
  });
  return {
    ended,
    async stop(killAfterSeconds) {
      child.kill('SIGTERM');
      const timer =
        killAfterSeconds === undefined
          ? undefined
          : setTimeout(() => child.kill('SIGKILL'), killAfterSeconds * 1_000);
      return ended.finally(() => clearTimeout(timer));
    },
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
