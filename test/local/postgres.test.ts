import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPostgres, stopPostgres, withSession } from '../../src/local/postgres.ts';
import { commandLine, freePort } from '../../src/local/processes.ts';
import { silentProgress as progress } from '../../src/runtime/process/progress.ts';
import { killedStart } from './killed-start.ts';

let parent: string;
let dataDirectory: string;
const settings = { fsync: 'off' };

beforeEach(async () => {
  // Of mode 700: when root runs the tests, PostgreSQL's own user may not enter it by itself.
  parent = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
  dataDirectory = join(parent, 'postgres');
});

afterEach(async () => {
  await stopPostgres(dataDirectory);
  await rm(parent, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  return withSession(url, async (client) => {
    return (await client.query(sql)).rows;
  });
}

test('start, stop and start again keep the data and leave no process', async () => {
  const first = await startPostgres({ dataDirectory, port: 0, settings, progress });
  const { pid } = first;
  await query(first.url, 'create table kept (name text)');
  expect(
    await query(
      first.url,
      `select current_setting('listen_addresses') as addresses,
              current_setting('unix_socket_directories') as sockets,
              current_setting('timezone') as timezone,
              current_setting('server_encoding') as encoding,
              lower('ÄÉ') as lower`,
    ),
  ).toEqual([
    { addresses: '127.0.0.1', sockets: '', timezone: 'UTC', encoding: 'UTF8', lower: 'äé' },
  ]);
  await first.stop();
  expect(await commandLine(pid)).toBeUndefined();

  const second = await startPostgres({ dataDirectory, port: 0, settings, progress });
  expect(second.adopted).toBe(false);
  expect(await query(second.url, 'select * from kept')).toEqual([]);
});

test('only who knows the password gets in, and the file with it is closed', async () => {
  const { url } = await startPostgres({ dataDirectory, port: 0, settings, progress });
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  expect((await stat(`${dataDirectory}.password`)).mode & 0o777).toBe(0o600);
});

test('a server left by a killed start is adopted, on another port stopped', async () => {
  const port = await freePort();
  const orphan = await killedStart('postgres', dataDirectory, port);
  const pid = orphan.pid ?? 0;
  expect(await commandLine(pid)).toContain(dataDirectory);

  const adopting = await startPostgres({ dataDirectory, port, settings, progress });
  expect(adopting).toMatchObject({ adopted: true, url: orphan.url, pid });

  const elsewhere = await freePort();
  const moved = await startPostgres({ dataDirectory, port: elsewhere, settings, progress });
  expect(moved.adopted).toBe(false);
  expect(await commandLine(pid)).toBeUndefined();
  await moved.stop();
});
