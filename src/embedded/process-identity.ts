import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runCommand } from './command.ts';

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
  const { exitCode, output } = await runCommand('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], {
    timeoutSeconds: 10,
  });
  return exitCode === 0 && output.trim() !== '' ? output.trim() : undefined;
}

/** The parent of a process; undefined where it cannot be determined. */
async function parentOf(pid: number): Promise<number | undefined> {
  const options = ['-o', 'ppid=', '-p', `${pid}`];
  const { exitCode, output } = await runCommand('ps', options, { timeoutSeconds: 10 }).catch(
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
 * Whether a process has not ended yet. One that ends loses its command line first, and closes its ports with its
 * last thread: only then it is a whole zombie, or gone.
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
