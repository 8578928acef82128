import { expect } from 'vitest';
import { withSession } from '../../../src/local/postgres.ts';
import { until } from '../../support/until.ts';

/** The settings of a cluster that archives its log in a folder. */
export const archiving = (archive: string) => ({
  fsync: 'off',
  wal_level: 'replica',
  archive_mode: 'on',
  archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
});

/** The first row of a statement, on a connection of its own. */
export async function ask(url: string, statement: string) {
  return withSession(url, async (client) => {
    return (await client.query(statement)).rows[0];
  });
}

/** Waits until the archive has everything that was written by now. */
export async function archiveAll(url: string): Promise<void> {
  const { file } = await ask(url, 'select pg_walfile_name(pg_switch_wal()) as file');
  await until(async () => {
    const { newest } = await ask(url, 'select last_archived_wal as newest from pg_stat_archiver');
    expect(newest >= file).toBe(true);
  });
}
