import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateToLatest } from '../../../src/db/migrate.ts';
import { withSession } from '../../../src/local/postgres.ts';
import { makeProcessLogins } from '../../../src/local/start/backing-services.ts';
import { call } from '../../support/clients.ts';
import { makeMerchant } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { createCanary } from './canary.ts';
import { sellGifts, untilAnswered } from './process-gifts.ts';
import { type ProcessScene, setProcessScene } from './process-scene.ts';

/** API and worker in one process (`src/service.ts`), each with its own login. */
let scene: ProcessScene;
beforeAll(async () => {
  scene = await setProcessScene();
  await migrateToLatest(scene.settings.DATABASE_URL ?? '');
  scene.start('sandbox');
  await until(() => call(`${scene.sandboxUrl}/books`));
});
afterAll(() => scene?.stop());

/** The logins of all connections to the database of the service. */
async function logins(): Promise<string[]> {
  const { rows } = await withSession(scene.settings.DATABASE_URL ?? '', (client) =>
    client.query<{ name: string }>(`
      select distinct usename as name from pg_stat_activity
      where datname = current_database() and usename <> current_user`),
  );
  return rows.map(({ name }) => name).sort();
}

const nameOf = (url: string): string => new URL(url).username;

/** Starts the service with these addresses, and sells and redeems a voucher. */
async function redeemThrough(addresses: Awaited<ReturnType<typeof makeProcessLogins>>) {
  const service = scene.start('service', { ...addresses });
  const { port } = await service.logged('Service is running');
  const stack = scene.stackAt(port);
  const gifts = await sellGifts(scene, createCanary(), () => stack);
  const redeem = await gifts.claim(await makeMerchant(stack));
  expect((await untilAnswered(redeem)).body).toMatchObject({ success: true, statusCode: 200 });
  return service;
}

test('each part of one process has the login of WORKER_DATABASE_URL or DATABASE_URL, and no other', async () => {
  const addresses = {
    DATABASE_URL: await scene.databaseUrlFor('api'),
    WORKER_DATABASE_URL: await scene.databaseUrlFor('worker'),
  };
  const service = await redeemThrough(addresses);
  expect(await logins()).toEqual(Object.values(addresses).map(nameOf).sort());
  await service.stop();
});

test('the worker does nothing with the login of the API', async () => {
  const DATABASE_URL = await scene.databaseUrlFor('api');
  const service = scene.start('service', { DATABASE_URL });
  await until(() => expect(service.output()).toContain('42501'));
  await service.stop();
});

test('npm start makes a login for each part, with a new password at each start', async () => {
  const url = scene.settings.DATABASE_URL ?? '';
  const first = await makeProcessLogins(url);
  const addresses = await makeProcessLogins(url);
  const refused = new pg.Client({ connectionString: first.DATABASE_URL });
  await expect(refused.connect()).rejects.toMatchObject({ code: '28P01' });
  const service = await redeemThrough(addresses);
  expect(await logins()).toEqual(['start_api', 'start_worker']);
  await service.stop();
});
