import { type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface CommandOptions {
  readonly timeoutSeconds: number;
  /** Replaces the environment; by default the process's own is inherited. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The working directory; by default the process's own. */
  readonly directory?: string;
  readonly userId?: number;
  readonly groupId?: number;
  /**
   * Runs the command in a separate session: Ctrl-C reaches only us, and a running start or stop
   * ends in order. Otherwise the command ends with this process.
   */
  readonly detached?: boolean;
}

export interface CommandResult {
  /** 0 is success; null when a signal ended the command. */
  readonly exitCode: number | null;
  /** The output of both streams, in the order of arrival. */
  readonly output: string;
}

/**
 * Runs a program to its end.
 *
 * @throws the system's error when the program cannot be started, and an Error after the timeout
 */
export function runCommand(
  file: string,
  commandArguments: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const spawnOptions: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.detached ?? false,
    ...(options.environment === undefined ? {} : { env: { ...options.environment } }),
    ...(options.directory === undefined ? {} : { cwd: options.directory }),
    ...(options.userId === undefined ? {} : { uid: options.userId }),
    ...(options.groupId === undefined ? {} : { gid: options.groupId }),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(file, commandArguments, spawnOptions);
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => lines.push(line));
    }
    const kill = () => child.kill('SIGKILL');
    if (!spawnOptions.detached) process.once('exit', kill);
    const timer = setTimeout(() => {
      kill();
      reject(new Error(`${file} did not end within ${options.timeoutSeconds} s`));
    }, options.timeoutSeconds * 1000);
    const settle = () => {
      clearTimeout(timer);
      process.off('exit', kill);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (exitCode) => {
      settle();
      resolve({ exitCode, output: lines.join('\n') });
    });
  });
}
