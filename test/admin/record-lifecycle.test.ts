import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockForDeletion, markDeleted } from '../../src/db/catalogue/records.ts';
import { addWebhook } from '../../src/db/webhooks/endpoints.ts';
import { setPrice } from '../support/companies.ts';
import { untilBlockedBy } from '../support/database-locks.ts';
import { cancel, makeVoucher, redemptions, topup } from './movements.ts';
import {
  type AdminScene,
  type Catalogue,
  groupOf,
  makeCatalogue,
  merchantWords,
  openScene,
} from './scene.ts';

let scene: AdminScene;
let catalogue: Catalogue;
let giftsId: number;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  await scene.json(`money deposit --partner ${catalogue.partnerId} --wallet gift --amount 5000`);
  giftsId = (await scene.json('product category create --name Gifts --description Gifts')).id;
});
afterAll(() => scene?.close());

const promoWords = (name: string, ...more: string[]): string[] => [
  ...[
    'product',
    'promo',
    'create',
    '--name',
    name,
    '--category',
    'Gifts',
    '--description',
    'Five off',
  ],
  ...['--image', 'promos/a.png', '--start', '2026-12-01', '--end', '2026-12-31', ...more],
];
const listed = async (list: string, id: number) => {
  const rows: { id: number }[] = await scene.json(`${groupOf(list)} list`);
  return rows.find((row) => row.id === id);
};
const newId = async (words: string | string[]): Promise<number> => (await scene.json(words)).id;
const refusal = async (words: string | string[]): Promise<string> => {
  const { code, out, err } = await scene.admin(words);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  return err.trimEnd();
};

/** A record of each kind that nothing stands on. */
const kinds: [string, string, () => Promise<number>, object, object][] = [
  [
    'merchant',
    'merchants',
    () => newId(merchantWords(randomUUID())),
    { status: 'ACTIVE' },
    { status: 'DEACTIVATED' },
  ],
  [
    'merchant-category',
    'merchant-categories',
    () => newId(`merchant category create --name ${randomUUID()}`),
    { isActive: true },
    { isActive: false },
  ],
  [
    'product',
    'products',
    () =>
      newId(
        `product create --name ${randomUUID()} --kind GIFT --category Gifts --pricing-type SERVICE_FEE`,
      ),
    { status: 'ACTIVE' },
    { status: 'INACTIVE' },
  ],
  [
    'product-category',
    'product-categories',
    () => newId(`product category create --name ${randomUUID()} --description X`),
    { status: 'ACTIVE' },
    { status: 'INACTIVE' },
  ],
  [
    'promo',
    'promos',
    () => newId(promoWords(randomUUID())),
    { status: 'ACTIVE' },
    { status: 'INACTIVE' },
  ],
];

describe.each(kinds)('a %s', (kind, list, make, active, inactive) => {
  test('is stopped, deleted, brought back and started, each with its row in the audit log', async () => {
    const group = groupOf(list);
    const id = await make();
    expect(await listed(list, id)).toMatchObject(active);
    expect(await refusal(`${group} delete ${id}`)).toMatch(
      new RegExp(
        `^The ${kind} ${id} \\(.+\\) is active: run "${group} deactivate ${id}" first\\.$`,
      ),
    );
    expect((await scene.json(`${group} deactivate ${id}`)).changed).toBe(true);
    expect((await scene.json(`${group} deactivate ${id}`)).changed).toBe(false);
    expect(await listed(list, id)).toMatchObject(inactive);
    await scene.json(`${group} delete ${id}`);
    expect(await listed(list, id)).toBeUndefined();
    for (const words of [`${group} delete ${id}`, `${group} activate ${id}`])
      expect(await refusal(words)).toBe(`There is no ${kind} ${id}: see "${group} list".`);
    await scene.json(`${group} restore ${id}`);
    expect((await scene.json(`${group} restore ${id}`)).changed).toBe(false);
    expect(await listed(list, id)).toMatchObject(inactive);
    await scene.json(`${group} activate ${id}`);
    expect(await listed(list, id)).toMatchObject(active);
    const entries = await scene.json(`access audit --kind ${kind} --id ${id}`);
    expect(entries.map(({ action }: { action: string }) => action).reverse()).toEqual(
      ['create', 'deactivate', 'delete', 'restore', 'activate'].map((verb) => `${verb} ${kind}`),
    );
  });
});

describe('what would lose its footing keeps from deletion', () => {
  const deactivated = async (list: string, id: number) => {
    const group = groupOf(list);
    await scene.json(`${group} deactivate ${id}`);
    return `${group} delete ${id}`;
  };

  test('a merchant: its vouchers and its payments', async () => {
    const merchantId = await newId(merchantWords(randomUUID()));
    const there = { ...catalogue, merchantId };
    const { id } = await makeVoucher(scene.database, there);
    const unused = await makeVoucher(scene.database, there);
    const { hold, post } = redemptions(scene.database, there);
    const payment = await hold(id);
    const words = await deactivated('merchants', merchantId);
    expect(await refusal(words)).toMatch(
      /cannot be deleted while there are vouchers for it that .+ \(2\), payments to it under way \(1\)\.$/,
    );
    await post(payment);
    expect(await refusal(words)).toMatch(/there are vouchers for it that are not used up \(1\)\.$/);
    await cancel(scene.database, unused.id);
    await scene.json(words);
  });

  test('a category of merchants: its merchants', async () => {
    const id = await newId('merchant category create --name Cafes');
    const merchantId = await newId([...merchantWords(randomUUID()), '--category', 'Cafes']);
    const words = await deactivated('merchant-categories', id);
    expect(await refusal(words)).toMatch(/there are merchants in it \(1\)\.$/);
    await scene.json(await deactivated('merchants', merchantId));
    await scene.json(words);
    expect(await refusal(`merchant restore ${merchantId}`)).toBe(
      `Its merchant-category ${id} is deleted too: run "merchant category restore ${id}" first.`,
    );
  });

  test('a category of products: its products and promos', async () => {
    const id = await newId('product category create --name Sweets --description X');
    const productId = await newId(
      'product create --name Sweet --kind GIFT --category Sweets --pricing-type SERVICE_FEE',
    );
    const promoId = await newId(promoWords('Sweet').with(6, 'Sweets'));
    const words = await deactivated('product-categories', id);
    expect(await refusal(words)).toMatch(/there are products in it \(1\), promos for it \(1\)\.$/);
    await scene.json(await deactivated('products', productId));
    await scene.json(await deactivated('promos', promoId));
    await scene.json(words);
  });

  test('a product: its denominations, vouchers and top-ups', async () => {
    const words = await deactivated('products', catalogue.giftProductId);
    expect(await refusal(words)).toMatch(/there are active denominations of it \(1\)\.$/);
    await scene.json(`product denomination deactivate ${catalogue.denominationId}`);
    const unused = await makeVoucher(scene.database, catalogue);
    expect(await refusal(words)).toMatch(/there are vouchers of it that are not used up \(1\)\.$/);
    await cancel(scene.database, unused.id);
    await scene.json(words);
    await scene.json(`product restore ${catalogue.giftProductId}`);

    await scene.json(`money deposit --partner ${catalogue.partnerId} --wallet airtime --amount 50`);
    const packageId = await newId(
      'product create --name Data --kind PACKAGE --category Gifts --pricing-type COMISSION ' +
        '--operator ETHIO_TELECOM --price 20',
    );
    await topup(scene.database, catalogue.partnerId, '20', { productId: packageId });
    const deletion = await deactivated('products', packageId);
    expect(await refusal(deletion)).toMatch(/there are top-ups of it under way \(1\)\.$/);
  });

  test('a denomination: whatever was made with it; else its row goes', async () => {
    const make = (amount: number) =>
      newId(`product denomination create --product ${catalogue.giftProductId} --amount ${amount}`);
    const used = await make(111);
    await makeVoucher(scene.database, { ...catalogue, denominationId: used });
    await setPrice(scene.database, {
      partnerId: catalogue.partnerId,
      denominationId: used,
      merchantId: null,
      sellingPriceUsd: '1',
    });
    expect(await refusal(await deactivated('denominations', used))).toMatch(
      /vouchers that were generated with it \(1\), selling prices that .+ \(1\)\.$/,
    );
    const mistaken = await make(112);
    await scene.json(await deactivated('denominations', mistaken));
    expect(await listed('denominations', mistaken)).toBeUndefined();
    expect(await listed('denominations', await make(112))).toMatchObject({
      amountEtb: '112.000000',
    });
  });
});

test.each([
  ['a key', 'access api-key create --name Till', 'api_keys'],
  ['an address', 'access address add 203.0.113.7', 'source_addresses'],
  ['a webhook', 'access webhook add https://till.example/hooks', 'webhook_endpoints'],
  ['a person', 'access account create --email late@till.example', 'portal_accounts'],
])('a merchant that is deleted meanwhile gets not even %s', async (_what, words, table) => {
  const id = await newId(merchantWords(randomUUID()));
  await scene.json(`merchant deactivate ${id}`);
  const { database } = scene;
  const { running } = await database.transaction().execute(async (deletion) => {
    await lockForDeletion(deletion, 'merchants', id);
    const refused = refusal(`${words} --merchant ${id}`);
    await Promise.race([refused, untilBlockedBy(deletion, database, 1)]);
    await markDeleted(deletion, 'merchants', id, true);
    return { running: refused };
  });
  expect(await running).toMatch(/^There is no merchant/);
  const { rows } = await sql`
    select from ${sql.table(table)} as row where to_jsonb(row) ->> 'merchant_id' = ${String(id)}
      or to_jsonb(row) ->> 'company_id' = ${String(id)}`.execute(database);
  expect(rows).toEqual([]);
});

test('a deleted merchant has no valid keys, webhooks and prices of its own, and is not found', async () => {
  const id = await newId(merchantWords(randomUUID()));
  const webhookId = await scene.database.transaction().execute((transaction) =>
    addWebhook(transaction, {
      company: { kind: 'merchant', id },
      url: 'https://till.example/hooks',
      description: '',
      types: null,
      createdBy: 'test',
    }),
  );
  await scene.json(`access api-key create --merchant ${id} --name Till`);
  await setPrice(scene.database, {
    partnerId: catalogue.partnerId,
    denominationId: catalogue.denominationId,
    merchantId: id,
    sellingPriceUsd: '1',
  });
  const email = `${randomUUID()}@till.example`;
  await scene.json(`access account create --merchant ${id} --email ${email}`);
  const account = () =>
    scene.database
      .selectFrom('portal_accounts')
      .select(['id', 'disabled_at'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
  const { id: accountId } = await account();
  await scene.database
    .insertInto('portal_sessions')
    .values({ account_id: accountId, token_digest: randomBytes(32) })
    .execute();
  await scene.json(`merchant deactivate ${id}`);
  const deleted = await scene.admin(`merchant delete ${id}`);
  expect(deleted.out).toMatch(
    /^Deleted merchant .* keys revoked: 1, webhooks removed: 1, prices ended: 1, portal accounts disabled: 1\.\n$/,
  );
  expect(await refusal(`access webhook list-deliveries ${webhookId}`)).toMatch(
    /^There is no webhook/,
  );
  const sessions = scene.database.selectFrom('portal_sessions').selectAll();
  expect(await sessions.where('account_id', '=', accountId).execute()).toEqual([]);
  for (const words of [
    'merchant show',
    'access public-key list --merchant',
    'access api-key list --merchant',
  ])
    expect(await refusal(`${words} ${id}`)).toMatch(/^There is no merchant/);
  expect(await refusal(`access account reset-password ${accountId}`)).toMatch(
    /^There is no merchant/,
  );
  expect((await account()).disabled_at).not.toBeNull();
  const keys = await scene.database
    .selectFrom('api_keys')
    .select('revoked_at')
    .where('merchant_id', '=', id)
    .execute();
  expect(keys).toEqual([{ revoked_at: expect.any(Date) }]);
});

describe('what tells records apart', () => {
  const gift = (name: string) =>
    `product create --name ${name} --kind GIFT --category Gifts --pricing-type SERVICE_FEE`;

  test('is taken until it is given up, deleted records included', async () => {
    const id = await newId('merchant category create --name Taken');
    const other = await newId('merchant category create --name Other');
    const taken = `--name is already that of merchant-category ${id}.`;
    expect(await refusal('merchant category create --name Taken')).toBe(taken);
    expect(await refusal(`merchant category change ${other} --name Taken`)).toBe(taken);
    await scene.json(`merchant category deactivate ${id}`);
    await scene.json(`merchant category delete ${id}`);
    const deleted = `--name is that of merchant-category ${id}, which is deleted: see "merchant category restore".`;
    expect(await refusal('merchant category create --name Taken')).toBe(deleted);
    expect(await refusal(`merchant category change ${other} --name Taken`)).toBe(deleted);
    await scene.json(`merchant category restore ${id}`);
    await scene.json(`merchant category change ${id} --name Given-up`);
    await scene.json('merchant category create --name Taken');
  });

  test.each([
    ['product', () => gift('Card')],
    [
      'denomination',
      () => `product denomination create --product ${catalogue.giftProductId} --amount 77`,
    ],
    ['promo', () => promoWords('New Year')],
  ])('of a %s is taken once, at the same moment too', async (_kind, words) => {
    const results = await Promise.all(Array.from({ length: 5 }, () => scene.admin(words())));
    expect(results.map(({ code }) => code).toSorted()).toEqual([0, 1, 1, 1, 1]);
  });

  test('may be one thing in one place and another in another', async () => {
    const elsewhere = promoWords('Harvest').with(6, `${giftsId - 1}`);
    await scene.json(elsewhere);
    const here = await newId(promoWords('Harvest'));
    expect(await refusal(`product promo change ${here} --category ${giftsId - 1}`)).toMatch(
      /^--name is already that of promo \d+\.$/,
    );
  });
});

describe('a promo', () => {
  test('is changed as far as it fits together', async () => {
    const id = await newId(promoWords('Fits', '--discount', '5'));
    await scene.json(
      `product promo change ${id} --end 2027-01-15T12:00:00+03:00 --bonus 2.5 --discount 0`,
    );
    expect(await listed('promos', id)).toMatchObject({
      promoStartDate: '2026-12-01T00:00:00.000Z',
      promoEndDate: '2027-01-15T09:00:00.000Z',
      discountPercentage: '0.0000',
      bonusPercentage: '2.5000',
    });
    for (const words of ['--end 2026-11-30', '--start 2027-01-15T09:00:00Z'])
      expect(await refusal(`product promo change ${id} ${words}`)).toBe(
        '--end must be after the start.',
      );
    const again = await scene.admin(`product promo change ${id} --end 2027-01-15T09:00:00Z`);
    expect(again.out).toContain('already has these values');
  });

  test.each([
    ['--image', 'https://evil.example/a.png', /^--image must be a relative path/],
    ['--image', 'a/../../b.png', /^--image must be a relative path/],
    ['--image', '.hidden', /^--image must be a relative path/],
    ['--image', 'a\\b.png', /^--image must be a relative path/],
    ['--discount', '100.5', /^--discount must be a percentage/],
    ['--constraint', '-1', /^--constraint must be a number from 0/],
    ['--category', '99', /^--category names no existing product-category/],
    ['--category', 'Nowhere', /^--category names no existing product-category/],
    ['--status', 'GONE', /^--status must be ACTIVE or INACTIVE/],
  ])('is refused with %s %s', async (option, value, expected) => {
    expect(await refusal([...promoWords(randomUUID()), option, value])).toMatch(expected);
  });
});
