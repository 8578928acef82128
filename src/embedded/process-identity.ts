import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runCommand } from './command.js';

const POLL_MILLISECONDS = 50;

const recordSchema = z.object({ pid: z.number().int().positive(), command: z.string().min(1) });

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

/** Waits until a process is gone. Returns whether it is. */
async function waitForEnd(pid: number, expected: string, seconds: number): Promise<boolean> {
  const deadline = Date.now() + seconds * 1000;
  while ((await commandLine(pid)) === expected) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MILLISECONDS);
  }
  return true;
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    // It ended between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Stops a process that leads a group of its own and still has the recorded command line: SIGTERM to
 * the group, and SIGKILL if that does not end it within `graceSeconds`.
 *
 * @throws when it outlives both signals
 */
export async function stopProcess(
  { pid, command }: ProcessRecord,
  graceSeconds: number,
): Promise<void> {
  if ((await commandLine(pid)) !== command) return;
  signalGroup(pid, 'SIGTERM');
  if (await waitForEnd(pid, command, graceSeconds)) return;
  signalGroup(pid, 'SIGKILL');
  if (await waitForEnd(pid, command, 5)) return;
  throw new Error(`Process ${pid} cannot be stopped: ${command}`);
}
