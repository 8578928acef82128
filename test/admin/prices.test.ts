import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AdminScene, type Catalogue, makeCatalogue, openScene } from './scene.ts';

let scene: AdminScene;
let catalogue: Catalogue;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

beforeEach(async () => {
  catalogue = await makeCatalogue(scene);
});

const set = (words: string) =>
  scene.admin(`partner price set --partner ${catalogue.partnerId} ${words}`);
const listed = async () =>
  (await scene.json(`partner price list --partner ${catalogue.partnerId}`)).map(
    (row: {
      denominationId: number;
      merchantId: number | null;
      sellingPriceUsd: string | null;
    }) => [row.denominationId, row.merchantId, row.sellingPriceUsd],
  );

test('a price is set for all merchants, and for one, and replaced', async () => {
  const { denominationId, merchantId, partnerId } = catalogue;
  expect(await listed()).toEqual([[denominationId, null, null]]);
  const first = await set(`--denomination ${denominationId} --price-usd 4.75`);
  expect(first).toMatchObject({
    code: 0,
    out: `Set the price of denomination ${denominationId} for partner ${partnerId} to USD 4.75.\n`,
  });
  await set(`--denomination ${denominationId} --merchant ${merchantId} --price-usd 4.5`);
  const third = await set(`--denomination ${denominationId} --price-usd 1250.005`);
  expect(third.out).toContain('to USD 1,250.005; it was USD 4.75.');
  expect(await listed()).toEqual([
    [denominationId, null, '1250.005000'],
    [denominationId, merchantId, '4.500000'],
  ]);
  const { out } = await scene.admin(`partner price list --partner ${partnerId}`);
  expect(out).toMatch(/1,250\.005 +all/);
  expect(out).toMatch(new RegExp(`4\\.50 +Abyssinia Coffee \\(${merchantId}\\)`));
  const [newest] = await scene.json(`access audit --kind partner --id ${partnerId} --limit 1`);
  expect(newest).toMatchObject({
    action: 'set selling-price',
    actor: 'hanna',
    details: {
      denominationId,
      amount: '500.000000',
      merchantId: null,
      before: '4.750000',
      after: '1250.005',
    },
  });
});

test('the same price again changes nothing', async () => {
  const words = `--denomination ${catalogue.denominationId} --price-usd`;
  await set(`${words} 4.75`);
  expect((await set(`${words} 4.750`)).out).toContain('No change');
  const kept = await scene.database
    .selectFrom('partner_gift_denomination_prices')
    .select('id')
    .where('partner_id', '=', catalogue.partnerId)
    .execute();
  expect(kept).toHaveLength(1);
});

describe('refused, and changing nothing, is', () => {
  test.each([
    ['another partner', () => ({ partner: 999_999 }), 'There is no partner 999999'],
    ['another denomination', () => ({ denomination: 999_999 }), 'no active denomination 999999'],
    ['another merchant', () => ({ merchant: 999_999 }), 'no active merchant 999999'],
    ['no price', () => ({ 'price-usd': 0 }), '--price-usd must be a decimal number above 0'],
    ['a negative price', () => ({ 'price-usd': -1 }), '--price-usd must be a decimal'],
  ])('%s', async (_name, change, problem) => {
    const given = {
      partner: catalogue.partnerId,
      denomination: catalogue.denominationId,
      'price-usd': 4.75,
      ...change(),
    };
    const words = Object.entries(given).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const refused = await scene.admin(['partner', 'price', 'set', ...words]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(problem);
    expect(await listed()).toEqual([[catalogue.denominationId, null, null]]);
  });

  test('a denomination that is not sold any more', async () => {
    await scene.json(`product denomination deactivate ${catalogue.denominationId}`);
    const refused = await set(`--denomination ${catalogue.denominationId} --price-usd 1`);
    expect(refused.err).toContain('There is no active denomination');
  });
});

test('a denomination that the partner may not sell any more is listed while it has a price', async () => {
  const { denominationId, giftProductId, partnerId } = catalogue;
  await set(`--denomination ${denominationId} --price-usd 2`);
  await scene.json(`partner product revoke --partner ${partnerId} --product ${giftProductId}`);
  expect(await listed()).toEqual([[denominationId, null, '2.000000']]);
  const { id } = await scene.json(['partner', 'create', '--name', randomUUID()]);
  expect(await scene.json(`partner price list --partner ${id}`)).toEqual([]);
});
