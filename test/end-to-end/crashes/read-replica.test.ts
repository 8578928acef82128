import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectDatabase } from '../../../src/db/connection.ts';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { readDayReport } from '../../../src/db/reports/day-report.ts';
import { lastClosedDay } from '../../../src/domain/day-report.ts';
import { type RunningPostgres, startPostgres } from '../../../src/local/postgres.ts';
import { freePort } from '../../../src/local/processes.ts';
import { silentProgress as progress } from '../../../src/runtime/process/progress.ts';
import { commandsOn } from '../../admin/scene.ts';
import { copyCluster } from '../../harness/copied-cluster.ts';
import { until } from '../../support/until.ts';
import { setRedemptionScene } from '../gift/redemption-scene.ts';
import { archiveAll, archiving, ask } from './archived-log.ts';

/** Reports and the whole check of the books on a replica (DATABASE_READ_URL), which follows by the archived log. */
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'read-replica-'));
  await chmod(directory, 0o755);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The rows of the ledger that a server has read. */
const readRows = async (url: string): Promise<number> =>
  Number(
    (
      await ask(
        url,
        `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
          where relname = 'ledger_transfers'`,
      )
    ).rows,
  );

/** A primary that archives its log. */
async function startPrimary() {
  const archive = join(directory, 'wal');
  await mkdir(archive);
  await chmod(archive, 0o777);
  const primary = await startPostgres({
    dataDirectory: join(directory, 'postgres'),
    port: 0,
    settings: { ...archiving(archive), autovacuum: 'off' },
    progress,
  });
  await migrateToLatest(primary.url);
  return primary;
}

/** A replica of a primary as it is now, which follows by the archived log. */
async function startReplica({ url }: Pick<RunningPostgres, 'url'>) {
  const dataDirectory = await copyCluster(url, {
    from: join(directory, 'postgres'),
    to: join(directory, 'replica'),
    signal: 'standby.signal',
  });
  const settings = { fsync: 'off', restore_command: `cp ${join(directory, 'wal')}/%f %p` };
  return startPostgres({ dataDirectory, port: 0, settings, progress });
}

it('a replica that has got no commit since its start does not pass for current', async () => {
  const primary = await startPrimary();
  const day = { day: lastClosedDay(new Date(), 'UTC'), zone: 'UTC' };
  const replica = await startReplica(primary);
  const startedAt = new Date();
  const { last } = await ask(replica.url, 'select pg_last_xact_replay_timestamp() as last');
  expect(last).toBeNull();
  const role = `${new URL(replica.url).pathname.slice(1)}_reports`;
  const options = encodeURIComponent(`-c role=${role}`);
  const database = connectDatabase(`${replica.url}?options=${options}`, { poolSize: 1 });
  expect((await readDayReport(database, day)).madeAt < startedAt).toBe(true);
  await database.destroy();
  await replica.stop();
  await primary.stop();
});

it('the whole check reads a replica, and finds what is wrong there', async () => {
  const primary = await startPrimary();
  const scene = await setRedemptionScene({
    DATABASE_URL: primary.url,
    PORT: String(await freePort()),
  });
  await scene.redeemed(scene.asMerchant, await scene.gift());
  const replica = await startReplica(primary);
  const operator = commandsOn({
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
  });

  /** Waits until the replica has all that the primary had. */
  const caughtUp = async () => {
    const { position } = await ask(primary.url, 'select pg_current_wal_lsn() as position');
    await archiveAll(primary.url);
    await until(async () => {
      const { has } = await ask(
        replica.url,
        `select pg_last_wal_replay_lsn() >= '${position}' as has`,
      );
      expect(has).toBe(true);
    });
  };

  await scene.redeemed(scene.asMerchant, await scene.gift());
  await caughtUp();
  const before = await readRows(replica.url);
  expect(await operator.json('money check-ledger')).toMatchObject({ ok: true });
  await until(async () => expect(await readRows(replica.url)).toBeGreaterThan(before));

  // Somebody edits an old row: only a check of everything finds it.
  const editOldRow = (change: '+ 1' | '- 1') =>
    ask(
      primary.url,
      `do $$ begin
        set local session_replication_role = replica;
        update ledger_transfers set amount = amount ${change}
          where id = (select min(id) from ledger_transfers where step = 'hold');
      end $$`,
    );
  await editOldRow('+ 1');
  await caughtUp();
  expect((await operator.admin('money check-ledger')).code).toBe(2);

  await editOldRow('- 1');
  await scene.stop();
  await replica.stop();
  await primary.stop();
});
