import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../src/config/config.js';

/** One of the service's processes, as production runs it. */
export interface ServiceProcess {
  /** All that it has written so far, on both streams. */
  output(): string;
  /** The log line with this message; rejects when the process ends without it. */
  logged(message: string): Promise<Record<string, unknown>>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<number | NodeJS.Signals>;
  /** Gives it no chance to stop. */
  kill(): Promise<unknown>;
}

const running = new Set<ChildProcess>();

/** Ends every process that a test has left running. */
export function killAllProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

// Vitest may end without running what is to run after the tests.
process.once('exit', killAllProcesses);

/** Starts a script of this repository with nothing but these settings in its environment. */
export function startProcess(
  name: string,
  settings: Environment,
  words: readonly string[] = [],
): ServiceProcess {
  const script = fileURLToPath(new URL(`../../../${name}`, import.meta.url));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], {
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  let wroteMore = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      wroteMore();
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return code ?? signal;
  });
  return {
    output: () => output,
    ended,
    logged: (message) =>
      new Promise((resolve, reject) => {
        wroteMore = () => {
          const line = logLines(output).find(({ msg }) => msg === message);
          if (line) resolve(line);
        };
        wroteMore();
        const failed = () => reject(new Error(`${name} ended without "${message}":\n${output}`));
        ended.then(failed, failed);
      }),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** The lines that are JSON; the last one may still be incomplete. */
function logLines(output: string): Record<string, unknown>[] {
  return output.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
