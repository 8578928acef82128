import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Insertable } from 'kysely';
import { readIfThere } from '../../config/local-stack.ts';
import type { Digests } from '../../crypto/digests.ts';
import {
  createPasswordHashes,
  type PasswordHashes,
  USUAL_PASSWORD_COST,
} from '../../crypto/password-hashes.ts';
import type { KeyEnvironment } from '../../crypto/random.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { findApiKey } from '../../db/access/access.ts';
import {
  addMerchant,
  addPartner,
  addProduct,
  addPublicKey,
  addSourceAddresses,
  type NewMerchant,
} from '../../db/catalogue/companies.ts';
import { replacePrice } from '../../db/catalogue/prices.ts';
import { addRow, type Database, type DatabaseTransaction } from '../../db/connection.ts';
import type { ProductsTable, PromosTable } from '../../db/generated/tables.ts';
import { addTransfers } from '../../db/ledger/ledger.ts';
import {
  addPortalAccount,
  addStaffAccount,
  findPortalAccount,
  setPassword,
} from '../../db/people/accounts.ts';
import { parseMoney } from '../../domain/money.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { issueApiKey } from '../../operations/api-keys.ts';
import { products } from '../../sandbox/products.ts';

type DemoProduct = Omit<Insertable<ProductsTable>, 'product_category_id'> & {
  readonly denominations?: readonly { readonly amount: string; readonly priceUsd?: string }[];
};

interface DemoCategory {
  readonly category_name: string;
  readonly category_description: string;
  readonly products: readonly DemoProduct[];
  readonly promos: readonly Omit<Insertable<PromosTable>, 'product_category_id'>[];
}

type DemoMerchant = NewMerchant & { readonly category: string };

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

/** The packages of the sandbox's DT One. The dearest exceeds the demo wallet, to try "not enough money". */
const packages = products.flatMap(({ id, name, operator, price }): DemoProduct[] =>
  typeof price === 'number'
    ? [
        {
          kind: 'PACKAGE',
          operator,
          product_name: name,
          description: null,
          pricing_type: 'COMISSION',
          price_amount: String(price),
          provider_product_id: id,
        },
      ]
    : [],
);

export const demoCategories: readonly DemoCategory[] = [
  {
    category_name: 'GIFTS',
    category_description: 'Gift vouchers',
    products: [
      {
        kind: 'GIFT',
        product_name: 'Gift voucher',
        description: 'A prepaid digital gift card in ETB',
        pricing_type: 'SERVICE_FEE',
        denominations: [
          { amount: '100', priceUsd: '1.00' },
          { amount: '250', priceUsd: '2.40' },
          { amount: '500', priceUsd: '4.75' },
          { amount: '1000', priceUsd: '9.40' },
          { amount: '5000', priceUsd: '46.50' },
          // Has no price, to try "no price defined".
          { amount: '750' },
        ],
      },
    ],
    // Promos promise nothing: the service applies none to a price.
    promos: [
      {
        promo_name: 'Meskel gifts',
        promo_image: 'promos/meskel-gifts.png',
        promo_description: 'A voucher is a gift for Meskel',
        promo_start_date: daysFromNow(-10),
        promo_end_date: daysFromNow(80),
      },
    ],
  },
  {
    category_name: 'AIRTIME',
    category_description: 'Airtime of any amount',
    products: [
      {
        kind: 'AIRTIME',
        product_name: 'Airtime',
        description: 'Airtime for Ethio telecom and Safaricom Ethiopia',
        pricing_type: 'COMISSION',
      },
    ],
    promos: [
      {
        promo_name: 'Airtime days',
        promo_image: 'promos/airtime-days.png',
        promo_description: 'Ended last month',
        promo_start_date: daysFromNow(-60),
        promo_end_date: daysFromNow(-30),
        status: 'INACTIVE',
      },
    ],
  },
  {
    category_name: 'PACKAGES',
    category_description: 'Voice and data packages',
    products: packages,
    promos: [
      {
        promo_name: 'Data week',
        promo_image: 'promos/data-week.png',
        promo_description: 'Packages for a week of films',
        promo_start_date: daysFromNow(-2),
        promo_end_date: daysFromNow(12),
      },
    ],
  },
];

/**
 * Name, category, service fee in percent, and the last three digits of the payout number, which
 * select the scenario of the sandbox.
 */
const merchantRows = [
  ['Abyssinia Coffee House', 'Restaurants', '2.5', '000'],
  ['Shoa Supermarket', 'Supermarkets', '2', '000'],
  ['Bole Electronics', 'Electronics', '3', '000'],
  ['Sheger Books', 'Books', '1.5', '000'],
  ['Habesha Fashion', 'Clothing', '4', '000'],
  ['Entoto Pharmacy', 'Health', '1', '000'],
  ['Lalibela Restaurant', 'Restaurants', '2.5', '000'],
  ['Tana Supermarket', 'Supermarkets', '2', '000'],
  ['Axum Jewellery', 'Clothing', '5', '000'],
  ['Awash Furniture', 'Home', '3', '006'],
  ['Semien Outdoor', 'Clothing', '3.5', '014'],
  ['Harar Spices', 'Supermarkets', '0', '008'],
  ['Gondar Toys', 'Home', '2.25', '009'],
] as const;

const merchants: readonly DemoMerchant[] = merchantRows.map(
  ([merchant_name, category, service_fee_percent, payoutSuffix], index): DemoMerchant => {
    const number = String(index + 1).padStart(2, '0');
    return {
      merchant_name,
      category,
      service_fee_percent,
      merchant_type: 'RETAIL',
      identifier_type: 1,
      identifier: `MER-00${number}`,
      email: `merchant${number}@demo.test`,
      phone: `+2519110010${number}`,
      address: 'Addis Ababa',
      payout: { key: 'msisdn', value: `+2519110${number}${payoutSuffix}` },
    };
  },
);

/** The merchant whose keys are in `demo.json`. */
const DEMO_MERCHANT_IDENTIFIER = 'MER-0001';

/** The data that a tester needs for both APIs; its secrets exist nowhere else. */
export interface DemoAccess {
  readonly partner: { readonly id: number; readonly apiKey: string };
  readonly merchant: {
    readonly id: number;
    readonly apiKey: string;
    readonly privateKeyPem: string;
  };
}

const LOOPBACK = ['127.0.0.0/8', '::1'];
const DEMO_PARTNER = 'Demo Partner';

/**
 * Creates the demo partner, its money, its catalogue and the merchants in an empty database. In a
 * database that has them it creates new keys, for a start whose `demo.json` was lost.
 */
export const makeDemoData = (
  database: Database,
  {
    digests,
    keyCopies,
    environment,
  }: {
    readonly digests: Digests;
    /** Undefined where keys are not stored. */
    readonly keyCopies: SecretBox | undefined;
    readonly environment: KeyEnvironment;
  },
): Promise<DemoAccess> =>
  database.transaction().execute(async (transaction) => {
    const { partnerId, merchantId } =
      (await findDemo(transaction)) ?? (await seedDemo(transaction));
    const partner: Company = { kind: 'partner', id: partnerId };
    const merchant: Company = { kind: 'merchant', id: merchantId };
    const services = { digests, keyCopies, settings: { process: { environment } } };
    const makeKey = async (company: Company) =>
      (await issueApiKey(transaction, company, { name: 'Demo' }, services)).key;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await addPublicKey(transaction, merchantId, publicKeyPem);
    return {
      partner: { id: partnerId, apiKey: await makeKey(partner) },
      merchant: {
        id: merchantId,
        apiKey: await makeKey(merchant),
        privateKeyPem: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      },
    };
  });

/** Whether the keys of an earlier start are valid in this database. */
export async function isDemoKey(
  database: Database,
  digests: Digests,
  access: { readonly partner: { readonly apiKey: string } },
): Promise<boolean> {
  const key = await findApiKey(database, 'partner', digests.apiKey(access.partner.apiKey));
  return key?.isValid === true;
}

async function findDemo(transaction: DatabaseTransaction) {
  return transaction
    .selectFrom('partners')
    .innerJoin('merchants', (join) =>
      join.on('merchants.identifier', '=', DEMO_MERCHANT_IDENTIFIER),
    )
    .select(['partners.id as partnerId', 'merchants.id as merchantId'])
    .where('partners.company_name', '=', DEMO_PARTNER)
    .executeTakeFirst();
}

async function seedDemo(transaction: DatabaseTransaction) {
  const partnerId = await addPartner(transaction, DEMO_PARTNER);
  await addSourceAddresses(transaction, { kind: 'partner', id: partnerId }, LOOPBACK);
  await addTransfers(transaction, [
    deposit(partnerId, 'gift', '1000000'),
    deposit(partnerId, 'airtime', '100000'),
  ]);
  await seedProducts(transaction, partnerId);
  const merchantId = await seedMerchants(transaction);
  return { partnerId, merchantId };
}

const deposit = (partnerId: number, wallet: 'gift' | 'airtime', amount: string) => ({
  operationId: `deposit:demo-${partnerId}-${wallet}`,
  partnerId,
  step: 'deposit',
  debit: 'funding' as const,
  credit: wallet,
  amount: parseMoney(amount),
});

async function seedProducts(transaction: DatabaseTransaction, partnerId: number) {
  for (const { products, promos, ...category } of demoCategories) {
    const categoryId = await addRow(transaction, 'product_categories', category);
    for (const { denominations = [], ...product } of products) {
      const productId = await addProduct(
        transaction,
        { ...product, product_category_id: categoryId },
        partnerId,
      );
      for (const { amount, priceUsd } of denominations) {
        const denominationId = await addRow(transaction, 'gift_denominations', {
          product_id: productId,
          amount_etb: amount,
        });
        const price = { partnerId, denominationId, merchantId: null };
        if (priceUsd !== undefined)
          await replacePrice(transaction, { ...price, sellingPriceUsd: priceUsd });
      }
    }
    for (const promo of promos)
      await addRow(transaction, 'promos', { ...promo, product_category_id: categoryId });
  }
}

/** Returns the first merchant, whose keys are in `demo.json`. */
async function seedMerchants(transaction: DatabaseTransaction): Promise<number> {
  const categoryIds = new Map<string, number>();
  for (const name of new Set(merchants.map(({ category }) => category)))
    categoryIds.set(
      name,
      await addRow(transaction, 'merchant_categories', { category_name: name }),
    );
  const ids: number[] = [];
  for (const { category, ...merchant } of merchants) {
    const categoryId = categoryIds.get(category);
    ids.push(
      await addMerchant(transaction, {
        ...merchant,
        ...(categoryId !== undefined && { merchant_category_id: categoryId }),
      }),
    );
  }
  const [first = 0] = ids;
  await addSourceAddresses(transaction, { kind: 'merchant', id: first }, LOOPBACK);
  return first;
}

/** The addresses of a started stack. */
export interface StackAddresses {
  readonly api: string;
  readonly sandboxUrl: string;
  readonly temporalUiUrl: string;
  readonly temporalAddress: string;
}

/** The account of a person, with the address of its pages. */
interface PersonAccess {
  readonly portalUrl: string;
  readonly portalEmail: string;
  readonly portalPassword: string;
}

interface CompanyAccess extends PersonAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** `.data/demo.json`: all data that a tester or the demo needs. */
export interface DemoFile extends Omit<StackAddresses, 'api'> {
  readonly partner: CompanyAccess;
  readonly merchant: CompanyAccess & {
    readonly privateKeyPem: string;
    readonly merchantId: number;
  };
  /** A person of the service, at `/support`. */
  readonly staff: PersonAccess;
}

const fileIn = (dataDirectory: string) => join(dataDirectory, 'demo.json');

/** The demo file of an earlier start; undefined where there is none. */
export async function readDemoFile(dataDirectory: string): Promise<DemoFile | undefined> {
  const text = await readIfThere(fileIn(dataDirectory));
  return text === undefined ? undefined : JSON.parse(text);
}

/** Writes the demo file with the addresses of this start, readable only by its owner. */
export async function writeDemoFile(
  dataDirectory: string,
  access: DemoAccess | DemoFile,
  addresses: StackAddresses,
): Promise<DemoFile> {
  const file = demoFile(access, addresses);
  await writeFile(fileIn(dataDirectory), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  return file;
}

function demoFile(access: DemoAccess | DemoFile, { api, ...addresses }: StackAddresses): DemoFile {
  const { partner, merchant } = access;
  const staff = 'staff' in access ? access.staff : {};
  const person = (known: object, email: string, path: string) => ({
    portalUrl: api + path,
    portalEmail: email,
    portalPassword:
      'portalPassword' in known
        ? String(known.portalPassword)
        : randomBytes(12).toString('base64url'),
  });
  const portal = (company: object, email: string) => person(company, email, '/portal');
  return {
    partner: {
      baseUrl: `${api}/api/v1/client`,
      apiKey: partner.apiKey,
      ...portal(partner, 'partner@demo.test'),
    },
    merchant: {
      baseUrl: `${api}/api/v1/merchant/client`,
      apiKey: merchant.apiKey,
      privateKeyPem: merchant.privateKeyPem,
      merchantId: 'merchantId' in merchant ? merchant.merchantId : merchant.id,
      ...portal(merchant, 'merchant@demo.test'),
    },
    staff: person(staff, 'staff@demo.test', '/support'),
    ...addresses,
  };
}

/**
 * Creates the portal accounts of the demo file, or resets their passwords to it: the file is always
 * valid, even after changes in the portal.
 */
export async function makeDemoAccounts(
  database: Database,
  digests: Digests,
  demo: DemoFile,
  passwords = createPasswordHashes(USUAL_PASSWORD_COST),
): Promise<void> {
  const key = await findApiKey(database, 'partner', digests.apiKey(demo.partner.apiKey));
  const merchant: Company = { kind: 'merchant', id: demo.merchant.merchantId };
  // Each hash takes half a second.
  await Promise.all([
    key && makeAccount(database, passwords, key.company, demo.partner),
    makeAccount(database, passwords, merchant, demo.merchant),
    makeAccount(database, passwords, 'staff', demo.staff),
  ]);
}

async function makeAccount(
  database: Database,
  passwords: PasswordHashes,
  holder: Company | 'staff',
  demo: { readonly portalEmail: string; readonly portalPassword: string },
): Promise<void> {
  const known = await findPortalAccount(database, demo.portalEmail);
  if (known && (await passwords.fits(demo.portalPassword, known.passwordHash))) return;
  const password = { hash: await passwords.make(demo.portalPassword), mustChange: false };
  await database.transaction().execute(async (transaction) => {
    if (known) return setPassword(transaction, known.id, password);
    const account = { email: demo.portalEmail, password };
    if (holder === 'staff')
      await addStaffAccount(transaction, { ...account, name: 'Demo operator', role: 'OPERATOR' });
    else await addPortalAccount(transaction, { ...account, company: holder });
  });
}
