import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../chaos/index.ts', import.meta.url));

/** A run of `npm run chaos` as people have it: with servers of its own, which it stops by itself. */
export interface ChaosProcess {
  readonly output: () => string;
  readonly stdout: Readable;
  /** The exit code, when it has stopped everything. */
  readonly ended: Promise<number | null>;
  interrupt(signal: 'SIGINT' | 'SIGTERM'): void;
}

export function startChaosProcess(
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChaosProcess {
  const child = spawn(process.execPath, [script, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const interrupt = (signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM') => child.kill(signal);
  const atExit = () => interrupt();
  process.once('exit', atExit);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return {
    output: () => output,
    stdout: child.stdout,
    ended: once(child, 'exit').then(([exitCode]) => {
      process.off('exit', atExit);
      return exitCode;
    }),
    interrupt,
  };
}
