import { type SpawnOptions, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

interface CommandOptions {
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
export function runProgram(
  file: string,
  commandArguments: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const spawnOptions: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.detached ?? false,
    ...(options.environment !== undefined && { env: { ...options.environment } }),
    ...(options.directory !== undefined && { cwd: options.directory }),
    ...(options.userId !== undefined && { uid: options.userId }),
    ...(options.groupId !== undefined && { gid: options.groupId }),
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

/** Why a server cannot listen on a loopback port, as the system's error code; undefined where it can. */
export function whyUnusable(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(undefined));
    });
  });
}

/** Whether so many ports in a row, from the first on, can all be used. */
export async function areUsable(first: number, count: number): Promise<boolean> {
  const ports = Array.from({ length: count }, (_, place) => first + place);
  return (await Promise.all(ports.map(whyUnusable))).every((reason) => reason === undefined);
}

/** Processes that start together begin far from each other, since their numbers follow one another. */
const DISTANCE = 97;
let given = process.pid * DISTANCE;

/**
 * A free loopback port for a server that cannot choose one itself. It is below the range of
 * outgoing connections, and a process is given it once, so it is unlikely to be taken before its use.
 */
export const freePort = (): Promise<number> => freePorts(1);

/** The first of so many free ports in a row; the same holds for them. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = 20_000 + (given % 10_000);
    given += count;
    if (await areUsable(first, count)) return first;
  }
  throw new Error(`No ${count} free ports in a row were found between 20000 and 30000`);
}

const POLL_MILLISECONDS = 50;

const recordSchema = z.object({
  pid: z.number().int().positive(),
  command: z.string().min(1),
  /** The npm that runs it, if any. */
  npmPid: z.number().int().positive().optional(),
});

/** The content of a pid file: a process id and its whole command line. */
export type ProcessRecord = z.infer<typeof recordSchema>;

/** Reads a pid file; undefined where there is no readable one. */
export async function readProcessRecord(file: string): Promise<ProcessRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * The command line of a running process, its words joined by single spaces; undefined where the
 * process does not exist. A pid file alone proves nothing, since systems reuse process ids: compare
 * the command line before you stop or adopt a process.
 */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // A zombie process has an empty command line.
    return words === '' ? undefined : words.replace(/\0$/, '').replaceAll('\0', ' ');
  }
  const { exitCode, output } = await runProgram('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], {
    timeoutSeconds: 10,
  });
  return exitCode === 0 && output.trim() !== '' ? output.trim() : undefined;
}

/** The parent of a process; undefined where it cannot be determined. */
async function parentOf(pid: number): Promise<number | undefined> {
  const options = ['-o', 'ppid=', '-p', `${pid}`];
  const { exitCode, output } = await runProgram('ps', options, { timeoutSeconds: 10 }).catch(
    () => ({
      exitCode: 1,
      output: '',
    }),
  );
  return exitCode === 0 ? Number(output.trim()) || undefined : undefined;
}

/** npm, a shell, this process: there are no more generations. */
const MAXIMUM_GENERATIONS = 3;

/** The npm that started a process; undefined where it was started otherwise. */
export async function npmAbove(pid: number): Promise<number | undefined> {
  let ancestor = await parentOf(pid);
  for (let generation = 1; ancestor !== undefined && ancestor > 1; generation += 1) {
    if (/\bnpm\b/.test((await commandLine(ancestor)) ?? '')) return ancestor;
    if (generation === MAXIMUM_GENERATIONS) return undefined;
    ancestor = await parentOf(ancestor);
  }
  return undefined;
}

/** Where the state and the number of threads stand behind the name in /proc/<pid>/stat. */
const [STATE, THREADS] = [0, 17];

/**
 * Whether a process has not ended yet. A process that ends loses its command line first, and closes
 * its ports with its last thread. Only then it is a whole zombie, or gone.
 */
async function isRunning(pid: number, expected: string): Promise<boolean> {
  const command = await commandLine(pid);
  if (command !== undefined || process.platform !== 'linux') return command === expected;
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (status === '') return false;
  // The name, in parentheses, may have any character.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return fields[STATE] !== 'Z' || Number(fields[THREADS]) > 1;
}

/** Waits until a process has ended; returns whether it has. */
async function waitForEnd(pid: number, expected: string, seconds: number): Promise<boolean> {
  const deadline = Date.now() + seconds * 1000;
  while (await isRunning(pid, expected)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MILLISECONDS);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Stops a process that still has the recorded command line: SIGTERM, then SIGKILL after
 * `graceSeconds`; with `group` its whole process group.
 *
 * @throws when it survives both signals
 */
export async function stopProcess(
  { pid, command }: ProcessRecord,
  { graceSeconds, group }: { readonly graceSeconds: number; readonly group: boolean },
): Promise<void> {
  if ((await commandLine(pid)) !== command) return;
  const target = group ? -pid : pid;
  signal(target, 'SIGTERM');
  if (await waitForEnd(pid, command, graceSeconds)) return;
  signal(target, 'SIGKILL');
  if (await waitForEnd(pid, command, 5)) return;
  throw new Error(`Process ${pid} cannot be stopped: ${command}`);
}
