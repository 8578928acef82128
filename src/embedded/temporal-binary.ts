import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../process/progress.ts';
import { runCommand } from './command.ts';
import { buildTemporal, downloadTemporal } from './temporal-installation.ts';

/** The newest version that `go install` accepts: later ones replace modules in their go.mod. */
const TEMPORAL_CLI_VERSION = '1.5.1';

/** The build takes minutes; the first lines explain how to avoid it. */
const BUILDING =
  'Building the Temporal CLI, once, which takes two to five minutes ' +
  '(instead: set TEMPORAL_CLI_PATH to it, or TEMPORAL_ADDRESS to a running server)';

/** The oldest server with all required features, such as update-with-start. */
const OLDEST_SERVER: readonly [number, number] = [1, 28];

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

/**
 * Finds the Temporal CLI, which contains the development server: TEMPORAL_CLI_PATH, `temporal` on
 * PATH, the user's cache folder; otherwise installs it in the cache, by the official download or
 * `go install`.
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
  const ways = [
    ['Downloading the Temporal CLI', downloadTemporal],
    [BUILDING, buildTemporal],
  ] as const;
  for (const [title, install] of ways) {
    try {
      await mkdir(directory, { recursive: true });
      await progress.step(title, (note) =>
        installInto(cacheFile, (target) => install(target, TEMPORAL_CLI_VERSION, note)),
      );
      return cacheFile;
    } catch (error) {
      failures.push(`  ${title}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    [
      'The Temporal CLI is needed and was not found. Install it (https://docs.temporal.io/cli) so',
      'that `temporal` is on PATH, or set TEMPORAL_CLI_PATH to it, or install Go 1.21 or newer and',
      'start again, or set TEMPORAL_ADDRESS to a running Temporal server. What was tried:',
      ...failures,
    ].join('\n'),
  );
}
