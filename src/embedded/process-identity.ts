import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runCommand } from './command.js';

const POLL_MILLISECONDS = 50;

const recordSchema = z.object({
  pid: z.number().int().positive(),
  command: z.string().min(1),
  /** The npm that runs it, where one does. */
  npmPid: z.number().int().positive().optional(),
});

/** What a pid file holds: a process's number and its whole command line. */
export type ProcessRecord = z.infer<typeof recordSchema>;

/** Reads a pid file; undefined when there is none that can be read. */
export async function readProcessRecord(file: string): Promise<ProcessRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * The command line of a running process, its words joined by single spaces; undefined when there is
 * no such process. A number in a pid file proves nothing, since systems use numbers again: whoever
 * stops or adopts a process compares this first.
 */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // A process that has ended but was not yet collected by its parent has an empty command line.
    return words === '' ? undefined : words.replace(/\0$/, '').replaceAll('\0', ' ');
  }
  const { exitCode, output } = await runCommand('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], {
    timeoutSeconds: 10,
  });
  return exitCode === 0 && output.trim() !== '' ? output.trim() : undefined;
}

/** The parent of a process, undefined where it cannot be told. */
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

/** npm, a shell between, this process: more generations there are not. */
const MAXIMUM_GENERATIONS = 3;

/** The npm that a process was started by, undefined where it was started otherwise. */
export async function npmAbove(pid: number): Promise<number | undefined> {
  let ancestor = await parentOf(pid);
  for (let generation = 1; ancestor !== undefined && ancestor > 1; generation += 1) {
    if (/\bnpm\b/.test((await commandLine(ancestor)) ?? '')) return ancestor;
    if (generation === MAXIMUM_GENERATIONS) return undefined;
    ancestor = await parentOf(ancestor);
  }
  return undefined;
}

/** Waits until a process is gone. Returns whether it is. */
async function waitForEnd(pid: number, expected: string, seconds: number): Promise<boolean> {
  const deadline = Date.now() + seconds * 1000;
  while ((await commandLine(pid)) === expected) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MILLISECONDS);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Stops a process that still has the recorded command line: SIGTERM, and SIGKILL if that does not end
 * it within `graceSeconds`; with `group` to the whole group that it leads.
 *
 * @throws when it outlives both signals
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
