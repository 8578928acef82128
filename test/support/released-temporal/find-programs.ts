import { join } from 'node:path';
import { runProgram } from '../../../src/local/processes.ts';
import { cachedTool } from '../cached-tool.ts';

/** The version of the images in docker-compose.yml. */
export const RELEASED_TEMPORAL = '1.32.1';
const MODULE = 'go.temporal.io/server/cmd';
const BUILD_SECONDS = 1_200;

export interface ReleasedTemporalPrograms {
  readonly server: string;
  /** Makes and updates the tables of the server. */
  readonly sqlTool: string;
}

/**
 * The Temporal server of production and its schema tool. They are built once with Go.
 *
 * @throws an Error where Go is not installed, or the build fails
 */
export async function findReleasedTemporal(): Promise<ReleasedTemporalPrograms> {
  const folder = await cachedTool(`temporal-server-v${RELEASED_TEMPORAL}`, build);
  return { server: join(folder, 'server'), sqlTool: join(folder, 'sql') };
}

async function build(folder: string): Promise<void> {
  const programs = ['server', 'tools/sql'].map((name) => `${MODULE}/${name}@v${RELEASED_TEMPORAL}`);
  // At most two packages at once, at a low priority: the build must not starve what runs beside it.
  const { exitCode, output } = await runProgram(
    'nice',
    [
      ...['-n', '19', 'env', `GOBIN=${folder}`, 'CGO_ENABLED=0'],
      ...['go', 'install', '-p', '2', '-ldflags', '-s -w', ...programs],
    ],
    { timeoutSeconds: BUILD_SECONDS },
  );
  if (exitCode === 127)
    throw new Error('Go is needed to build the Temporal server, and is not installed');
  if (exitCode !== 0) throw new Error(`go install failed:\n${output.slice(-2_000)}`);
}
