import { access, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
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

/** A program of a Go module. */
interface GoProgram {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly tags?: string;
  readonly seconds: number;
}

/**
 * Builds a program with Go in a module of its own: `go install` refuses modules that replace others.
 *
 * @throws an Error where Go is not installed, or the build fails
 */
export async function buildWithGo(folder: string, program: GoProgram): Promise<void> {
  const { name, path, version, tags, seconds } = program;
  // Files of tests run side by side, and each may be the first.
  const source = await mkdtemp(join(tmpdir(), `voucher-topup-service-${name}-`));
  await writeFile(join(source, 'go.mod'), `module ${name}\n\ngo 1.24\n`);
  // The build must not starve the tests that run at the same time.
  const go = (...args: string[]) =>
    runInstallation(
      'nice',
      ['-n', '19', 'env', 'CGO_ENABLED=0', 'go', '-C', source, ...args],
      seconds,
    );
  await go('get', `${path}@${version}`);
  await go('build', ...(tags ? ['-tags', tags] : []), '-o', name, path);
  await mkdir(folder, { recursive: true });
  const copy = join(folder, `${name}-${process.pid}`);
  await copyFile(join(source, name), copy);
  await rename(copy, join(folder, name));
  await rm(source, { recursive: true });
}
