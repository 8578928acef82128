import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../src/config/config.ts';
import { type SupervisedChild, superviseChild } from './child-process.ts';
import { environmentOf } from './environment-of.ts';

/** One of the service's processes, as production runs it. */
export interface ServiceProcess extends SupervisedChild {
  /** All that it has written so far, on both streams. */
  output(): string;
  /** The log line with this message; rejects when the process ends without it. */
  logged(message: string): Promise<Record<string, unknown>>;
}

/** As npm's scripts start it: with what earlier processes have compiled, it loads in half of the time. */
const NODE = ['--import', fileURLToPath(new URL('../../deploy/require-node.mjs', import.meta.url))];

/** Starts a script of this repository with nothing but these settings and constants. */
export function startProcess(
  name: string,
  settings: Environment,
  words: readonly string[] = [],
): ServiceProcess {
  const script = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...NODE, script, ...words], {
    env: { PATH, HOME, ...environmentOf(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let wroteMore = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      wroteMore();
    });
  }
  const supervised = superviseChild(child);
  return {
    ...supervised,
    output: () => output,
    logged: (message) =>
      new Promise((resolve, reject) => {
        wroteMore = () => {
          const line = logLines(output).find(({ msg }) => msg === message);
          if (line) resolve(line);
        };
        wroteMore();
        const failed = () => reject(new Error(`${name} ended without "${message}":\n${output}`));
        supervised.ended.then(failed, failed);
      }),
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
