import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repairsWithNumbers } from '../../../../src/db/phone-numbers.ts';
import { prune } from '../../../db/prune.ts';
import { testNumbers } from '../../../end-to-end/privacy/stored-numbers.ts';
import { createCanary, secretsInDatabase } from '../../../end-to-end/processes/canary.ts';
import { expireAll, makeVoucher, redemptions, topup } from '../../movements.ts';
import {
  type AdminScene,
  type Catalogue,
  commandsOn,
  makeCatalogue,
  openScene,
  withoutEntry,
} from '../../scene.ts';

const OWNER = '+251911333444';
/** Of all top-ups of `topup`. */
const TOPPED_UP = '+251911222333';
/** That nobody has. */
const OTHER = '+251911555667';
const NEW_KEY = `k2:${Buffer.alloc(32, 9).toString('base64')}`;
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
    await scene.json(
      `money deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount 1000`,
    );
  await makeVoucher(scene.database, catalogue, { ownerMsisdn: OWNER, validityDays: 0 });
  await topup(scene.database, catalogue.partnerId, '10', { ending: 'SUCCESS' });
});
afterAll(() => scene?.close());

const foundBy = async (msisdn: string) => [
  (await scene.json(`voucher list --msisdn ${msisdn}`)).length,
  (await scene.json(`top-up list --msisdn ${msisdn}`)).length,
];
const keysInUse = async (on: Pick<AdminScene, 'json'> = scene) => [
  ...new Set(
    (await on.json('privacy list-number-storage')).map(({ stored }: { stored: string }) => stored),
  ),
];

test('numbers are found by their hashes, and nowhere in clear', async () => {
  expect(await secretsInDatabase(scene.database, canary)).toEqual([]);
  expect([await foundBy(OWNER), await foundBy(TOPPED_UP)]).toEqual([
    [1, 0],
    [0, 1],
  ]);
  const [voucher] = await scene.json(`voucher list --msisdn ${OWNER}`);
  expect(voucher.ownerMsisdn).toBe('+2519*****444');
  expect((await scene.json('privacy reseal-numbers')).changed).toBe(false);
});

test.each([
  ['is not given', NEW_KEY],
  ['has other bytes', `${NEW_KEY},${OLD_KEY.replace('k1:C', 'k1:D')}`],
])('a key that %s is told in one line', async (_how, DATA_KEYS) => {
  const { code, err } = await commandsOn({ ...scene.environment, DATA_KEYS }).admin(
    'privacy reseal-numbers',
  );
  expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]+ Set DATA_KEYS to .+\.\n$/)]);
});

test('a rotation of DATA_KEYS renews them, and then the old key is in no row', async () => {
  const rotated = commandsOn({ ...scene.environment, DATA_KEYS: `${NEW_KEY},${OLD_KEY}` });
  const reseal = () => rotated.admin('privacy reseal-numbers');
  expect((await withoutEntry(scene.database, reseal)).code).toBe(1);
  expect(await keysInUse(rotated)).toEqual(['k1']);
  expect(await rotated.json('privacy reseal-numbers')).toMatchObject({ changed: true, sealed: 3 });
  expect(await keysInUse(rotated)).toEqual(['k2']);
  const without = commandsOn({ ...scene.environment, DATA_KEYS: NEW_KEY });
  expect(await without.json(`voucher list --msisdn ${OWNER}`)).toHaveLength(1);
});

test('privacy erase-number is refused while the number has value', async () => {
  const refused = await scene.admin(['privacy', 'erase-number', OWNER, '--why', 'Asked by letter']);
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(
    /\+2519\*{5}444 cannot be erased: voucher \d+ needs it\. First cancel/,
  );
  const open = await topup(scene.database, catalogue.partnerId, '20');
  const running = await scene.admin([
    'privacy',
    'erase-number',
    TOPPED_UP,
    '--why',
    'Asked by letter',
  ]);
  expect(running.err).toContain(`top-up ${open} needs it. First wait`);
});

test('privacy erase-number leaves neither the number nor its hash, and all amounts', async () => {
  await expireAll(scene.database);
  await commandsOn({ ...scene.environment, DATA_KEYS: `${OLD_KEY},${NEW_KEY}` }).json(
    'privacy reseal-numbers',
  );
  const hashes = (await hashesOf()).filter((hash) => hash !== 'erased');
  expect(hashes).toHaveLength(1);
  canary.add('hash', ...hashes);
  const erased = await scene.json(['privacy', 'erase-number', OWNER, '--why', 'Asked by letter']);
  expect(erased).toMatchObject({ changed: true, erased: { vouchers: 1, topups: 0 } });
  expect(await secretsInDatabase(scene.database, canary)).toEqual([]);
  expect(await foundBy(OWNER)).toEqual([0, 0]);
  const [voucher] = await scene.json('voucher list');
  expect(voucher).toMatchObject({ ownerMsisdn: 'erased', amount: '500.000000' });
  expect((await scene.auditRows()).at(-1)).toMatchObject({
    action: 'erase number',
    details: { why: 'Asked by letter' },
  });
  const again = await scene.json(['privacy', 'erase-number', OWNER, '--why', 'Once more']);
  expect(again.changed).toBe(false);
});

test('numbers of what ended before the retention are erased, and no others', async () => {
  const { database } = scene;
  const young = await makeVoucher(database, catalogue, { ownerMsisdn: OWNER, amount: '100' });
  const old = await makeVoucher(database, catalogue, {
    ownerMsisdn: OWNER,
    amount: '100',
    validityDays: -40,
  });
  const ended = await makeVoucher(database, catalogue, {
    ownerMsisdn: OWNER,
    amount: '100',
    validityDays: 0,
  });
  await expireAll(database);
  for (const { id } of [young, old, ended])
    await sql`insert into messages (created_at, settled_at, kind, msisdn, voucher_id, status)
      select now() - interval '40 days', now(), 'EXPIRY_REMINDER', owner_msisdn, id, 'SENT'
      from vouchers where id = ${id}`.execute(database);
  await sql`update topups set created_at = now() - interval '40 days',
    updated_at = now() - interval '40 days'`.execute(database);

  const kinds = ['vouchers', 'messages', 'top-ups', 'bulk lines'] as const;
  const pruned = (numberRetentionDays: number) =>
    Promise.all(
      kinds.map((kind) => prune(database, `numbers of ${kind}`, { numberRetentionDays })),
    );
  expect(await pruned(0)).toEqual([0, 0, 0, 0]);
  // The running top-up of the test before keeps its number.
  expect(await pruned(30)).toEqual([1, 1, 1, 0]);
  expect(await pruned(30)).toEqual([0, 0, 0, 0]);
  const shown = async (id: number) => (await scene.json(`voucher show ${id}`)).record.ownerMsisdn;
  expect([await shown(young.id), await shown(old.id)]).toEqual(['+2519*****444', 'erased']);
});

test('a number that only a repair was given is erased with it, and not while it is open', async () => {
  const { database } = scene;
  const id = await topup(database, catalogue.partnerId, '10', { ending: 'FAILED' });
  const given = '+251911555666';
  const asked = ['top-up', 'retry', String(id), '--msisdn', given, '--facts', 'attempt=2'];
  const { repair } = await scene.json([...asked, '--why', 'Ticket 4711']);
  const sealed = async () =>
    (
      await database
        .selectFrom('repairs')
        .select('sealed_arguments')
        .where('id', '=', repair)
        .executeTakeFirstOrThrow()
    ).sealed_arguments;
  const erase = ['privacy', 'erase-number', given, '--why', 'Asked by letter'];
  const refused = await scene.admin(erase);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining(`repair ${repair} needs it`),
  ]);
  await sql`update repairs set state = 'REFUSED', result = 'Nobody did it.', changed_at = now()
    where id = ${repair}`.execute(database);
  expect(await scene.json([...erase.slice(0, 2), OTHER, ...erase.slice(3)])).toMatchObject({
    changed: false,
  });
  expect(await sealed()).not.toBeNull();
  expect(await scene.json(erase)).toMatchObject({ changed: true, erased: { repairs: 1 } });
  expect(await sealed()).toBeNull();
  expect((await scene.json(erase)).changed).toBe(false);
});

test('a number whose redeemed voucher is to get its value back is not erased before', async () => {
  const { database } = scene;
  const owner = '+251911555669';
  const { id } = await makeVoucher(database, catalogue);
  const { hold, post } = redemptions(database, catalogue);
  await post(await hold(id));
  await sql`update vouchers set owner_msisdn = ${testNumbers.store(owner)} where id = ${id}`.execute(
    database,
  );
  await sql`insert into redemption_reversals (redemption_id, operation_id, request_digest, reference)
    select id, 'reversal', 'digest', gen_random_uuid() from redemptions
    where voucher_id = ${id}`.execute(database);
  const erase = ['privacy', 'erase-number', owner, '--why', 'Asked by letter'];
  expect((await scene.admin(erase)).err).toContain(`voucher ${id} needs it`);
  await sql`update redemption_reversals set status = 'FAILED', settled_at = now()`.execute(
    database,
  );
  expect(await scene.json(erase)).toMatchObject({ changed: true, erased: { vouchers: 1 } });
});

test('repairs with numbers are read in batches along their index, each once', async () => {
  await sql`insert into repairs (operation_id, request_key, kind, subject_kind, subject_id,
      company_kind, company_id, arguments, sealed_arguments, amount, moves_value, why, asked_by,
      needs_confirmation, confirm_until, state, result, changed_at)
    select 'batch-' || number, 'batch-' || number, 'retry-top-up', 'top-up', '1', 'partner', 1, '{}',
      'k1.x', 1, true, 'Ticket', 'hanna', false, now(), 'DONE', 'Done',
      now() - make_interval(days => number / 3)
    from generate_series(1, 10) as number`.execute(scene.database);
  const read = (batchSize: number) =>
    scene.database.transaction().execute(async (transaction) => {
      const sizes: number[] = [];
      const ids: number[] = [];
      for await (const repairs of repairsWithNumbers(transaction, batchSize)) {
        sizes.push(repairs.length);
        ids.push(...repairs.map(({ id }) => id));
      }
      return { sizes, ids };
    });
  const all = await read(1_000);
  expect(all.ids).toHaveLength(10);
  for (const batchSize of [1, 3, 5, 10]) {
    const { sizes, ids } = await read(batchSize);
    expect(ids).toEqual(all.ids);
    expect(Math.max(...sizes)).toBe(batchSize);
  }
});

const hashesOf = async () => {
  const { rows } = await sql<{ hash: string }>`
    select split_part(owner_msisdn, '.', 1) as hash from vouchers`.execute(scene.database);
  return rows.map(({ hash }) => hash);
};
