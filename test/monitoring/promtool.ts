import { join } from 'node:path';
import { runProgram } from '../../src/local/processes.ts';
import { buildWithGo, cachedTool } from '../support/cached-tool.ts';

/** Prometheus 3.10, as in docker-compose.yml. */
const VERSION = 'v0.310.0';
const BUILD_SECONDS = 1_500;
/** For the hook of a file of tests that may be the first to need it. */
export const PROMTOOL_LIMIT_MS = 2 * BUILD_SECONDS * 1_000;

/**
 * The program that checks and tests rules of Prometheus. It is built once with Go.
 *
 * @throws an Error where Go is not installed, or the build fails
 */
export async function findPromtool(): Promise<string> {
  const folder = await cachedTool(`promtool-${VERSION}`, (into) =>
    buildWithGo(into, {
      name: 'promtool',
      path: 'github.com/prometheus/prometheus/cmd/promtool',
      version: VERSION,
      // Rules need none of the ways to find targets.
      tags: 'remove_all_sd',
      seconds: BUILD_SECONDS,
    }),
  );
  return join(folder, 'promtool');
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
