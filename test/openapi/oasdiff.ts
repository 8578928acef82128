import { join } from 'node:path';
import { runProgram } from '../../src/local/processes.ts';
import { cachedTool } from '../support/cached-tool.ts';

const VERSION = 'v1.35.0';
const BUILD_SECONDS = 900;

/**
 * The program that compares OpenAPI documents (github.com/oasdiff/oasdiff). It is built once with Go.
 *
 * @throws an Error where Go is not installed, or the build fails
 */
export async function findOasdiff(): Promise<string> {
  return join(await cachedTool(`oasdiff-${VERSION}`, build), 'oasdiff');
}

async function build(folder: string): Promise<void> {
  const install = ['go', 'install', `github.com/oasdiff/oasdiff@${VERSION}`];
  // The build must not starve the tests beside it.
  const { exitCode, output } = await runProgram(
    'nice',
    ['-n', '19', 'env', `GOBIN=${folder}`, 'CGO_ENABLED=0', ...install],
    { timeoutSeconds: BUILD_SECONDS },
  );
  if (exitCode === 127) throw new Error('Go is needed to build oasdiff, and is not installed');
  if (exitCode !== 0) throw new Error(`go install failed:\n${output.slice(-2_000)}`);
}
