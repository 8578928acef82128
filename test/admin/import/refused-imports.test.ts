import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importLimits } from '../../../src/admin/import/read-rows.ts';
import { type AdminScene, groupOf, merchantWords, openScene } from '../scene.ts';

let scene: AdminScene;
let directory: string;
/** All that an import could change, before the first one: refused imports leave it as it is. */
let before: unknown[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'import-'));
  scene = await openScene();
  await scene.json('merchant category create --name Shops');
  await scene.json('merchant category create --name Deleted');
  await scene.json('merchant category deactivate 2');
  await scene.json('merchant category delete 2');
  await scene.json('product category create --name Gifts --description Gifts');
  await scene.json('product category create --name PACKAGES --description Data');
  await scene.json(
    'product create --name Gift --kind GIFT --category Gifts --pricing-type SERVICE_FEE',
  );
  await scene.json(
    'product create --name Day --kind PACKAGE --category PACKAGES --pricing-type COMISSION ' +
      '--operator ETHIO_TELECOM --price 20',
  );
  await scene.json('product denomination create --product Gift --amount 500');
  await scene.json(merchantWords('MER-42'));
  before = await everything();
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await scene?.close();
});

async function refusedImport(kinds: string, content: string | Buffer, ...words: string[]) {
  const file = join(directory, `${kinds}.csv`);
  await writeFile(file, content);
  const printed = await scene.admin([
    ...`${groupOf(kinds)} import`.split(' '),
    ...['--file', file, ...words],
  ]);
  expect(printed).toMatchObject({ code: 1, out: '' });
  expect(await everything()).toEqual(before);
  return printed.err.trimEnd().split('\n');
}

async function everything() {
  const lists = [
    ...['merchants', 'merchant-categories', 'products', 'product-categories'],
    ...['denominations', 'promos'],
  ] as const;
  const rows: unknown[] = [await scene.auditRows()];
  for (const list of lists) rows.push(await scene.json(`${groupOf(list)} list`));
  return rows;
}

const MERCHANT =
  'identifier,name,type,identifier-type,email,phone,address,category,service-fee,payout-key,payout-value';
const good = (identifier: string) =>
  `${identifier},Shop,RETAIL,1,owner@shop.example,0111234567,Bole,Shops,2.5,msisdn,0911234567`;

describe('with nothing imported, a file is refused that has', () => {
  test.each<[string, string, string, string[]]>([
    [
      'one wrong row among good ones',
      'merchants',
      [MERCHANT, good('A'), good('B').replace('2.5', '100.1'), good('C')].join('\n'),
      [
        'merchants.csv has 1 problem; nothing was imported:',
        '  line 3, service-fee must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5',
      ],
    ],
    [
      'several wrong cells in several rows',
      'merchants',
      [
        MERCHANT,
        'A,Shop,RETAIL,one,owner,call me,Bole,Malls,-1,MSISDN,123',
        'B,,RETAIL,1,owner@shop.example,0111234567,Bole,99,2.5,msisdn,',
        good('C').replace('0911234567', '123'),
      ].join('\n'),
      [
        'merchants.csv has 10 problems; nothing was imported:',
        '  line 2, identifier-type must be a whole number from 0 to 1000000',
        '  line 2, email must be an e-mail address',
        '  line 2, phone must be a telephone number, such as +251111234567',
        '  line 2, service-fee must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5',
        '  line 2, category names no existing merchant-category: see "merchant category list"',
        '  line 2, payout-value must be a mobile number, such as +251911234567, because its key is msisdn',
        '  line 3, category names no existing merchant-category: see "merchant category list"',
        '  line 3, name is missing: a new merchant needs it',
        '  line 3, payout-value is missing: it belongs to the payout key',
        '  line 4, payout-value must be a mobile number, such as +251911234567, because its key is msisdn',
      ],
    ],
    [
      'numbers that a spreadsheet has shortened',
      'merchants',
      [
        MERCHANT,
        good('1.23457E+11'),
        good('B').replace('msisdn,0911234567', 'accountid,1.00023E+12'),
      ].join('\n'),
      [
        'merchants.csv has 2 problems; nothing was imported:',
        '  line 2, identifier was shortened by a spreadsheet, so that its last digits are lost: write all of them, and save the file as text',
        '  line 3, payout-value was shortened by a spreadsheet, so that its last digits are lost: write all of them, and save the file as text',
      ],
    ],
    [
      'the same merchant twice, and one without an identifier',
      'merchants',
      [MERCHANT, good('A'), good('B'), good('A'), good('A'), good('')].join('\n'),
      [
        'merchants.csv has 3 problems; nothing was imported:',
        '  line 4, identifier is already that of line 2',
        '  line 5, identifier is already that of line 2',
        '  line 6, identifier is missing: a new merchant needs it',
      ],
    ],
    [
      'a known merchant with something wrong',
      'merchants',
      'identifier,email,status\nMER-42,owner,\nMER-42,,GONE\nMER-99,,\n',
      [
        'merchants.csv has 9 problems; nothing was imported:',
        '  line 2, email must be an e-mail address',
        '  line 3, status must be ACTIVE or DEACTIVATED',
        '  line 3, identifier is already that of line 2',
        ...['name', 'type', 'identifier-type', 'email', 'phone', 'address'].map(
          (column) => `  line 4, ${column} is missing: a new merchant needs it`,
        ),
      ],
    ],
    [
      'the name of a deleted category',
      'merchant-categories',
      'name\nNew\nDeleted\n',
      [
        'merchant-categories.csv has 1 problem; nothing was imported:',
        '  line 3, name is that of merchant-category 2, which is deleted: see "merchant category restore"',
      ],
    ],
    [
      'products that contradict themselves or what is there',
      'products',
      [
        'name,kind,category,pricing-type,operator,price',
        'Gift,AIRTIME,Gifts,SERVICE_FEE,,',
        'Night,PACKAGE,PACKAGES,COMISSION,,',
        'Card,GIFT,Gifts,SERVICE_FEE,ETHIO_TELECOM,10',
        'Day,PACKAGE,PACKAGES,COMISSION,ETHIO_TELECOM,0',
      ].join('\n'),
      [
        'products.csv has 6 problems; nothing was imported:',
        '  line 2, kind cannot be changed: it is GIFT',
        '  line 3, operator is missing: a PACKAGE needs it',
        '  line 3, price is missing: a PACKAGE needs it',
        '  line 4, operator is only for a PACKAGE; this is GIFT',
        '  line 4, price is only for a PACKAGE; this is GIFT',
        '  line 5, price must be an amount in ETB above 0 with at most 2 decimals, such as 99.50',
      ],
    ],
    [
      'denominations of what is no gift',
      'denominations',
      'product,amount\nDay,10\n2,20\nGift,500.00\nGift,500\nGift,1e3\n,5\n',
      [
        'denominations.csv has 5 problems; nothing was imported:',
        '  line 2, product names product 2, which is PACKAGE, not GIFT',
        '  line 3, product names product 2, which is PACKAGE, not GIFT',
        '  line 5, product is already that of line 4',
        '  line 6, amount must be an amount in ETB above 0 with at most 2 decimals, such as 99.50',
        '  line 7, product is missing: a new denomination needs it',
      ],
    ],
    [
      'promos that end before they start, or lead elsewhere',
      'promos',
      [
        'name,category,description,image,start,end,discount,bonus,constraint',
        'A,Gifts,X,a.png,2026-12-02,2026-12-01,5,0,0',
        'B,Gifts,X,https://evil.example/a.png,2026-12-01,2026-12-01,5,0,0',
        'C,Gifts,X,../a.png,2026-12-01,2026-12-01,101,-1,-5',
        'D,Gifts,X,/a.png,2026-02-30,soon,5,0,0',
      ].join('\n'),
      [
        'promos.csv has 9 problems; nothing was imported:',
        '  line 2, end must be after the start',
        '  line 3, image must be a relative path, such as promos/meskel.png',
        '  line 4, image must be a relative path, such as promos/meskel.png',
        '  line 4, discount must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5',
        '  line 4, bonus must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5',
        '  line 4, constraint must be a number from 0 with at most 6 decimals, such as 100',
        '  line 5, image must be a relative path, such as promos/meskel.png',
        '  line 5, start must be a day such as 2026-11-21 or a time such as 2026-11-21T15:00:00Z',
        '  line 5, end must be a day such as 2026-11-21 or a time such as 2026-11-21T15:00:00Z',
      ],
    ],
    [
      'cells with too much or with control characters',
      'merchant-categories',
      `name\n${'x'.repeat(501)}\n${'x'.repeat(1_001)}\n"a\nb"\na\u001b[2J\n`,
      [
        'merchant-categories.csv has 4 problems; nothing was imported:',
        '  line 2, name must be one line of 1 to 500 printable characters',
        '  line 3, name is longer than 1000 characters',
        '  line 4, name must be one line of 1 to 500 printable characters',
        '  line 6, name must be one line of 1 to 500 printable characters',
      ],
    ],
    [
      'rows of another length',
      'merchant-categories',
      'name,status\nBooks\nFood,ACTIVE,\n',
      [
        'merchant-categories.csv has 2 problems; nothing was imported:',
        '  line 2 has 1 cells for 2 columns',
        '  line 3 has 3 cells for 2 columns',
      ],
    ],
  ])('%s', async (_what, kinds, content, expected) => {
    expect(await refusedImport(kinds, content)).toEqual(expected);
    expect(await refusedImport(kinds, content, '--dry-run')).toEqual(expected);
  });

  test('texts in JSON that PostgreSQL does not keep', async () => {
    const items = ['a\\ud800', 'a\\u0000', 'a\\u001b[2J'].map((name) => `{"name":"${name}"}`);
    const lines = await refusedImport('merchant-categories', `[${items}]`, '--format', 'json');
    expect(lines.slice(1)).toEqual(
      [1, 2, 3].map(
        (item) => `  item ${item}, name must be one line of 1 to 500 printable characters`,
      ),
    );
  });

  test('more problems than anybody reads', async () => {
    const lines = await refusedImport('merchant-categories', `name,status\n${'x,y\n'.repeat(60)}`);
    expect(lines[0]).toBe('merchant-categories.csv has 119 problems; nothing was imported:');
    expect(lines).toHaveLength(52);
    expect(lines.at(-1)).toBe('  and 69 more');
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['no rows', 'name\n', /^merchant-categories\.csv has no rows\.$/],
    [
      'no columns',
      '',
      /^merchant-categories\.csv is empty: its first row must name the columns\.$/,
    ],
    [
      'unknown columns',
      'name,colour\nBooks,red\n',
      /has unknown columns: "colour"; the columns are: name/,
    ],
    [
      'a NUL character',
      'name\nBo\0oks\n',
      /^--file contains a NUL character \(line 2\): save it as/,
    ],
    ['another encoding', Buffer.from('name\ncaf\xe9\n', 'latin1'), /^--file is not in UTF-8: save/],
    [
      'UTF-16',
      Buffer.from('name\nBooks\n', 'utf16le'),
      /^--file contains a NUL character \(line 1\)/,
    ],
    [
      'too many rows',
      `name\n${'x\n'.repeat(importLimits.rows + 1)}`,
      /has more than 50000 rows: import it in parts\.$/,
    ],
    ['too many bytes', Buffer.alloc(importLimits.bytes + 1, 'x'), /^--file is larger than 20 MB/],
    [
      'an open quotation mark',
      'name\n"Books\n',
      /is not valid CSV: a quotation mark is not closed/,
    ],
  ])('%s', async (_what, content, expected) => {
    const lines = await refusedImport('merchant-categories', content);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(expected);
  });

  test.each<[string, () => string[], RegExp]>([
    [
      'a name that is nowhere',
      () => ['--file', join(directory, 'none.csv')],
      /^--file \S+none\.csv cannot be read \(ENOENT\)\.$/,
    ],
    ['a name of a folder', () => ['--file', directory], /^--file \S+ cannot be read \(EISDIR\)\.$/],
    [
      'a name without a format',
      () => ['--file', 'README.md'],
      /^The name of README\.md does not show/,
    ],
    ['no name', () => [], /^Missing: --file\./],
    [
      'an unknown format',
      () => ['--file', 'README.md', '--format', 'xml'],
      /^--format must be csv or/,
    ],
    [
      'a value for a flag',
      () => ['--file', 'README.md', '--dry-run', 'yes'],
      /^Too many arguments/,
    ],
  ])('%s', async (_what, words, expected) => {
    const { code, err } = await scene.admin(['merchant', 'import', ...words()]);
    expect({ code, err: err.trimEnd() }).toEqual({ code: 1, err: expect.stringMatching(expected) });
  });
});

test('a failure in the middle of writing leaves nothing behind', async () => {
  const rows = Array.from({ length: 1_200 }, (_, index) => `Category ${index}`);
  await sql`alter table merchant_categories add constraint no_last
    check (category_name <> 'Category 1199')`.execute(scene.database);
  const lines = await refusedImport('merchant-categories', ['name', ...rows].join('\n'));
  expect(lines.join()).toContain('no_last');
});
