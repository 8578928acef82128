import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCanary, secretsInDatabase } from '../end-to-end/processes/canary.js';
import { expireAll, makeVoucher, topUp } from './movements.js';
import { type AdminScene, type Catalogue, commandsOn, makeCatalogue, openScene } from './scene.js';

const OWNER = '+251911333444';
/** Of all top-ups of `topUp`. */
const TOPPED_UP = '+251911222333';
const OLD_KEY = `k1:${Buffer.alloc(32, 8).toString('base64')}`;

let scene: AdminScene;
let catalogue: Catalogue;
const canary = createCanary();
canary.add('owner number', OWNER);
canary.add('topped-up number', TOPPED_UP);

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  for (const wallet of ['airtime', 'gift'])
    await scene.json(`deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount 1000`);
  // As an upgrade from a release that stored numbers in clear leaves it.
  await sql`update number_storage set sealed_since = null`.execute(scene.database);
  await makeVoucher(scene.database, catalogue, { ownerMsisdn: OWNER, validityDays: 0 });
  await topUp(scene.database, catalogue.partnerId, '10', { ending: 'SUCCESS' });
});
afterAll(() => scene?.close());

const foundBy = async (msisdn: string) => [
  (await scene.json(`list vouchers --msisdn ${msisdn}`)).length,
  (await scene.json(`list top-ups --msisdn ${msisdn}`)).length,
];
const keysInUse = async (on: Pick<AdminScene, 'json'> = scene) => [
  ...new Set(
    (await on.json('list number-storage')).map(({ stored }: { stored: string }) => stored),
  ),
];

test('seal numbers leaves none in clear, and they are found as before', async () => {
  expect(await secretsInDatabase(scene.database, canary)).toEqual([
    'topup_attempts.msisdn: topped-up number',
    'topups.msisdn: topped-up number',
    'vouchers.owner_msisdn: owner number',
  ]);
  expect([await foundBy(OWNER), await foundBy(TOPPED_UP)]).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(await keysInUse()).toEqual(['in clear']);

  expect(await scene.json('seal numbers')).toEqual({ changed: true, sealed: 3 });
  expect(await secretsInDatabase(scene.database, canary)).toEqual([]);
  expect([await foundBy(OWNER), await foundBy(TOPPED_UP)]).toEqual([
    [1, 0],
    [0, 1],
  ]);
  const [voucher] = await scene.json(`list vouchers --msisdn ${OWNER}`);
  expect(voucher.ownerMsisdn).toBe('+2519*****444');
  expect((await scene.json('seal numbers')).changed).toBe(false);
});

test('a rotation of DATA_KEYS renews them, and then the old key is in no row', async () => {
  const newKey = `k2:${Buffer.alloc(32, 9).toString('base64')}`;
  const rotated = commandsOn({ ...scene.environment, DATA_KEYS: `${newKey},${OLD_KEY}` });
  expect(await keysInUse(rotated)).toEqual(['k1']);
  expect(await rotated.json('seal numbers')).toEqual({ changed: true, sealed: 3 });
  expect(await keysInUse(rotated)).toEqual(['k2']);
  const without = commandsOn({ ...scene.environment, DATA_KEYS: newKey });
  expect(await without.json(`list vouchers --msisdn ${OWNER}`)).toHaveLength(1);
});

test('erase number is refused while the number has value', async () => {
  const refused = await scene.admin(['erase', 'number', OWNER, '--note', 'Asked by letter']);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(
    /\+2519\*{5}444 cannot be erased: voucher \d+ needs it\. First cancel/,
  );
  const open = await topUp(scene.database, catalogue.partnerId, '20');
  const running = await scene.admin(['erase', 'number', TOPPED_UP, '--note', 'Asked by letter']);
  expect(running.err).toContain(`top-up ${open} needs it. First wait`);
});

test('erase number leaves neither the number nor its hash, and all amounts', async () => {
  await expireAll(scene.database);
  await scene.json('seal numbers');
  const hashes = (await hashesOf()).filter((hash) => hash !== 'erased');
  expect(hashes).toHaveLength(1);
  canary.add('hash', ...hashes);
  const erased = await scene.json(['erase', 'number', OWNER, '--note', 'Asked by letter']);
  expect(erased).toMatchObject({ changed: true, erased: { vouchers: 1, topups: 0 } });
  expect(await secretsInDatabase(scene.database, canary)).toEqual([]);
  expect(await foundBy(OWNER)).toEqual([0, 0]);
  const [voucher] = await scene.json('list vouchers');
  expect(voucher).toMatchObject({ ownerMsisdn: 'erased', amount: '500.000000' });
  expect((await scene.auditRows()).at(-1)).toMatchObject({
    action: 'erase number',
    details: { note: 'Asked by letter' },
  });
  const again = await scene.json(['erase', 'number', OWNER, '--note', 'Once more']);
  expect(again.changed).toBe(false);
});

const hashesOf = async () => {
  const { rows } = await sql<{ hash: string }>`
    select split_part(owner_msisdn, '.', 1) as hash from vouchers`.execute(scene.database);
  return rows.map(({ hash }) => hash);
};
