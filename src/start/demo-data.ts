import { generateKeyPairSync } from 'node:crypto';
import { sealApiKey } from '../crypto/api-key-copies.ts';
import type { Digests } from '../crypto/digests.ts';
import { type KeyEnvironment, randomApiKey } from '../crypto/random.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { findApiKey } from '../db/access/access.ts';
import {
  addApiKey,
  addDenomination,
  addMerchant,
  addMerchantCategory,
  addPartner,
  addProduct,
  addProductCategory,
  addPromos,
  addPublicKey,
  addSourceAddresses,
} from '../db/catalogue/companies.ts';
import { replacePrice } from '../db/catalogue/prices.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import { addTransfers } from '../db/ledger/ledger.ts';
import { parseMoney } from '../domain/money.ts';
import type { Company } from '../domain/voucher.ts';
import { demoCatalogue } from './demo-catalogue.ts';

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
    const makeKey = async (company: Company) => {
      const { key, prefix } = randomApiKey(environment);
      const digest = digests.apiKey(key);
      const ciphertext = sealApiKey(keyCopies, { key, digest });
      await addApiKey(transaction, company, { name: 'Demo', prefix, digest, ciphertext });
      return key;
    };
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
  const row = await transaction
    .selectFrom('partners')
    .innerJoin('merchants', (join) =>
      join.on('merchants.identifier', '=', demoCatalogue.DEMO_MERCHANT_IDENTIFIER),
    )
    .select(['partners.id as partnerId', 'merchants.id as merchantId'])
    .where('partners.company_name', '=', DEMO_PARTNER)
    .executeTakeFirst();
  return row;
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
  for (const { products, promos, ...category } of demoCatalogue.productCategories) {
    const categoryId = await addProductCategory(transaction, category);
    for (const { denominations = [], ...product } of products) {
      const productId = await addProduct(
        transaction,
        { ...product, product_category_id: categoryId },
        partnerId,
      );
      for (const { amount, priceUsd } of denominations)
        await seedDenomination(transaction, { partnerId, productId, amount, priceUsd });
    }
    if (promos.length > 0)
      await addPromos(
        transaction,
        promos.map((promo) => ({ ...promo, product_category_id: categoryId })),
      );
  }
}

async function seedDenomination(
  transaction: DatabaseTransaction,
  denomination: {
    readonly partnerId: number;
    readonly productId: number;
    readonly amount: string;
    readonly priceUsd: string | undefined;
  },
) {
  const denominationId = await addDenomination(transaction, {
    product_id: denomination.productId,
    amount_etb: denomination.amount,
  });
  if (denomination.priceUsd === undefined) return;
  await replacePrice(transaction, {
    partnerId: denomination.partnerId,
    denominationId,
    merchantId: null,
    sellingPriceUsd: denomination.priceUsd,
  });
}

/** Returns the first merchant, whose keys are in `demo.json`. */
async function seedMerchants(transaction: DatabaseTransaction): Promise<number> {
  const categoryIds = new Map<string, number>();
  for (const name of new Set(demoCatalogue.merchants.map(({ category }) => category)))
    categoryIds.set(name, await addMerchantCategory(transaction, name));
  const ids: number[] = [];
  for (const { category, ...merchant } of demoCatalogue.merchants) {
    const categoryId = categoryIds.get(category);
    ids.push(
      await addMerchant(transaction, {
        ...merchant,
        ...(categoryId === undefined ? {} : { merchant_category_id: categoryId }),
      }),
    );
  }
  const [first = 0] = ids;
  await addSourceAddresses(transaction, { kind: 'merchant', id: first }, LOOPBACK);
  return first;
}
