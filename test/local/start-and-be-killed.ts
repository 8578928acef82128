/**
 * Starts one embedded server in the folder and on the port of its arguments, prints what a test
 * needs to know of it, and is killed without a chance to stop it.
 */
import { readStartConfig } from '../../src/config/config.ts';
import { startPostgres } from '../../src/local/postgres.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { startTemporalServer } from '../../src/local/temporal-server.ts';
import { silentProgress as progress } from '../../src/runtime/process/progress.ts';

const [kind, directory = '', port = '0'] = process.argv.slice(2);

async function start(): Promise<unknown> {
  if (kind === 'postgres') {
    return startPostgres({ dataDirectory: directory, port: Number(port), progress });
  }
  const { TEMPORAL_CLI_PATH: cliPath, XDG_CACHE_HOME: cacheHome } = readStartConfig();
  const binary = await findTemporalBinary({ cliPath, cacheHome, progress });
  return startTemporalServer({ binary, directory, port: Number(port), progress });
}

process.stdout.write(JSON.stringify(await start()), () => process.kill(process.pid, 'SIGKILL'));
