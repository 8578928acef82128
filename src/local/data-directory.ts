import { chmod, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  commandLine,
  npmAbove,
  type ProcessRecord,
  readProcessRecord,
  stopProcess,
} from './processes.ts';

/** Another running start uses the data folder. */
export class DataDirectoryInUseError extends Error {
  override readonly name = 'DataDirectoryInUseError';
}

/** The running process that claims the folder, or undefined. */
async function liveOwner(file: string): Promise<ProcessRecord | undefined> {
  const owner = await readProcessRecord(file);
  // Containers reuse one process id at each start; then it is our own.
  if (owner === undefined || owner.pid === process.pid) return undefined;
  return (await commandLine(owner.pid)) === owner.command ? owner : undefined;
}

/**
 * `kill -9` of npm leaves its processes without a parent that could stop them; the next start does.
 */
async function isOrphan({ npmPid }: ProcessRecord): Promise<boolean> {
  return npmPid !== undefined && !/\bnpm\b/.test((await commandLine(npmPid)) ?? '');
}

/**
 * Removes all rights of other accounts from the folder and its files, which contain encryption keys
 * and all workflows. Root's folder stays enterable, but not readable, for the account of PostgreSQL.
 */
async function closeToOthers(directory: string): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  await takeRights(directory, isRoot ? 0o711 : 0o700);
  for (const name of await readdir(directory)) await takeRights(join(directory, name), 0o700);
}

async function takeRights(path: string, kept: number): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // The rights of a link are meaningless, and its target may belong to somebody else.
  if (found === undefined || found.isSymbolicLink()) return;
  const mode = found.mode & 0o777;
  if ((mode & kept) !== mode) await chmod(path, mode & kept);
}

const ORPHAN_GRACE_SECONDS = 40;

/**
 * Creates the folder if needed and claims it for this process, so that a second start does not stop
 * the first one's servers as orphans. The claim of a killed process is void.
 *
 * @returns a function that releases the claim @throws {DataDirectoryInUseError}
 */
export async function claimDataDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true });
  await closeToOthers(directory);
  const file = join(directory, 'start.pid');
  const command = (await commandLine(process.pid)) ?? process.argv.join(' ');
  const claim = { pid: process.pid, command, npmPid: await npmAbove(process.pid) };
  for (;;) {
    try {
      await writeFile(file, JSON.stringify(claim), { flag: 'wx', mode: 0o600 });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = await liveOwner(file);
    if (owner && (await isOrphan(owner))) {
      await stopProcess(owner, { graceSeconds: ORPHAN_GRACE_SECONDS, group: false });
    } else if (owner) {
      throw new DataDirectoryInUseError(`Process ${owner.pid} already uses ${directory}`);
    }
    await rm(file, { force: true });
  }
}
