import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testNumbers } from '../end-to-end/privacy/stored-numbers.ts';
import { topup } from './movements.ts';
import { type AdminScene, openScene } from './scene.ts';

let scene: AdminScene;
let partnerId: number;
let otherId: number;
let ids: Record<'delivered' | 'failed' | 'open' | 'foreign', number>;

beforeAll(async () => {
  scene = await openScene();
  const { database } = scene;
  partnerId = (await scene.json('partner create --name Reseller')).id;
  otherId = (await scene.json('partner create --name Other')).id;
  for (const id of [partnerId, otherId])
    await scene.json(`money deposit --partner ${id} --wallet airtime --amount 2000000`);
  ids = {
    delivered: await topup(database, partnerId, '1234567.5', { ending: 'SUCCESS' }),
    failed: await topup(database, partnerId, '10', { ending: 'FAILED' }),
    open: await topup(database, partnerId, '15'),
    foreign: await topup(database, otherId, '20', { ending: 'SUCCESS' }),
  };
  const { operation_id: operationId } = await database
    .updateTable('topup_attempts')
    .set({ provider_message: 'The number is barred' })
    .where('topup_id', '=', ids.failed)
    .returning('operation_id')
    .executeTakeFirstOrThrow();
  await database
    .updateTable('placements')
    .set({ provider_reference: 'DT-4711' })
    .where('operation_id', '=', operationId)
    .execute();
});
afterAll(() => scene?.close());

const NUMBER = '+251911222333';

describe('top-up list', () => {
  const listed = async (words: string) =>
    (await scene.json(`top-up list ${words}`.trim())).map((row: { id: number }) => row.id);

  test('shows the newest first, of all partners or one, in one status, to one number', async () => {
    const { delivered, failed, open, foreign } = ids;
    expect(await listed('')).toEqual([foreign, open, failed, delivered]);
    expect(await listed('--limit 2')).toEqual([foreign, open]);
    expect(await listed(`--where partnerId=${partnerId}`)).toEqual([open, failed, delivered]);
    expect(await listed('--msisdn 0911222333 --limit 1')).toEqual([foreign]);
    expect(await listed('--msisdn 0911222334')).toEqual([]);
  });

  test('takes the filters, the order and the pages of the list in the API', async () => {
    const { delivered, failed, open, foreign } = ids;
    expect(await listed('--where amount=$gte:15')).toEqual([foreign, open, delivered]);
    expect(await listed(`--where partnerId=${partnerId},status=failed`)).toEqual([failed]);
    expect(await listed('--sort amount:asc')).toEqual([failed, open, foreign, delivered]);
    expect(await listed('--limit 3 --page 2')).toEqual([delivered]);
    const { out } = await scene.admin('top-up list --limit 3');
    expect(out).toContain('\n3 of 4: --page 2 goes on.\n');
  });

  test.each([
    ['--where colour=red', /^--where must name columns of this list: transactionId, .*\.\n$/],
    ['--where amount=much', /^--where must be a number\.\n$/],
    ['--sort colour:asc', /^--sort must be column:ASC or column:DESC, with a column of .*\.\n$/],
    ['--sort reference:asc', /^--sort must be column:ASC or column:DESC/],
    ['--where partnerId=much', /^--where must be a whole number\.\n$/],
  ])('refuses %s', async (words, expected) => {
    const refused = await scene.admin(`top-up list ${words}`);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(expected) });
  });

  test('products of a partner that is no number are none', async () => {
    expect(await scene.json('product list --where partnerId=acme')).toEqual([]);
  });

  test('finds a number that only a later attempt went to', async () => {
    const number = '+251911999000';
    await scene.database
      .updateTable('topup_attempts')
      .set({ msisdn: testNumbers.store(number) })
      .where('topup_id', '=', ids.foreign)
      .execute();
    expect(await listed(`--msisdn ${number}`)).toEqual([ids.foreign]);
  });

  test('masks numbers, and groups amounts', async () => {
    const { out } = await scene.admin(`top-up list --where partnerId=${partnerId}`);
    expect(out).toContain('+2519*****333');
    expect(out).toContain('1,234,567.50');
    expect(out + JSON.stringify(await scene.json('top-up list'))).not.toContain(NUMBER);
  });
});

describe('top-up show', () => {
  test('tells attempts, references, the words of the provider, and how the money moved', async () => {
    const { out, code } = await scene.admin(`top-up show ${ids.failed}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^Top-up \d+: Failed\. /);
    expect(out).toMatch(/Attempt 1 to \+2519\*{5}333 by DT One, our reference \S+-1\./);
    expect(out).toMatch(
      /Attempt 1 failed at DT One: .*“?The number is barred”?.*\. Nothing was charged\./,
    );
    expect(out).toMatch(/airtime +airtime-hold +10\.00\n/);
    expect(out).toMatch(/airtime-hold +airtime +10\.00\n/);
    const json = await scene.json(`top-up show ${ids.failed}`);
    expect(json).toMatchObject({
      id: ids.failed,
      transfers: [{ debit: 'airtime' }, { credit: 'airtime' }],
      record: {
        status: 'FAILED',
        partnerId,
        msisdn: '+2519*****333',
        attempts: [{ attempt: 1, providerReference: 'DT-4711', msisdn: '+2519*****333' }],
      },
    });
    expect(out + JSON.stringify(json)).not.toContain(NUMBER);
  });

  test('of one that does not exist says where to look', async () => {
    expect(await scene.admin('top-up show 999999')).toMatchObject({
      code: 1,
      err: 'There is no top-up 999999: see "top-up list".\n',
    });
  });
});
