import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  type AdminScene,
  type Catalogue,
  commandsOn,
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
  await scene.json(merchantWords('MER-42'));
});
afterAll(() => scene?.close());

const PACKAGE = '--pricing-type COMISSION --operator SAFARICOM_ETHIOPIA --price 20.5';

describe('refused in one line, with nothing changed:', () => {
  const gift = () =>
    `product create --name X --kind GIFT --category ${packagesId} --pricing-type SERVICE_FEE`;
  const merchant = (...more: string[]) => [...merchantWords(randomUUID()), ...more];

  test.each<[string, () => string | string[], RegExp]>([
    ['an empty name', () => ['partner', 'create', '--name', ' '], /^--name must be one line/],
    ['a name in two lines', () => ['partner', 'create', '--name', 'a\nb'], /^--name must be one/],
    ['a name that paints', () => ['partner', 'create', '--name', 'a\u001b[2J'], /^--name must be/],
    [
      'a reason that names a customer',
      () => [
        'privacy',
        'erase-number',
        '0911234568',
        '--why',
        'The owner, 0911 234 567, has called',
      ],
      /^--why names a phone number: leave it out and name the ticket, because it is kept in clear\.\n$/,
    ],
    [
      'nothing to change',
      () => `merchant change ${catalogue.merchantId}`,
      /^There is nothing to ch/,
    ],
    [
      'no such partner',
      () => 'partner change 999 --name X',
      /^There is no partner 999: see "partner list"/,
    ],
    ['a partner without a number', () => 'partner suspend first', /^<id> must be a whole number/],
    ['an unknown command', () => 'destroy partner 1', /^Unknown command 'destroy'/],
    ['an unknown option', () => 'partner create --nme X', /^Unknown option '--nme' \(Did you mean/],
    ['a missing option', () => 'partner create', /^Missing: --name\. Add --help to see how\.\n$/],
    [
      'missing options',
      () => 'merchant payout-account set',
      /^Missing: --merchant, --key, --value\. /,
    ],
    ['a missing argument', () => 'partner suspend', /^Missing required argument 'id'/],
    [
      'too many words',
      () => 'partner suspend 1 2',
      /^Too many arguments for 'suspend'\. Expected 1 argument but got 2: 1, 2\. Add --help to see how\.\n$/,
    ],
    [
      'a taken identifier',
      () => [...merchantWords('MER-42')],
      /^--identifier is already that of merchant \d+\.\n$/,
    ],
    [
      'half a payout account',
      () => merchantWords('X').slice(0, -2),
      /^--payout-value is missing: it belongs/,
    ],
    [
      'a payout number',
      () => merchant('--payout-value', '123'),
      /^--payout-value must be a mobile/,
    ],
    ['an e-mail address', () => merchant('--email', 'owner'), /^--email must be an e-mail address/],
    ['a telephone number', () => merchant('--phone', 'call me'), /^--phone must be a telephone/],
    [
      'a category that is not there',
      () => merchant('--category', '99'),
      /^--category names no existing merchant-category: see "merchant category list"/,
    ],
    [
      'a fee above 100',
      () => merchant('--service-fee', '100.1'),
      /^--service-fee must be a percent/,
    ],
    ['a fee below 0', () => merchant('--service-fee', '-1'), /^--service-fee must be a percentage/],
    [
      'a taken category name',
      () => 'product category create --name PACKAGES --description X',
      /^--name is already that of product-category \d+/,
    ],
    [
      'a kind that is not there',
      () => gift().replace('GIFT', 'TOY'),
      /^--kind must be GIFT or AIR/,
    ],
    [
      'a gift with a price',
      () => `${gift()} --price 10`,
      /^--price is only for a PACKAGE; this is GIFT\.\n$/,
    ],
    [
      'a package without a price',
      () => gift().replace('GIFT', 'PACKAGE'),
      /^--operator is missing: a PACKAGE needs it\. --price is missing/,
    ],
    [
      'a product id of 0',
      () => 'product change 1 --provider-product-id 0',
      /^--provider-product-id m/,
    ],
    [
      'a price for a gift',
      () => `product change ${catalogue.giftProductId} --price 10`,
      /^--price is only for a PACKAGE/,
    ],
    [
      'a denomination of 0',
      () => 'product denomination create --product 1 --amount 0',
      /^--amount must be/,
    ],
  ])('%s', async (_case, words, expected) => {
    const rows = await scene.auditRows();
    const refused = await scene.admin(words());
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(expected);
    expect(refused.err.trim().split('\n')).toHaveLength(1);
    expect(await scene.auditRows()).toEqual(rows);
  });

  test('a denomination of a package', async () => {
    const { id } = await scene.json(
      `product create --name Data --kind PACKAGE --category ${packagesId} ${PACKAGE}`,
    );
    const refused = await scene.admin(`product denomination create --product ${id} --amount 10`);
    expect(refused.err).toBe(`--product names product ${id}, which is PACKAGE, not GIFT.\n`);
  });
});

describe('wrong settings are refused in one line:', () => {
  test.each<[string, string, () => Record<string, string>, RegExp]>([
    [
      'a database that is away',
      'partner list',
      () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }),
      /^The database cannot be reached \(.*ECONNREFUSED.*\): is the service running\?/,
    ],
    [
      'another database',
      'partner list',
      () => ({ DATABASE_URL: inject('databaseAdminUrl') }),
      /^The tables of the database are not up to date: run/,
    ],
    [
      'the login of another role',
      'partner create --name X',
      () => ({ DATABASE_URL: String(scene.environment.DATABASE_READ_URL) }),
      /^The user of DATABASE_URL lacks the rights of this command/,
    ],
    [
      'a server that only reads',
      'partner create --name X',
      () => ({
        DATABASE_URL: `${scene.environment.DATABASE_URL}?options=-c%20default_transaction_read_only%3Don`,
      }),
      /^DATABASE_URL leads to a standby, or to a database that is read-only: give the address/,
    ],
    [
      'no key of digests',
      'access api-key create --partner 1 --name X',
      () => ({ DATABASE_URL: String(scene.environment.DATABASE_URL) }),
      /^This command needs the setting DIGEST_KEY/,
    ],
    [
      'a key of digests that is too short',
      'partner list',
      () => ({ DATABASE_URL: String(scene.environment.DATABASE_URL), DIGEST_KEY: 'c2hvcnQ=' }),
      /^Settings are missing or wrong: DIGEST_KEY: must be 32 bytes in base64/,
    ],
  ])('%s', async (_case, words, environment, expected) => {
    const { code, out, err } = await commandsOn(environment()).admin(words);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(expected);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});

test.each([
  ['--help', /Usage: npm run admin -- <group> <command>.*Example:/s],
  ['merchant --help', /set-service-fee +Set the service fee.*category … +Categories of merchants/s],
  [
    'merchant import --help',
    /\* identifier-type +The type of its identifier.*A file in CSV:.*MER-0042.*--dry-run/s,
  ],
  [
    'money deposit --help',
    /--reference <text> +The reference of the payment.*Examples:.*CBE-2026/s,
  ],
])('helps: %s', async (words, expected) => {
  const { code, out } = await scene.admin(words);
  expect(code).toBe(0);
  expect(out).toMatch(expected);
});
