import { access, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readStartConfig } from '../../src/config/config.ts';
import { commandLine, freePort } from '../../src/local/processes.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { startTemporalServer, stopOrphanedTemporal } from '../../src/local/temporal-server.ts';
import { silentProgress as progress } from '../../src/runtime/process/progress.ts';
import { killedStart } from './killed-start.ts';

let binary: string;
let directory: string;

beforeAll(async () => {
  const { TEMPORAL_CLI_PATH: cliPath, XDG_CACHE_HOME: cacheHome } = readStartConfig();
  binary = await findTemporalBinary({ cliPath, cacheHome, progress });
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-temporal-'));
});

afterEach(async () => {
  await stopOrphanedTemporal(directory);
  await rm(directory, { recursive: true, force: true });
});

async function withClient<Result>(
  address: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

test('it serves its namespaces and its UI, and stop leaves no process', async () => {
  const uiPort = await freePort();
  const server = await startTemporalServer({
    binary,
    directory,
    inMemory: true,
    port: 0,
    uiPort,
    codecEndpoint: 'http://127.0.0.1:8234',
    namespaces: ['reports'],
    progress,
  });
  await withClient(server.address, ({ connection }) =>
    connection.workflowService.describeNamespace({ namespace: 'reports' }),
  );
  const settings = await fetch(`http://127.0.0.1:${uiPort}/api/v1/settings`);
  expect(await settings.json()).toMatchObject({ Codec: { Endpoint: 'http://127.0.0.1:8234' } });
  for (const name of await readdir(directory))
    expect((await stat(join(directory, name))).mode & 0o077, name).toBe(0);

  await server.stop();
  expect(await commandLine(server.pid)).toBeUndefined();
  await expect(access(join(directory, 'temporal.pid'))).rejects.toThrow('ENOENT');
});

test('one left by a killed start is stopped, and its workflows are kept', async () => {
  const port = await freePort();
  const orphan = await killedStart('temporal', directory, port);
  const address = `127.0.0.1:${port}`;
  await withClient(address, (client) =>
    client.workflow.start('anything', { taskQueue: 'nobody', workflowId: 'kept' }),
  );

  const server = await startTemporalServer({ binary, directory, port, progress });
  expect(server.pid).not.toBe(orphan.pid);
  expect(await commandLine(orphan.pid ?? 0)).toBeUndefined();
  await withClient(address, async (client) => {
    expect((await client.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
  });
  await server.stop();
  // It holds every workflow.
  for (const name of await readdir(directory))
    expect((await stat(join(directory, name))).mode & 0o077, name).toBe(0);
});

test('a server that cannot start is reported with the end of its log', async () => {
  const start = startTemporalServer({ binary: '/bin/false', directory, port: 0, progress });
  await expect(start).rejects.toThrow(/did not start: it ended\nThe end of .*temporal\.log/);
});
