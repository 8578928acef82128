import type { ScryptOptions } from 'node:crypto';
import { Worker } from 'node:worker_threads';

export interface ScryptWork {
  readonly text: string;
  readonly salt: Buffer;
  readonly length: number;
  readonly options: ScryptOptions;
}

type Answer = { readonly key: Uint8Array } | { readonly problem: string };

/** An idle thread ends after this time, and never keeps the process alive. */
const IDLE_MS = 10_000;

/**
 * Computes scrypt in separate threads. In libuv's four threads, which also read files and resolve
 * names, each hash would occupy one for half a second. There is one thread per concurrent
 * computation; the caller limits these. `nicerBy` lowers their scheduling priority (Linux; 3 is
 * half the weight).
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
        reject(error instanceof Error ? error : new Error('A hashing thread has ended'));
      const finish = (answer: Answer): void => {
        // Removes only our listeners; the thread needs its own to receive messages.
        thread.off('error', fail).off('exit', fail);
        leaveIdle(thread);
        if ('key' in answer) resolve(Buffer.from(answer.key));
        else reject(new Error(`A password could not be hashed: ${answer.problem}`));
      };
      thread.once('message', finish).once('error', fail).once('exit', fail);
      thread.postMessage(work);
    });
}
