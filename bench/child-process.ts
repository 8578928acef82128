import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReadyMessage, ServiceRole } from './service-process.js';

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
    env: { ...process.env, ...options.settings },
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').then(([exitCode, signal]) => {
    process.off('exit', kill);
    // Its callers only see connections that break.
    if (exitCode !== 0)
      process.stderr.write(`The process "${options.role}" ended with ${exitCode ?? signal}\n`);
  });
  const stop = () => stopChild(child, ended);
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

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1_000);
  await ended;
  clearTimeout(timer);
}
