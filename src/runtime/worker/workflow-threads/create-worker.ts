import workerThreads, { Worker as Thread, type WorkerOptions } from 'node:worker_threads';
import * as sdk from '@temporalio/worker';

const THREAD_OF_WORKFLOWS = /[\\/]workflow-worker-thread\.js$/;
const CHECK_MS = 1_000;
const CHECKS = 10;

/** A thread that runs workflows loads thread.cjs first; all others are as ever. */
class WatchedThread extends Thread {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    const turns = THREAD_OF_WORKFLOWS.test(String(file)) ? new SharedArrayBuffer(4) : undefined;
    if (turns === undefined) super(file, options);
    else {
      super(new URL('thread.cjs', import.meta.url), { ...options, workerData: { file, turns } });
      watch(this, new Int32Array(turns));
    }
  }
}

/** Ends a thread that is in one and the same turn at many checks, as an error in it would. */
function watch(thread: Thread, turns: Int32Array): void {
  let seen = 0;
  let times = 0;
  const timer = setInterval(() => {
    const turn = Atomics.load(turns, 0);
    times = turn % 2 !== 0 && turn === seen ? times + 1 : 0;
    seen = turn;
    if (times < CHECKS) return;
    clearInterval(timer);
    thread.emit('error', new Error(`A workflow ran for ${CHECKS} s without a pause`));
    void thread.terminate();
  }, CHECK_MS).unref();
  thread.once('exit', () => clearInterval(timer));
}

/**
 * Creates a worker of the SDK without a watchdog thread for each call into a workflow, which took a
 * third of the CPU of API and worker (decision 10). One watch for all calls ends the worker where a
 * workflow never pauses.
 */
export function createWorker(options: sdk.WorkerOptions): Promise<sdk.Worker> {
  // The SDK has no option for what its threads load.
  Object.assign(workerThreads, { Worker: WatchedThread });
  return sdk.Worker.create(options);
}
