import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { superviseChild } from '../test/harness/child-process.ts';
import { environmentOf } from '../test/harness/environment-of.ts';
import type { ReadyMessage, ServiceRole } from './service-process.ts';

export interface RunningChild extends ReadyMessage {
  stop(): Promise<void>;
}

const file = fileURLToPath(new URL('./service-process.ts', import.meta.url));
const START_SECONDS = 60;
const STOP_SECONDS = 30;

/**
 * Starts a process of the service and waits until it takes work. What it prints, warnings and
 * errors, goes to our standard error.
 *
 * @throws when it ends or takes too long
 */
export async function startChild(options: {
  readonly role: ServiceRole;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<RunningChild> {
  const child = fork(file, [options.role], {
    env: { ...process.env, ...environmentOf(options.settings) },
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const supervised = superviseChild(child);
  void supervised.ended.then((end) => {
    // Its callers only see connections that break.
    if (end !== 0) process.stderr.write(`The process "${options.role}" ended with ${end}\n`);
  });
  const stop = async () => {
    await supervised.stop(STOP_SECONDS);
  };
  try {
    return { ...(await untilReady(child, options.role)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function untilReady(child: ChildProcess, role: ServiceRole): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The process "${role}" did not start within ${START_SECONDS} s`)),
      START_SECONDS * 1_000,
    );
    child.once('message', (message) => {
      clearTimeout(timer);
      resolve(message as ReadyMessage);
    });
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`The process "${role}" did not start`));
    });
  });
}
