import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/local/processes.ts';
import { cachedTool, runInstallation } from '../support/cached-tool.ts';

/** Prometheus 3.10, as in docker-compose.yml. */
const VERSION = 'v0.310.0';
const BUILD_SECONDS = 1_500;
/** For the hook of a file of tests that may be the first to need it. */
export const PROMTOOL_LIMIT_MS = 2 * BUILD_SECONDS * 1_000;
const PACKAGE = 'github.com/prometheus/prometheus/cmd/promtool';

/**
 * The program that checks and tests rules of Prometheus. It is built once with Go, in a module of its
 * own: `go install` refuses modules that replace others.
 *
 * @throws an Error where Go is not installed, or the build fails
 */
export async function findPromtool(): Promise<string> {
  return join(await cachedTool(`promtool-${VERSION}`, build), 'promtool');
}

async function build(folder: string): Promise<void> {
  // Files of tests run beside each other, and each may be the first.
  const source = await mkdtemp(join(tmpdir(), 'voucher-topup-service-promtool-'));
  await writeFile(join(source, 'go.mod'), 'module promtool\n\ngo 1.24\n');
  // The build must not starve the tests beside it.
  const go = (...args: string[]) =>
    runInstallation(
      'nice',
      ['-n', '19', 'env', 'CGO_ENABLED=0', 'go', '-C', source, ...args],
      BUILD_SECONDS,
    );
  await go('get', `${PACKAGE}@${VERSION}`);
  // Rules need none of the ways to find targets.
  await go('build', '-tags', 'remove_all_sd', '-o', 'promtool', PACKAGE);
  await mkdir(folder, { recursive: true });
  const copy = join(folder, `promtool-${process.pid}`);
  await copyFile(join(source, 'promtool'), copy);
  await rename(copy, join(folder, 'promtool'));
  await rm(source, { recursive: true });
}

/** Runs promtool; its output, and whether it found nothing wrong. */
export async function runPromtool(
  ...args: readonly string[]
): Promise<{ readonly isGood: boolean; readonly output: string }> {
  const { exitCode, output } = await runProgram(await findPromtool(), args, {
    timeoutSeconds: 120,
  });
  return { isGood: exitCode === 0, output };
}
