import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../src/local/postgres.ts';
import { commandLine } from '../../src/local/processes.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { startTemporalServer } from '../../src/local/temporal-server.ts';
import { silentProgress } from '../../src/runtime/process/progress.ts';
import type { ThrowawayServices } from '../../test/harness/throwaway-services.ts';

/** Like a loss of power: PostgreSQL ends at once and has to recover from its log. */
export async function crashPostgres({ directory }: ThrowawayServices): Promise<void> {
  const file = await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8');
  // SIGQUIT is what `pg_ctl stop -m immediate` sends.
  await endProcess(Number(file.split('\n')[0]), 'SIGQUIT');
}

export async function startPostgresAgain(services: ThrowawayServices): Promise<void> {
  await startPostgres({
    dataDirectory: join(services.directory, 'postgres'),
    port: Number(new URL(services.settings.DATABASE_URL ?? '').port),
    progress: silentProgress,
  });
}

export async function killTemporal(services: ThrowawayServices): Promise<void> {
  const { directory, releasedTemporal } = services;
  if (releasedTemporal) return releasedTemporal.kill();
  const { pid } = JSON.parse(await readFile(join(directory, 'temporal.pid'), 'utf8'));
  await endProcess(pid, 'SIGKILL');
}

/** Takes everything from a server that was killed: its workflows, Schedules and search attributes. */
export async function emptyTemporal(services: ThrowawayServices): Promise<void> {
  const { directory, releasedTemporal } = services;
  if (releasedTemporal) return releasedTemporal.empty();
  for (const suffix of ['', '-wal', '-shm'])
    await rm(join(directory, `temporal.db${suffix}`), { force: true });
}

/** Starts the Temporal server on what the killed one has left, or on nothing. */
export async function startTemporalAgain({
  directory,
  settings,
  startConfig,
  releasedTemporal,
}: ThrowawayServices): Promise<void> {
  if (releasedTemporal) return releasedTemporal.startAgain();
  const binary = await findTemporalBinary({
    cliPath: startConfig.TEMPORAL_CLI_PATH,
    cacheHome: startConfig.XDG_CACHE_HOME,
    progress: silentProgress,
  });
  await startTemporalServer({
    binary,
    directory,
    port: Number((settings.TEMPORAL_ADDRESS ?? '').split(':').at(-1)),
    progress: silentProgress,
  });
}

async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  while ((await commandLine(pid)) !== undefined) await sleep(20);
}
