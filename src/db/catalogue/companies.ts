import { type Insertable, sql } from 'kysely';
import type { ApiKeyPower } from '../../domain/access/api-key.ts';
import { scopesOf } from '../../domain/access/scope.ts';
import type { Company } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import type {
  GiftDenominationsTable,
  MerchantsTable,
  ProductsTable,
  PromosTable,
} from '../schema/all-tables.ts';
import { grantAccess } from './product-access.ts';

/** Adds a partner; a trigger opens its five ledger accounts. */
export async function addPartner(database: Database, companyName: string): Promise<number> {
  const { id } = await database
    .insertInto('partners')
    .values({ company_name: companyName })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface NewMerchant
  extends Omit<
    Insertable<MerchantsTable>,
    'merchant_logo' | 'deleted_at' | 'service_fee_percent' | 'merchant_category_id'
  > {
  readonly merchant_category_id?: number;
  /** Decimal string; without it no claim can be priced. */
  readonly service_fee_percent?: string;
  /** Key and value of a GSMA party; without it the merchant cannot be paid. */
  readonly payout?: { readonly key: string; readonly value: string };
}

/** Adds a merchant with its payout account. */
export async function addMerchant(database: Database, merchant: NewMerchant): Promise<number> {
  const { payout, ...row } = merchant;
  const { id } = await database
    .insertInto('merchants')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow();
  if (payout) {
    await database
      .insertInto('merchant_payout_accounts')
      .values({ merchant_id: id, party_key: payout.key, party_value: payout.value })
      .execute();
  }
  return id;
}

/** Adds a merchant category. */
export async function addMerchantCategory(database: Database, name: string): Promise<number> {
  const { id } = await database
    .insertInto('merchant_categories')
    .values({ category_name: name })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds a product category. */
export async function addProductCategory(
  database: Database,
  category: { readonly name: string; readonly description: string },
): Promise<number> {
  const { id } = await database
    .insertInto('product_categories')
    .values({ category_name: category.name, category_description: category.description })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds a product, optionally with access for a partner. */
export async function addProduct(
  database: Database,
  product: Insertable<ProductsTable>,
  partnerId?: number,
): Promise<number> {
  const { id } = await database
    .insertInto('products')
    .values(product)
    .returning('id')
    .executeTakeFirstOrThrow();
  if (partnerId !== undefined) await grantAccess(database, { partnerId, productId: id });
  return id;
}

/** Adds a denomination of the gift product. */
export async function addDenomination(
  database: Database,
  denomination: Insertable<GiftDenominationsTable>,
): Promise<number> {
  const { id } = await database
    .insertInto('gift_denominations')
    .values(denomination)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds promos. */
export async function addPromos(
  database: Database,
  promos: Insertable<PromosTable>[],
): Promise<void> {
  await database.insertInto('promos').values(promos).execute();
}

const ownerColumns = (company: Company) =>
  company.kind === 'partner' ? { partner_id: company.id } : { merchant_id: company.id };

/**
 * Stores an API key's digest, and its ciphertext if it can be copied; never the key itself. By default
 * it has all scopes of its kind of company, and no daily limit.
 */
export async function addApiKey(
  database: Database,
  company: Company,
  apiKey: {
    readonly name: string;
    readonly prefix: string;
    readonly digest: Buffer;
    readonly ciphertext?: string | null;
  } & Partial<ApiKeyPower>,
): Promise<number> {
  const { id } = await database
    .insertInto('api_keys')
    .values({
      ...ownerColumns(company),
      key_name: apiKey.name,
      key_prefix: apiKey.prefix,
      key_digest: apiKey.digest,
      key_ciphertext: apiKey.ciphertext ?? null,
      scopes: [...(apiKey.scopes ?? scopesOf(company.kind))],
      daily_amount: apiKey.dailyAmount ?? null,
      daily_operations: apiKey.dailyOperations ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Registers addresses or CIDR ranges of a company. */
export async function addSourceAddresses(
  database: Database,
  company: Company,
  addresses: readonly string[],
): Promise<number[]> {
  const rows = await database
    .insertInto('source_addresses')
    .values(addresses.map((address) => ({ ...ownerColumns(company), address })))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Registers a public key of a merchant; undefined where the key is already valid, for any merchant.
 */
export async function addPublicKey(
  database: Database,
  merchantId: number,
  publicKeyPem: string,
  options: {
    /** The merchant has signed a challenge with the private key. */
    readonly isProven?: boolean;
  } = {},
): Promise<number | undefined> {
  const row = await database
    .insertInto('merchant_public_keys')
    .values({
      merchant_id: merchantId,
      public_key_pem: publicKeyPem,
      proven_at: options.isProven ? sql<Date>`now()` : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}
