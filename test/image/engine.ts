import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../src/config/config.ts';
import { type CommandResult, runProgram } from '../../src/local/processes.ts';
import { superviseChild } from '../harness/child-process.ts';
import { cachedTool, runInstallation } from '../support/cached-tool.ts';

const TOOLS_SECONDS = 900;
const COMMAND_SECONDS = 120;

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A machine of its own with podman. */
export interface Engine {
  /** Where this machine sees the file system of that one. */
  readonly root: string;
  /** Runs podman to its end. */
  podman(words: readonly string[], timeoutSeconds?: number): Promise<CommandResult>;
  /** @throws an Error with the end of the output where podman fails */
  succeed(words: readonly string[], timeoutSeconds?: number): Promise<string>;
  /** Runs a container; podman passes its environment on by name, and its exit code. */
  run(words: readonly string[], environment: Environment): Container;
  stop(): Promise<void>;
}

export interface Container {
  /** All that it has written. */
  output(): string;
  readonly ended: Promise<number | NodeJS.Signals>;
}

/**
 * Starts podman of Debian 12 with runc, from a folder in the cache.
 *
 * @throws an Error with the end of the output where a step fails
 */
export async function startEngine(): Promise<Engine> {
  const version = (await readFile('.node-version', 'utf8')).trim();
  const made = await cachedTool(`podman-${version}`, (folder) =>
    runInstallation(script('make-tools.sh'), [folder], TOOLS_SECONDS),
  );
  const child = spawn(script('engine.sh'), [made], { stdio: ['ignore', 'pipe', 'inherit'] });
  const machine = superviseChild(child);
  await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    machine.ended.then((code) => Promise.reject(new Error(`engine.sh ended with ${code}`))),
  ]);
  // Its first process is the only child of `unshare`.
  const inside = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim();
  const wordsOf = (words: readonly string[]) => [
    ...['--target', inside, '--mount', '--pid', 'podman'],
    ...words,
  ];
  const base = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };

  const podman = (words: readonly string[], timeoutSeconds = COMMAND_SECONDS) =>
    runProgram('nsenter', wordsOf(words), { timeoutSeconds, environment: base });

  return {
    root: `/proc/${inside}/root`,
    podman,
    async succeed(words, timeoutSeconds) {
      const { exitCode, output } = await podman(words, timeoutSeconds);
      if (exitCode === 0) return output;
      throw new Error(`podman ${words.join(' ')} failed:\n${output.slice(-2_000)}`);
    },
    run(words, environment) {
      const given = Object.keys(environment).flatMap((name) => ['--env', name]);
      const running = spawn('nsenter', wordsOf(['run', '--rm', ...given, ...words]), {
        env: { ...environment, ...base },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [running.stdout, running.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      return { output: () => output, ended: superviseChild(running).ended };
    },
    async stop() {
      await podman(['rm', '--force', '--time', '0', '--all']);
      await machine.kill();
    },
  };
}
