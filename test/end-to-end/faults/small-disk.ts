import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { type RunningPostgres, startPostgres } from '../../../src/local/postgres.ts';
import { silentProgress as progress } from '../../../src/runtime/process/progress.ts';

const run = promisify(execFile);

const SIZE = '256m';

/** Whether this user may mount a file system, which only root may, outside a container. */
export function mayMount(): boolean {
  const folder = join(tmpdir(), `may-mount-${process.pid}`);
  try {
    execFileSync('mkdir', ['-p', folder]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    execFileSync('rm', ['-rf', folder]);
  }
}

export type SmallDisk = Awaited<ReturnType<typeof startOnSmallDisk>>;

/**
 * PostgreSQL, migrated, on a file system of its own that can be filled: with its log (`pg_wal`), or with its
 * data alone.
 */
export async function startOnSmallDisk(contents: 'data and log' | 'data') {
  const folder = await mkdtemp(join(tmpdir(), 'small-disk-'));
  await chmod(folder, 0o755);
  const disk = join(folder, 'disk');
  await run('mkdir', [disk]);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', disk]);
  const dataDirectory = join(disk, 'postgres');
  const options = { dataDirectory, progress, settings: { fsync: 'off' } };
  let server: RunningPostgres = await startPostgres({ ...options, port: 0 });
  const { url } = server;
  const start = async () => {
    server = await startPostgres({ ...options, port: Number(new URL(url).port) });
  };
  if (contents === 'data') {
    await server.stop();
    await run('cp', ['-a', join(dataDirectory, 'pg_wal'), join(folder, 'pg_wal')]);
    await rm(join(dataDirectory, 'pg_wal'), { recursive: true });
    await symlink(join(folder, 'pg_wal'), join(dataDirectory, 'pg_wal'));
    await start();
  }
  await migrateToLatest(url);
  const filler = join(disk, 'filler');

  return {
    url,
    start,

    /** Writes until nothing fits any more. */
    async fill(): Promise<void> {
      const file = createWriteStream(filler);
      const failed = once(file, 'error');
      const zeros = Buffer.alloc(65_536);
      const write = () => {
        while (!file.destroyed && file.write(zeros));
        if (!file.destroyed) file.once('drain', write);
      };
      write();
      const [error] = (await failed) as [NodeJS.ErrnoException];
      if (error.code !== 'ENOSPC') throw error;
      // What is left of a page of the file system.
      await run('sh', ['-c', `cat /dev/zero >> ${filler}`]).catch(() => undefined);
    },

    makeRoom: () => rm(filler, { force: true }),

    async isUp(): Promise<boolean> {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      const isUp = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => undefined);
      return isUp;
    },

    async remove(): Promise<void> {
      await rm(filler, { force: true });
      await server.stop();
      await run('umount', [disk]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
