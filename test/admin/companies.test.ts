import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setPrice } from '../support/companies.ts';
import {
  type AdminScene,
  type Catalogue,
  commandsOn,
  groupOf,
  makeCatalogue,
  merchantWords,
  openScene,
} from './scene.ts';

let scene: AdminScene;
let catalogue: Catalogue;
let packagesId: number;

beforeAll(async () => {
  scene = await openScene();
  catalogue = await makeCatalogue(scene);
  packagesId = (await scene.json('product category create --name PACKAGES --description Data')).id;
});
afterAll(() => scene?.close());

const PACKAGE = '--pricing-type COMISSION --operator SAFARICOM_ETHIOPIA --price 20.5';
const lastAudit = async () => (await scene.auditRows()).at(-1);

/** The row of a list that has an id. */
const listed = async (list: string, id: number) => {
  const rows: { id: number }[] = await scene.json(`${groupOf(list)} list`);
  return rows.find((row) => row.id === id);
};

describe('what is created is listed and audited', () => {
  test.each<[string, string, () => string[], object]>([
    ['partner', 'partners', () => ['--name', 'Blue Nile'], { name: 'Blue Nile', status: 'ACTIVE' }],
    [
      'merchant-category',
      'merchant-categories',
      () => ['--name', 'Books'],
      { categoryName: 'Books', isActive: true },
    ],
    [
      'product-category',
      'product-categories',
      () => ['--name', 'AIRTIME', '--description', 'Any amount'],
      { categoryName: 'AIRTIME', categoryDescription: 'Any amount', status: 'ACTIVE' },
    ],
    [
      'product',
      'products',
      () => `--name Minutes --kind package --category ${packagesId} ${PACKAGE}`.split(' '),
      {
        kind: 'PACKAGE',
        categoryName: 'PACKAGES',
        operator: 'SAFARICOM_ETHIOPIA',
        amount: '20.500000',
        pricingType: 'COMISSION',
        providerProductId: null,
        status: 'ACTIVE',
      },
    ],
    [
      'denomination',
      'denominations',
      () => ['--product', `${catalogue.giftProductId}`, '--amount', '250'],
      { amountEtb: '250.000000', status: 'ACTIVE', product: expect.stringMatching(/^Gift-/) },
    ],
    [
      'merchant',
      'merchants',
      () => [...merchantWords('MER-42').slice(2), '--logo', 'logo.png'],
      {
        merchantName: 'Abyssinia Coffee',
        merchantType: 'RETAIL',
        identifierType: 1,
        identifier: 'MER-42',
        email: 'owner@coffee.example',
        phone: '+251911001001',
        address: 'Addis Ababa',
        merchantLogo: 'logo.png',
        serviceFeePercent: '2.5000',
        payoutKey: 'msisdn',
        payoutValue: '+251911001000',
      },
    ],
  ])('%s', async (noun, list, words, expected) => {
    const { id } = await scene.json([
      ...`${groupOf(list)} create`.split(' '),
      ...words(),
      ...['--actor', 'Hanna'],
    ]);
    expect(await listed(list, id)).toMatchObject(expected);
    expect(await lastAudit()).toMatchObject({ actor: 'Hanna', action: `create ${noun}` });
  });
});

describe('a change', () => {
  test.each<[string, string, () => number, string, object]>([
    [
      'partner',
      'partners',
      () => catalogue.partnerId,
      '--name Renamed',
      { companyName: 'Renamed' },
    ],
    [
      'merchant',
      'merchants',
      () => catalogue.merchantId,
      '--phone 0911555666 --logo new.png',
      { phone: '+2519*****666', merchantLogo: 'new.png' },
    ],
    [
      'product',
      'products',
      () => catalogue.giftProductId,
      '--pricing-type COMISSION --description Nice',
      { pricingType: 'COMISSION', description: 'Nice' },
    ],
    [
      'product-category',
      'product-categories',
      () => packagesId,
      '--description Voice',
      { categoryDescription: 'Voice' },
    ],
  ])('of a %s is audited with what was before, and is nothing twice', async (...row) => {
    const [noun, list, id, words, expected] = row;
    const command = `${groupOf(list)} change ${id()} ${words}`;
    const { changes } = await scene.json(command);
    const now = Object.fromEntries(
      Object.entries(changes as Record<string, { to: unknown }>).map(([name, { to }]) => [
        name,
        to,
      ]),
    );
    expect(now).toEqual(expected);
    expect(await lastAudit()).toMatchObject({ action: `change ${noun}`, details: { changes } });
    const rows = await scene.auditRows();
    const again = await scene.admin(command);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toContain('already has these values');
    expect(await scene.auditRows()).toEqual(rows);
  });

  test('can take a logo away, and leaves the rest alone', async () => {
    const { id } = await scene.json([...merchantWords(randomUUID()), '--logo', 'old.png']);
    await scene.json(['merchant', 'change', `${id}`, '--logo', '']);
    expect(await listed('merchants', id)).toMatchObject({
      merchantLogo: null,
      merchantName: 'Abyssinia Coffee',
    });
  });

  test('of the amount of a denomination ends the prices that were set for it', async () => {
    const { id: denominationId } = await scene.json(
      `product denomination create --product ${catalogue.giftProductId} --amount 100`,
    );
    const { partnerId } = catalogue;
    await setPrice(scene.database, {
      partnerId,
      denominationId,
      merchantId: null,
      sellingPriceUsd: '1',
    });
    expect(
      await scene.json(`product denomination deactivate ${denominationId}`),
    ).not.toHaveProperty('endedPrices');
    const changed = await scene.json(`product denomination change ${denominationId} --amount 1000`);
    expect(changed.endedPrices).toBe(1);
    const prices = await scene.database
      .selectFrom('partner_gift_denomination_prices')
      .select('replaced_at')
      .where('denomination_id', '=', denominationId)
      .execute();
    expect(prices).toEqual([{ replaced_at: expect.any(Date) }]);
  });

  test('of the product id of a package makes it sellable', async () => {
    const { id } = await scene.json(
      `product create --name Data --kind PACKAGE --category ${packagesId} ${PACKAGE}`,
    );
    await scene.json(`product change ${id} --provider-product-id 2004 --price 22`);
    expect(await listed('products', id)).toMatchObject({
      providerProductId: 2004,
      amount: '22.000000',
    });
  });
});

describe('the terms of a merchant', () => {
  const payoutRows = (merchantId: number) =>
    scene.database
      .selectFrom('merchant_payout_accounts')
      .select(['party_key', 'party_value', 'replaced_at'])
      .where('merchant_id', '=', merchantId)
      .orderBy('id')
      .execute();

  test('a payout account replaces the one before, which is kept; the number is masked in the audit', async () => {
    const { merchantId } = catalogue;
    const words = `merchant payout-account set --merchant ${merchantId} --key MSISDN --value 0911777888`;
    await scene.json(words);
    expect(await payoutRows(merchantId)).toEqual([
      { party_key: 'msisdn', party_value: '+251911001000', replaced_at: expect.any(Date) },
      { party_key: 'msisdn', party_value: '+251911777888', replaced_at: null },
    ]);
    expect((await lastAudit())?.details).toMatchObject({ account: 'msisdn +2519*****888' });
    const again = await scene.admin(words);
    expect(again.out).toContain('already');
    await scene.json(
      `merchant payout-account set --merchant ${merchantId} --key accountid --value 1000123456`,
    );
    expect((await lastAudit())?.details).toMatchObject({ account: 'accountid 10*******6' });
    expect((await payoutRows(merchantId)).map((row) => row.replaced_at === null)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('ten payout accounts at the same moment leave one', async () => {
    const { id } = await scene.json(merchantWords(randomUUID()));
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        scene.admin(
          `merchant payout-account set --merchant ${id} --key accountid --value ${index}`,
        ),
      ),
    );
    expect(results.map(({ code }) => code)).toEqual(Array(10).fill(0));
    const current = (await payoutRows(id)).filter((row) => row.replaced_at === null);
    expect(current).toHaveLength(1);
  });

  test('a service fee, zero too', async () => {
    const { merchantId } = catalogue;
    await scene.json(`merchant set-service-fee ${merchantId} --percent 0`);
    expect(await listed('merchants', merchantId)).toMatchObject({ serviceFeePercent: '0.0000' });
    const again = await scene.admin(`merchant set-service-fee ${merchantId} --percent 0.0`);
    expect(again.out).toContain('No change');
  });
});

test('access to a product is granted once and revoked once', async () => {
  const { id: partner } = await scene.json('partner create --name Seller');
  const words = `--partner ${partner} --product ${catalogue.giftProductId}`;
  const products = async () =>
    (await scene.json(`product list --where partnerId=${partner}`)).length;
  expect((await scene.json(`partner product grant ${words}`)).changed).toBe(true);
  expect((await scene.json(`partner product grant ${words}`)).changed).toBe(false);
  expect(await products()).toBe(1);
  expect((await scene.json(`partner product revoke ${words}`)).changed).toBe(true);
  expect((await scene.json(`partner product revoke ${words}`)).changed).toBe(false);
  expect(await products()).toBe(0);
});

test.each<[string, string, string, string, () => number]>([
  ['partner suspend', 'partner reinstate', 'partners', 'SUSPENDED', () => catalogue.partnerId],
  [
    'merchant deactivate',
    'merchant activate',
    'merchants',
    'DEACTIVATED',
    () => catalogue.merchantId,
  ],
])('%s and %s', async (stop, go, list, status, id) => {
  await scene.json(`${stop} ${id()}`);
  expect(await listed(list, id())).toMatchObject({ status });
  expect((await scene.json(`${stop} ${id()}`)).changed).toBe(false);
  await scene.json(`${go} ${id()}`);
  expect(await listed(list, id())).toMatchObject({ status: 'ACTIVE' });
});

describe('a name that another company has', () => {
  test.each([
    ['partner', (name: string) => ['partner', 'create', '--name', name]],
    [
      'merchant',
      (name: string) =>
        merchantWords(randomUUID()).map((word) => (word === 'Abyssinia Coffee' ? name : word)),
    ],
  ] as const)('is given to a %s with a warning', async (noun, words) => {
    const name = `Habesha ${randomUUID()}`;
    const first = await scene.json(words(name));
    expect(first).not.toHaveProperty('warning');
    const second = await scene.admin(words(` ${name.toUpperCase()}`));
    const warning = `${noun} ${first.id} has the same name: see "${noun} list".`;
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(second.out).toMatch(
      new RegExp(`^Created ${noun} \\d+\\.\nWarning: ${warning}\n\nNext:\n`),
    );
    const third = await scene.json(words(name));
    expect(third.warning).toMatch(new RegExp(`^${noun}s ${first.id}, \\d+ have the same name`));

    const { id } = await scene.json(words(`Another ${randomUUID()}`));
    const renamed = await scene.json([noun, 'change', `${id}`, '--name', name]);
    expect(renamed.warning).toContain('have the same name');
    const log = await scene.json(`access audit --kind ${noun} --id ${third.id}`);
    expect(JSON.stringify(log)).not.toContain('same name');
  });
});

describe('the audit log', () => {
  test('is shown newest first, for one subject too', async () => {
    const { id } = await scene.json('partner create --name Audited --actor Abebe');
    await scene.json(`partner change ${id} --name Renamed --actor Sara`);
    const newest = await scene.json('access audit --limit 2');
    expect(newest.map((row: { actor: string }) => row.actor)).toEqual(['Sara', 'Abebe']);
    const { out } = await scene.admin(`access audit --kind partner --id ${id}`);
    expect(out.split('\n')).toHaveLength(4);
    expect(out).toMatch(/Sara +change partner +partner \d+ +\{"changes":\{"companyName"/);
  });

  test('names the user of the system where nobody else is named', async () => {
    await scene.json('partner create --name Mine');
    expect((await lastAudit())?.actor).toBe('hanna');
  });

  test.each(['portal:hanna@coffee.example', 'staff:1'])(
    'has no row of %s, who signs in: companies would take it for one of their own people',
    async (actor) => {
      const before = await lastAudit();
      const refused = await scene.admin([
        'partner',
        'create',
        '--name',
        'Forged',
        '--actor',
        actor,
      ]);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('/portal') });
      expect(await lastAudit()).toEqual(before);
    },
  );

  test.each([
    ['root', { id: 0, name: 'root' }],
    ['another name of root', { id: 0, name: 'toor' }],
    ['the user of the image', { id: 1_000, name: 'node' }],
    ['a user without a name', { id: 54_321, name: undefined }],
  ])('has no row of %s: nothing is changed without --actor', async (_name, user) => {
    const url = scene.environment.DATABASE_URL;
    const shared = commandsOn({ DATABASE_URL: url }, user);
    const before = await lastAudit();
    const refused = await shared.admin(['partner', 'create', '--name', 'Nobody']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^Name yourself with --actor: .*\n$/);
    expect(await lastAudit()).toEqual(before);
    expect(
      (await shared.json('partner list')).map((row: { name: string }) => row.name),
    ).not.toContain('Nobody');
    await shared.json(['partner', 'create', '--name', `By ${_name}`, '--actor', 'Sara']);
    expect((await lastAudit())?.actor).toBe('Sara');
  });

  test.each([
    ['changed', sql`update audit_log set actor = 'nobody'`],
    ['deleted', sql`delete from audit_log`],
    ['emptied', sql`truncate audit_log cascade`],
  ])('cannot be %s', async (_how, statement) => {
    await expect(statement.execute(scene.database)).rejects.toThrow('only ever added');
  });
});

test('partners are shown with their balances, products, keys and addresses', async () => {
  const { partnerId, giftProductId } = catalogue;
  await scene.json(`money deposit --partner ${partnerId} --wallet airtime --amount 12.34`);
  const low = `partner set-low-balance ${partnerId} --wallet airtime --threshold`;
  await scene.json(`${low} 500`);
  await scene.json(`${low} 1000`);
  // As the portal writes it.
  expect((await lastAudit())?.details).toEqual({
    wallet: 'airtime',
    before: '500.000000',
    after: '1000.000000',
  });
  await scene.json(`access address add 203.0.113.0/24 --partner ${partnerId}`);
  await scene.json(`access api-key create --partner ${partnerId} --name Shop`);
  expect(await scene.json(`partner show ${partnerId}`)).toMatchObject({
    id: partnerId,
    ...{ airtime: '12.340000', gift: '0.000000', reserved: '0.000000' },
    ...{ giftLowBelow: null, airtimeLowBelow: '1000.000000' },
    products: [{ id: giftProductId }],
    apiKeys: [{ name: 'Shop', revokedAt: null }],
    addresses: [{ address: '203.0.113.0/24' }],
  });
  const { out } = await scene.admin(`partner show ${partnerId}`);
  expect(out).toMatch(/airtime +12\.34\n/);
  expect(out).toMatch(/airtime low below +1,000\.00\n/);
  expect(out).toContain('203.0.113.0/24');
  const list = await scene.admin('partner list');
  expect(list.out).toMatch(/^ *ID {2}NAME +STATUS +GIFT +AIRTIME +RESERVED {2}LOW\n/);
});
