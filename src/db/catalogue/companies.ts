import { type Insertable, sql, type Updateable } from 'kysely';
import { type ApiKeyPower, scopesOf } from '../../domain/access.ts';
import type { MessageLanguage } from '../../domain/vouchers/messages.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import {
  addRow,
  allRows,
  allValues,
  type Database,
  type DatabaseTransaction,
  firstRow,
  now,
} from '../connection.ts';
import type { MerchantsTable, ProductsTable, Schema } from '../generated/tables.ts';
import { grantAccess } from './prices.ts';

/** The table of a kind of company. */
export const companyTable = ({ kind }: Pick<Company, 'kind'>) =>
  kind === 'partner' ? 'partners' : 'merchants';

/** The column that refers to a company of a kind. */
export const companyColumn = ({ kind }: Pick<Company, 'kind'>) =>
  kind === 'partner' ? 'partner_id' : 'merchant_id';

/** The value of that column; the column of the other kind is null. */
export const companyColumns = (company: Company) =>
  company.kind === 'partner' ? { partner_id: company.id } : { merchant_id: company.id };

/** The ids of a row's company: exactly one is null. */
export type CompanyIds = Readonly<Record<'partnerId' | 'merchantId', number | null>>;

/** The company of a row that has the id of a partner or of a merchant. */
export const companyOfRow = ({ partnerId, merchantId }: CompanyIds): Company =>
  partnerId === null
    ? { kind: 'merchant', id: merchantId ?? 0 }
    : { kind: 'partner', id: partnerId };

/** SQL expression: the name of a row's company. */
export const companyName = sql<string | null>`case company_kind
  when 'partner' then (select company_name from partners where partners.id = company_id)
  when 'merchant' then (select merchant_name from merchants where merchants.id = company_id) end`;

/** A company for people of the service. */
export interface FoundCompany extends Company {
  readonly name: string;
  readonly status: 'ACTIVE' | 'SUSPENDED' | 'DEACTIVATED' | 'DELETED';
  readonly createdAt: Date;
  /** The contact of a merchant. */
  readonly contact: {
    readonly identifier: string;
    readonly email: string;
    readonly phone: string;
    readonly address: string;
  } | null;
}

/** A company, also a merchant that was deleted: its payments stay. Undefined where there is none. */
export async function findCompany(
  database: Database,
  { kind, id }: Company,
): Promise<FoundCompany | undefined> {
  if (kind === 'partner') {
    const partner = await database
      .selectFrom('partners')
      .select(['company_name as name', 'status', 'created_at as createdAt'])
      .where('id', '=', id)
      .executeTakeFirst();
    return partner && { kind, id, ...partner, contact: null };
  }
  const merchant = await database
    .selectFrom('merchants')
    .select(['merchant_name as name', 'status', 'created_at as createdAt', 'deleted_at'])
    .select(['identifier', 'email', 'phone', 'address'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!merchant) return undefined;
  const { name, createdAt, deleted_at, ...contact } = merchant;
  const status = deleted_at === null ? merchant.status : 'DELETED';
  return { kind, id, name, status, createdAt, contact };
}

/** Adds a partner; a trigger opens its five ledger accounts. */
export const addPartner = (database: Database, companyName: string) =>
  addRow(database, 'partners', { company_name: companyName });

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
  const id = await addRow(database, 'merchants', row);
  if (payout) {
    await database
      .insertInto('merchant_payout_accounts')
      .values({ merchant_id: id, party_key: payout.key, party_value: payout.value })
      .execute();
  }
  return id;
}

/** Adds a product, optionally with access for a partner. */
export async function addProduct(
  database: Database,
  product: Insertable<ProductsTable>,
  partnerId?: number,
): Promise<number> {
  const id = await addRow(database, 'products', product);
  if (partnerId !== undefined) await grantAccess(database, { partnerId, productId: id });
  return id;
}

/**
 * Stores an API key's digest, and its ciphertext if it can be copied; never the key itself. By default
 * it has all scopes of its kind of company, and no daily limit.
 */
export const addApiKey = (
  database: Database,
  company: Company,
  apiKey: {
    readonly name: string;
    readonly prefix: string;
    readonly digest: Buffer;
    readonly ciphertext?: string | null;
  } & Partial<ApiKeyPower>,
) =>
  addRow(database, 'api_keys', {
    ...companyColumns(company),
    key_name: apiKey.name,
    key_prefix: apiKey.prefix,
    key_digest: apiKey.digest,
    key_ciphertext: apiKey.ciphertext ?? null,
    scopes: [...(apiKey.scopes ?? scopesOf(company.kind))],
    daily_amount: apiKey.dailyAmount ?? null,
    daily_operations: apiKey.dailyOperations ?? null,
  });

/** Registers addresses or CIDR ranges of a company. */
export async function addSourceAddresses(
  database: Database,
  company: Company,
  addresses: readonly string[],
): Promise<number[]> {
  const rows = await database
    .insertInto('source_addresses')
    .values(addresses.map((address) => ({ ...companyColumns(company), address })))
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
      proven_at: options.isProven ? now : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** The tables that operators change. */
export type ChangeableTable =
  | 'partners'
  | 'merchants'
  | 'merchant_categories'
  | 'product_categories'
  | 'products'
  | 'promos'
  | 'gift_denominations';

/** The old and new value of each changed column. */
export type ColumnChanges = Readonly<
  Record<string, { readonly from: unknown; readonly to: unknown }>
>;

/** A row as the database has it: its columns by their names. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether rows of a table are marked as deleted instead of being removed. */
export const isDeletable = (table: ChangeableTable): boolean =>
  table !== 'partners' && table !== 'gift_denominations';

const isLive = (table: ChangeableTable) =>
  isDeletable(table) ? sql`deleted_at is null` : sql`true`;

/** Reads one row; undefined where the id does not exist or is deleted. */
export const findRow = (database: Database, table: ChangeableTable, id: number) =>
  firstRow<Row>(database)`
    select * from ${sql.table(table)} where id = ${id} and ${isLive(table)}`;

/** All rows of a small table that are not deleted. */
export const findAllRows = (database: Database, table: ChangeableTable) =>
  allRows<Row>(database)`
    select * from ${sql.table(table)} where ${isLive(table)} order by id`;

/** Reads and locks one row; undefined where the id does not exist or is deleted. */
export const lockRow = (transaction: DatabaseTransaction, table: ChangeableTable, id: number) =>
  firstRow<Row>(transaction)`
    select * from ${sql.table(table)} where id = ${id} and ${isLive(table)}
    for no key update`;

/**
 * The given columns whose values differ, with their old values. Decimals are compared as text, so
 * they need the digits of their column.
 */
export const differences = (before: Row, values: Row): ColumnChanges =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([column, value]) => value !== undefined && !isSame(value, before[column] ?? null))
      .map(([column, to]) => [column, { from: before[column] ?? null, to }]),
  );

const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;

/**
 * Changes the given columns of one row that differ. Returns them, empty when nothing differs;
 * undefined where the row does not exist.
 */
export async function changeRow<Table extends ChangeableTable>(
  transaction: DatabaseTransaction,
  table: Table,
  id: number,
  values: Updateable<Schema[Table]>,
): Promise<ColumnChanges | undefined> {
  const before = await lockRow(transaction, table, id);
  if (!before) return undefined;
  const changes = differences(before, values as Row);
  const row = Object.fromEntries(Object.entries(changes).map(([column, { to }]) => [column, to]));
  if (Object.keys(row).length > 0) await changeRows(transaction, table, [{ id, ...row }]);
  return changes;
}

/** Changes many rows at once; all have their ids and the same columns. */
export async function changeRows(
  transaction: DatabaseTransaction,
  table: ChangeableTable,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'id');
  const assignments = columns.map((column) => sql`${sql.ref(column)} = given.${sql.ref(column)}`);
  if (table !== 'gift_denominations') assignments.push(sql`updated_at = now()`);
  const name = sql.table(table);
  await sql`
    update ${name} set ${sql.join(assignments)}
    from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb) as given
    where ${name}.id = given.id`.execute(transaction);
}

/** Ends the selling prices of a denomination or at a merchant; returns the number. */
export async function endPrices(
  transaction: DatabaseTransaction,
  column: 'denomination_id' | 'merchant_id',
  id: number,
): Promise<number> {
  const result = await transaction
    .updateTable('partner_gift_denomination_prices')
    .set({ replaced_at: now })
    .where(column, '=', id)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * The ids of the first five other rows with the same name, ignoring case and surrounding spaces.
 */
export function findNamesakes(
  transaction: DatabaseTransaction,
  row: {
    readonly table: 'partners' | 'merchants';
    readonly nameColumn: string;
    readonly id: number;
  },
) {
  const name = sql.ref(`other.${row.nameColumn}`);
  return allValues<number>(transaction)`
    select other.id from ${sql.table(row.table)} as one
    join ${sql.table(row.table)} as other on other.id <> one.id
      and lower(btrim(${name})) = lower(btrim(${sql.ref(`one.${row.nameColumn}`)}))
    where one.id = ${row.id} order by other.id limit 5`;
}

/** The language of messages to the owners of a partner's vouchers. */
export const messageLanguageOf = async (
  database: Database,
  partnerId: number,
): Promise<MessageLanguage> =>
  (
    await database
      .selectFrom('partners')
      .select('message_language')
      .where('id', '=', partnerId)
      .executeTakeFirstOrThrow()
  ).message_language;
