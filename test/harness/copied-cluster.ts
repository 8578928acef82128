import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openCluster, withSession } from '../../src/local/postgres.ts';

const run = promisify(execFile);
const NOT_COPIED = ['postmaster.pid', 'pg_wal'];

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
  const label = await withSession(url, async (session) => {
    await session.query(`select pg_backup_start('test', fast => true)`);
    // Files of the log come and go meanwhile, which `cp` takes for an error; the copy has none of them.
    const names = (await readdir(from)).filter((name) => !NOT_COPIED.includes(name));
    await mkdir(to, { mode: 0o700 });
    await run('cp', ['-a', ...names.map((name) => join(from, name)), to]);
    const { rows } = await session.query('select labelfile from pg_backup_stop()');
    return rows[0].labelfile;
  });
  await cp(`${from}.password`, `${to}.password`);
  const { account } = await openCluster(from);
  await mkdir(join(to, 'pg_wal'), { mode: 0o700 });
  await writeFile(join(to, 'backup_label'), label);
  await writeFile(join(to, signal), '');
  for (const path of [to, ...['pg_wal', 'backup_label', signal].map((name) => join(to, name))])
    await account.own(path);
  return to;
}
