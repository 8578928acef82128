import { access, mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/local/processes.ts';

/**
 * The folder of a tool in the user's cache folder. `install` fills it once; one that was cut short
 * begins again.
 *
 * @throws the error of `install`
 */
export async function cachedTool(
  name: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const cacheHome = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cacheHome, 'voucher-topup-service', name);
  const mark = join(folder, 'installed');
  const isThere = await access(mark).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await rm(folder, { recursive: true, force: true });
  await install(folder);
  // An installation that was cut short has no mark.
  await mkdir(mark, { recursive: true });
  return folder;
}

/**
 * Runs a step of an installation.
 *
 * @throws an Error with the end of its output where it fails
 */
export async function runInstallation(
  command: string,
  args: readonly string[],
  timeoutSeconds: number,
): Promise<void> {
  const { exitCode, output } = await runProgram(command, args, { timeoutSeconds });
  if (exitCode !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${output.slice(-2_000)}`);
}
