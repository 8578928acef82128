import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { openCluster } from '../../../src/local/postgres.ts';
import { until } from '../../support/until.ts';

const run = promisify(execFile);
const NOT_COPIED = ['postmaster.pid', 'pg_wal'];

/** The settings of a cluster that archives its log in a folder. */
export const archiving = (archive: string) => ({
  fsync: 'off',
  wal_level: 'replica',
  archive_mode: 'on',
  archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
});

/**
 * Copies the folder of a running cluster, as the guide makes it without pg_basebackup; returns the copy. Its
 * signal file says whether it is restored (`recovery.signal`) or follows the first one (`standby.signal`).
 */
export async function copyCluster(
  url: string,
  {
    from,
    to,
    signal,
  }: {
    readonly from: string;
    readonly to: string;
    readonly signal: 'recovery.signal' | 'standby.signal';
  },
): Promise<string> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await session.query(`select pg_backup_start('test', fast => true)`);
  // Files of the log come and go meanwhile, which `cp` takes for an error; the copy has none of them.
  const names = (await readdir(from)).filter((name) => !NOT_COPIED.includes(name));
  await mkdir(to, { mode: 0o700 });
  await run('cp', ['-a', ...names.map((name) => join(from, name)), to]);
  const { rows } = await session.query('select labelfile from pg_backup_stop()');
  await session.end();
  await cp(`${from}.password`, `${to}.password`);
  const { account } = await openCluster(from);
  await mkdir(join(to, 'pg_wal'), { mode: 0o700 });
  await writeFile(join(to, 'backup_label'), rows[0].labelfile);
  await writeFile(join(to, signal), '');
  for (const path of [to, ...['pg_wal', 'backup_label', signal].map((name) => join(to, name))])
    await account.own(path);
  return to;
}

/** The first row of a statement, on a connection of its own. */
export async function ask(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows[0];
  } finally {
    await client.end();
  }
}

/** Waits until the archive has everything that was written by now. */
export async function archiveAll(url: string): Promise<void> {
  const { file } = await ask(url, 'select pg_walfile_name(pg_switch_wal()) as file');
  await until(async () => {
    const { newest } = await ask(url, 'select last_archived_wal as newest from pg_stat_archiver');
    expect(newest >= file).toBe(true);
  });
}
