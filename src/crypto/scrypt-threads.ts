import type { ScryptOptions } from 'node:crypto';
import { Worker } from 'node:worker_threads';

export interface ScryptWork {
  readonly text: string;
  readonly salt: Buffer;
  readonly length: number;
  readonly options: ScryptOptions;
}

type Answer = { readonly key: Uint8Array } | { readonly problem: string };

/** A thread without work ends after this long, and keeps no process from ending before. */
const IDLE_MS = 10_000;

/**
 * Computes scrypt in threads of its own. In libuv's four, which also read files and look up names,
 * each hash would take one of these for half a second. There are as many threads as computations at
 * the same time: the caller limits them. `nicerBy` is how far they stand back behind others that
 * want to compute (Linux; 3 is half the weight).
 */
export function createScryptThreads(options: {
  readonly nicerBy: number;
}): (work: ScryptWork) => Promise<Buffer> {
  const idle = new Map<Worker, NodeJS.Timeout>();

  function takeThread(): Worker {
    const [known] = idle.keys();
    if (known === undefined)
      return new Worker(new URL('./scrypt-thread.cjs', import.meta.url), {
        execArgv: [],
        workerData: options,
      });
    clearTimeout(idle.get(known));
    idle.delete(known);
    known.ref();
    return known;
  }

  function leaveIdle(thread: Worker): void {
    thread.unref();
    const end = (): void => {
      idle.delete(thread);
      void thread.terminate();
    };
    idle.set(thread, setTimeout(end, IDLE_MS).unref());
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const thread = takeThread();
      const fail = (error: unknown): void =>
        reject(error instanceof Error ? error : new Error('A thread that hashes has ended'));
      const finish = (answer: Answer): void => {
        // Its other listeners are its own: it would hear no message any more without them.
        thread.off('error', fail).off('exit', fail);
        leaveIdle(thread);
        if ('key' in answer) resolve(Buffer.from(answer.key));
        else reject(new Error(`A password could not be hashed: ${answer.problem}`));
      };
      thread.once('message', finish).once('error', fail).once('exit', fail);
      thread.postMessage(work);
    });
}
