import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordKinds } from '../../../src/admin/records/kinds.ts';
import { type AdminScene, groupOf, openScene } from '../scene.ts';

let scene: AdminScene;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'import-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  scene = await openScene();
  return () => scene.close();
});

/** Writes a file and returns the words that import it. */
async function importOf(
  kinds: string,
  content: string | Buffer | readonly string[],
  name = `${kinds}.csv`,
): Promise<string[]> {
  const file = join(directory, name);
  await writeFile(file, Array.isArray(content) ? content.join('\n') : (content as string));
  return [...`${groupOf(kinds)} import`.split(' '), '--file', file];
}

const MERCHANT_COLUMNS =
  'identifier,name,type,identifier-type,email,phone,address,category,service-fee,payout-key,payout-value,logo';
const merchantRow = (identifier: string, changes: Record<string, string> = {}): string => {
  const cells: Record<string, string> = {
    identifier,
    name: `Shop ${identifier}`,
    type: 'RETAIL',
    'identifier-type': '1',
    email: 'owner@shop.example',
    phone: '0111234567',
    address: '"Bole, Addis Ababa"',
    category: 'Shops',
    'service-fee': '2.5',
    'payout-key': 'msisdn',
    'payout-value': '0911234567',
    logo: '',
    ...changes,
  };
  return MERCHANT_COLUMNS.split(',')
    .map((column) => cells[column])
    .join(',');
};
const counts = (created: number, changed: number, unchanged: number) => ({
  created,
  changed,
  unchanged,
});
const makeShops = () => scene.json('merchant category create --name Shops');

describe('an import', () => {
  test.each<[string, string[], string[], string, object[]]>([
    [
      'merchant-categories',
      [],
      ['name,status', 'Books,inactive', '"Food, drink",'],
      'merchant-categories',
      [
        { categoryName: 'Books', isActive: false },
        { categoryName: 'Food, drink', isActive: true },
      ],
    ],
    [
      'product-categories',
      [],
      ['name,description', 'PACKAGES,Voice and data'],
      'product-categories',
      [{ categoryName: 'PACKAGES', categoryDescription: 'Voice and data', status: 'ACTIVE' }],
    ],
    [
      'products',
      ['product category create --name PACKAGES --description Data'],
      [
        'name,kind,category,pricing-type,operator,price,provider-product-id',
        'Day,PACKAGE,PACKAGES,COMISSION,SAFARICOM_ETHIOPIA,20.5,2004',
        'Day,PACKAGE,1,COMISSION,ETHIO_TELECOM,21,',
        'Gift,gift,PACKAGES,SERVICE_FEE,,,',
      ],
      'products',
      [
        {
          productName: 'Day',
          operator: 'SAFARICOM_ETHIOPIA',
          amount: '20.500000',
          providerProductId: 2004,
        },
        {
          productName: 'Day',
          operator: 'ETHIO_TELECOM',
          amount: '21.000000',
          providerProductId: null,
        },
        { productName: 'Gift', kind: 'GIFT', operator: null, amount: null },
      ],
    ],
    [
      'denominations',
      [
        'product category create --name Gifts --description Gifts',
        'product create --name Gift --kind GIFT --category Gifts --pricing-type SERVICE_FEE',
      ],
      ['product,amount,status', 'Gift,500,', '1,99.5,INACTIVE'],
      'denominations',
      [
        { product: 'Gift', amountEtb: '500.000000', status: 'ACTIVE' },
        { product: 'Gift', amountEtb: '99.500000', status: 'INACTIVE' },
      ],
    ],
    [
      'promos',
      ['product category create --name Gifts --description Gifts'],
      [
        'name,category,description,image,start,end,discount,bonus,constraint',
        'Meskel,Gifts,Five off,promos/meskel.png,2026-12-01,2026-12-31,5,,',
        'Timket,Gifts,Bonus,promos/a b/ü.png,2027-01-01T12:00:00Z,2027-01-19,,12.5,1000',
      ],
      'promos',
      [
        {
          promoName: 'Meskel',
          category: 'Gifts',
          promoStartDate: '2026-12-01T00:00:00.000Z',
          promoEndDate: '2026-12-31T23:59:59.999Z',
          discountPercentage: '5.0000',
          bonusPercentage: '0.0000',
          constraint: '0.000000',
        },
        {
          promoStartDate: '2027-01-01T12:00:00.000Z',
          bonusPercentage: '12.5000',
          constraint: '1000.000000',
        },
      ],
    ],
    [
      'merchants',
      ['merchant category create --name Shops'],
      [
        MERCHANT_COLUMNS,
        merchantRow('M-1', { logo: 'logos/1.png' }),
        merchantRow('M-2', {
          category: '',
          'service-fee': '',
          'payout-key': '',
          'payout-value': '',
        }),
      ],
      'merchants',
      [
        {
          identifier: 'M-1',
          merchantName: 'Shop M-1',
          category: 'Shops',
          phone: '0111234567',
          address: 'Bole, Addis Ababa',
          serviceFeePercent: '2.5000',
          payoutKey: 'msisdn',
          payoutValue: '+251911234567',
          merchantLogo: 'logos/1.png',
        },
        {
          identifier: 'M-2',
          category: null,
          serviceFeePercent: null,
          payoutKey: null,
          merchantLogo: null,
        },
      ],
    ],
  ])(
    'adds %s, and finds them unchanged when it is repeated',
    async (kinds, before, lines, list, rows) => {
      for (const words of before) await scene.json(words);
      const words = await importOf(kinds, lines);
      const count = lines.length - 1;
      expect(await scene.json(words)).toMatchObject(counts(count, 0, 0));
      const listed = await scene.json(`${groupOf(list)} list`);
      expect(listed).toMatchObject(rows);
      const audited = await scene.auditRows();
      expect(await scene.json(words)).toMatchObject(counts(0, 0, count));
      expect(await scene.json(`${groupOf(list)} list`)).toEqual(listed);
      expect(await scene.auditRows()).toEqual(audited);
    },
  );

  test('changes what the file names of merchants that are there, and leaves the rest', async () => {
    await makeShops();
    await scene.json(
      await importOf('merchants', [
        MERCHANT_COLUMNS,
        ...['A', 'B', 'C'].map((one) => merchantRow(one)),
      ]),
    );
    const words = await importOf('merchants', [
      'identifier,service-fee,payout-key,payout-value,status',
      'A,0,,,',
      'B,2.5,accountid,1000123456,DEACTIVATED',
      'C,2.5,msisdn,+251911234567,ACTIVE',
    ]);
    const printed = await scene.admin([...words, '--actor', 'Hanna']);
    expect(printed).toEqual({
      code: 0,
      out: 'Imported merchants of merchants.csv: created 0, changed 2, unchanged 1.\n',
      err: '',
    });
    const common = { category: 'Shops', email: 'owner@shop.example' };
    expect(await scene.json('merchant list')).toMatchObject([
      { ...common, serviceFeePercent: '0.0000', payoutKey: 'msisdn', status: 'ACTIVE' },
      { ...common, payoutKey: 'accountid', payoutValue: '1000123456', status: 'DEACTIVATED' },
      { ...common, payoutValue: '+251911234567', status: 'ACTIVE' },
    ]);
    const source = { file: 'merchants.csv', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect((await scene.auditRows()).slice(-2)).toEqual([
      {
        actor: 'Hanna',
        action: 'import merchants',
        details: {
          ...source,
          place: 'line 2',
          outcome: 'changed',
          changes: { serviceFeePercent: { from: '2.5000', to: '0.0000' } },
        },
      },
      {
        actor: 'Hanna',
        action: 'import merchants',
        details: {
          ...source,
          place: 'line 3',
          outcome: 'changed',
          changes: {
            status: { from: 'ACTIVE', to: 'DEACTIVATED' },
            payoutAccount: { from: 'msisdn +2519*****567', to: 'accountid 10*******6' },
          },
        },
      },
    ]);
  });

  test('of another payout account keeps the holder that must have it', async () => {
    await makeShops();
    await scene.json(await importOf('merchants', [MERCHANT_COLUMNS, merchantRow('A')]));
    const [{ id }] = await scene.json('merchant list');
    const set = `merchant payout-account set --merchant ${id} --key msisdn --value 0911234567`;
    await scene.json([...set.split(' '), '--holder', 'Abebe Kebede']);
    for (const value of ['0911234568', '0911234568'])
      await scene.json(
        await importOf('merchants', [
          MERCHANT_COLUMNS,
          merchantRow('A', { 'payout-value': value }),
        ]),
      );
    expect(await scene.json('merchant payout-account list')).toMatchObject([
      { account: 'msisdn +2519*****568', expectedHolder: 'Abebe Kebede' },
    ]);
  });

  test('is known by the numbers of no phone and no account in the audit log', async () => {
    await makeShops();
    const account = { 'payout-key': 'accountid', 'payout-value': '1000123456' };
    const rows = [merchantRow('A'), merchantRow('B', account)];
    await scene.json(await importOf('merchants', [MERCHANT_COLUMNS, ...rows]));
    expect((await scene.auditRows()).slice(-2).map(({ details }) => details)).toMatchObject([
      { payout: 'msisdn +2519*****567', phone: '01*******7' },
      { payout: 'accountid 10*******6' },
    ]);
    expect(JSON.stringify(await scene.auditRows())).not.toMatch(/1{1,3}234567|1000123456/);
  });

  test('of JSON does the same as of CSV', async () => {
    await makeShops();
    const file = JSON.stringify([
      {
        identifier: 'J-1',
        name: 'Shop',
        type: 'RETAIL',
        identifierType: 1,
        email: 'owner@shop.example',
        phone: '0111234567',
        address: 'Bole',
        category: 'Shops',
        serviceFee: 2.5,
        logo: null,
      },
    ]);
    const words = await importOf('merchants', file, 'merchants.JSON');
    expect(await scene.json(words)).toMatchObject(counts(1, 0, 0));
    expect(await scene.json('merchant list')).toMatchObject([
      { identifier: 'J-1', identifierType: 1, serviceFeePercent: '2.5000', category: 'Shops' },
    ]);
  });

  test('of a file that begins with a byte-order mark, and by --format', async () => {
    const words = await importOf('merchant-categories', '\uFEFFname\r\nBooks\r\n', 'export.txt');
    expect(await scene.json([...words, '--format', 'csv'])).toMatchObject(counts(1, 0, 0));
  });

  test('of what help and the guide show works', async () => {
    for (const name of ['PACKAGES', 'Gift vouchers'])
      await scene.json(['product', 'category', 'create', '--name', name, '--description', 'X']);
    await scene.json([
      ...['product', 'create', '--name', 'Gift voucher', '--kind', 'GIFT'],
      ...['--category', 'Gift vouchers', '--pricing-type', 'SERVICE_FEE'],
    ]);
    for (const { plural, help } of recordKinds) {
      const words = await importOf(plural, help.importSample);
      const { created, changed } = await scene.json(words);
      expect({ plural, count: created + changed }).toEqual({
        plural,
        count: help.importSample.length - 1,
      });
    }
    const guide = await readFile('docs/guides/import-records.md', 'utf8');
    const [, shown = ''] = /<<'CSV'\n(.*?)\nCSV\n/s.exec(guide) ?? [];
    expect(await scene.json(await importOf('merchants', shown))).toMatchObject(counts(1, 0, 1));
  });

  test('that is a dry run says what would happen and changes nothing', async () => {
    const words = await importOf('merchant-categories', ['name', 'Books', 'Food']);
    const printed = await scene.admin([...words, '--dry-run']);
    expect(printed).toEqual({
      code: 0,
      out:
        'merchant-categories.csv is valid; nothing was changed. Without --dry-run: ' +
        'created 2, changed 0, unchanged 0.\n',
      err: '',
    });
    expect(await scene.json('merchant category list')).toEqual([]);
    expect(await scene.auditRows()).toEqual([]);
  });

  test('ten times at the same moment adds each row once', async () => {
    const words = await importOf('merchant-categories', ['name', 'Books', 'Food']);
    const results = await Promise.all(Array.from({ length: 10 }, () => scene.json(words)));
    const created = results.reduce((sum, result) => sum + result.created, 0);
    expect(created).toBe(2);
    expect(await scene.json('merchant category list')).toHaveLength(2);
  });

  test('of 5,000 merchants takes seconds, and so does changing all of them', async () => {
    await makeShops();
    const lines = (fee: string) =>
      Array.from({ length: 5_000 }, (_, index) =>
        merchantRow(`M-${index}`, { 'service-fee': fee }),
      );
    for (const [fee, expected] of [
      ['2.5', counts(5_000, 0, 0)],
      ['3', counts(0, 5_000, 0)],
    ] as const) {
      const words = await importOf('merchants', [MERCHANT_COLUMNS, ...lines(fee)]);
      const start = performance.now();
      expect(await scene.json(words)).toMatchObject(expected);
      expect(performance.now() - start).toBeLessThan(20_000);
    }
    const { total } = await scene.database
      .selectFrom('merchant_payout_accounts')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    expect(total).toBe(5_000);
  });
});
