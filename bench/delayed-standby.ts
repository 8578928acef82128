import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrateToLatest } from '../src/db/migrate.ts';
import { startPostgres, withSession } from '../src/local/postgres.ts';
import { createStops } from '../src/local/start/stops.ts';
import { copyCluster } from '../test/harness/copied-cluster.ts';
import type { Bench } from './benchmark.ts';

const LOOK_MS = 100;

/**
 * Runs work with a migrated database of which a standby confirms each commit once it has applied it, and it applies
 * a commit so many milliseconds after the primary made it.
 */
export async function withDelayedStandby<Result>(
  { backing: { directory }, progress, signal }: Bench,
  delayMs: number,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const stops = createStops();
  try {
    const original = join(directory, 'primary');
    const primary = await startPostgres({
      dataDirectory: original,
      port: 0,
      // The standby begins with the log from its copy on.
      settings: { synchronous_commit: 'remote_apply', wal_keep_size: '256MB' },
      progress,
    });
    stops.add(primary.stop);
    await migrateToLatest(primary.url);
    const dataDirectory = await copyCluster(primary.url, {
      from: original,
      to: join(directory, 'standby'),
      signal: 'standby.signal',
    });
    const { hostname, port, username, password } = new URL(primary.url);
    const standby = await startPostgres({
      dataDirectory,
      port: 0,
      settings: {
        primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
        recovery_min_apply_delay: `${delayMs}ms`,
      },
      progress,
    });
    stops.add(standby.stop);
    await confirmByStandby(primary.url, signal);
    return await work(primary.url);
  } finally {
    await stops.run();
  }
}

/** From now on commits wait for the standby, which follows already. */
async function confirmByStandby(primaryUrl: string, signal: AbortSignal): Promise<void> {
  await withSession(primaryUrl, async (session) => {
    await session.query(`alter system set synchronous_standby_names = '*'`);
    await session.query('select pg_reload_conf()');
    for (;;) {
      const { rows } = await session.query(
        `select from pg_stat_replication where sync_state = 'sync'`,
      );
      if (rows.length > 0) return;
      await pause(LOOK_MS, undefined, { signal });
    }
  });
}
