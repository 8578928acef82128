import { sql } from 'kysely';
import type { ApiKeyPower, ApiKeyStatus } from '../../domain/access.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { companyColumn, companyTable } from '../catalogue/companies.ts';
import {
  allValues,
  type Database,
  type DatabaseTransaction,
  hasRows,
  now,
  updateRow,
} from '../connection.ts';
import { type RowPage, rowsById } from '../row-page.ts';
import { isValidKey } from './access.ts';

/** SQL condition: rows of one company, or all rows. An id that a person gave may belong to another company. */
const ownedBy = (company: Company | undefined) =>
  company === undefined
    ? sql<boolean>`true`
    : sql<boolean>`${sql.ref(companyColumn(company))} = ${company.id}`;

export type ListedKey = Awaited<ReturnType<typeof listApiKeys>>[number];

/**
 * The API keys of a company, including ended ones, by the database's clock; never a key itself.
 * `ageDays` counts whole days.
 */
export const listApiKeys = (database: Database, company: Company, page?: RowPage) =>
  rowsById(
    database
      .selectFrom('api_keys')
      .select([
        'id',
        'key_name as name',
        'key_prefix as prefix',
        'created_at as createdAt',
        'expires_at as expiresAt',
        'revoked_at as revokedAt',
        'last_used_at as lastUsedAt',
        'last_used_address as lastUsedAddress',
        'scopes',
        'daily_amount as dailyAmount',
        'daily_operations as dailyOperations',
        sql<ApiKeyStatus>`case when revoked_at is not null then 'REVOKED'
        when expires_at <= now() then 'EXPIRED'
        when expires_at is not null then 'ENDING' else 'VALID' end`.as('status'),
        sql<number>`extract(day from now() - created_at)::int`.as('ageDays'),
        sql<boolean>`key_ciphertext is not null`.as('isKept'),
      ])
      .where(companyColumn(company), '=', company.id),
    page,
  ).execute();

/**
 * A company's API key that can be copied; undefined where it cannot, or belongs to another company.
 */
export async function findApiKeyCopy(database: Database, id: number, company: Company) {
  const key = await database
    .selectFrom('api_keys')
    .select([
      'key_name as name',
      'key_prefix as prefix',
      'key_digest as digest',
      'key_ciphertext as ciphertext',
    ])
    .where('id', '=', id)
    .where(companyColumn(company), '=', company.id)
    .where(isValidKey)
    .executeTakeFirst();
  return key?.ciphertext ? { ...key, ciphertext: key.ciphertext } : undefined;
}

const changedKey = [
  'key_name as name',
  'key_prefix as prefix',
  'partner_id as partnerId',
  'merchant_id as merchantId',
  'scopes',
  'daily_amount as dailyAmount',
  'daily_operations as dailyOperations',
] as const;

/** Revokes an API key with its tokens; undefined unless it was valid. */
export const revokeApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  /** Required owner; any company where it is absent. */
  company?: Company,
) =>
  transaction
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where(isValidKey)
    .where(ownedBy(company))
    .returning(changedKey)
    .executeTakeFirst();

/**
 * Sets the end of an API key, so that its successor can replace it without a gap; undefined unless
 * it is valid and without an end. The caller adds the successor in the same transaction
 * (`addApiKey`).
 */
export const endApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  overlapHours: number,
  /** Required owner; any company where it is absent. */
  company?: Company,
) =>
  transaction
    .updateTable('api_keys')
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${overlapHours * 3_600})` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .where(ownedBy(company))
    .returning([...changedKey, 'expires_at as expiresAt'])
    .executeTakeFirst();

export type ListedAddress = Awaited<ReturnType<typeof listSourceAddresses>>[number];

/** The addresses and ranges that a company may call from. */
export const listSourceAddresses = (database: Database, company: Company, page?: RowPage) =>
  rowsById(
    database
      .selectFrom('source_addresses')
      .select(['id', 'address', 'created_at as createdAt'])
      .where(companyColumn(company), '=', company.id),
    page,
  ).execute();

/** Removes an address; undefined where the id does not exist. */
export const removeSourceAddress = (
  transaction: DatabaseTransaction,
  id: number,
  /** Required owner; any company where it is absent. */
  company?: Company,
) =>
  transaction
    .deleteFrom('source_addresses')
    .where('id', '=', id)
    .where(ownedBy(company))
    .returning(['address', 'partner_id as partnerId', 'merchant_id as merchantId'])
    .executeTakeFirst();

export type ListedPublicKey = Awaited<ReturnType<typeof listPublicKeys>>[number];

/** The public keys of a merchant, including revoked ones. */
export const listPublicKeys = (database: Database, merchantId: number, page?: RowPage) =>
  rowsById(
    database
      .selectFrom('merchant_public_keys')
      .select([
        'id',
        'public_key_pem as publicKeyPem',
        'created_at as createdAt',
        'revoked_at as revokedAt',
        'proven_at as provenAt',
      ])
      .where('merchant_id', '=', merchantId),
    page,
  ).execute();

/** The merchant's public keys in PEM that were revoked last. */
export const listRevokedPublicKeys = (database: Database, merchantId: number, limit: number) =>
  allValues<string>(database)`
    select public_key_pem from merchant_public_keys
    where merchant_id = ${merchantId} and revoked_at is not null
    order by revoked_at desc limit ${limit}`;

/** The valid key with a fingerprint, of any merchant; undefined where there is none. */
export const findValidPublicKey = (database: Database, fingerprint: string) =>
  database
    .selectFrom('merchant_public_keys')
    .select(['id', 'merchant_id as merchantId'])
    .where('fingerprint', '=', fingerprint)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Revokes a public key; undefined unless it was valid. */
export const revokePublicKey = (
  transaction: DatabaseTransaction,
  id: number,
  /** Required owner; any merchant where it is absent. */
  merchant?: Company,
) =>
  transaction
    .updateTable('merchant_public_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where(ownedBy(merchant))
    .where('revoked_at', 'is', null)
    .returning(['merchant_id as merchantId', 'public_key_pem as publicKeyPem'])
    .executeTakeFirst();

/**
 * Serialises changes of a company's access until the transaction ends. False for a merchant that was deleted, perhaps
 * while this waited: it gets no access.
 */
export const lockCompany = (transaction: DatabaseTransaction, company: Company) =>
  hasRows(transaction)`
    select from ${sql.table(companyTable(company))}
    where id = ${company.id} and ${company.kind === 'partner' ? sql`true` : sql`deleted_at is null`}
    for no key update`;

/** The valid API key with an id, locked until the transaction ends; undefined where there is none. */
export const lockApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  /** Required owner; any company where it is absent. */
  company?: Company,
) =>
  transaction
    .selectFrom('api_keys')
    .select(changedKey)
    .where('id', '=', id)
    .where(isValidKey)
    .where(ownedBy(company))
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Replaces the scopes or the daily limits of an API key; its tokens follow at their next call. */
export const changeApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  { scopes, dailyAmount, dailyOperations }: Partial<ApiKeyPower>,
) =>
  updateRow(transaction, 'api_keys', id, {
    scopes: scopes && [...scopes],
    daily_amount: dailyAmount,
    daily_operations: dailyOperations,
  });
