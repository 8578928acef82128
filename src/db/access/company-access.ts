import { sql } from 'kysely';
import type { ApiKeyStatus } from '../../domain/api-key.js';
import type { Company } from '../../domain/voucher.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { isValidKey } from './access.js';

/** Whose a key or an address is; exactly one of the two is null. */
export interface Owner {
  readonly partnerId: number | null;
  readonly merchantId: number | null;
}

const ownerColumn = ({ kind }: Company) => (kind === 'partner' ? 'partner_id' : 'merchant_id');

/** Rows of one company, or of all where none is named: what people name by an id may be another's. */
const ownedBy = (company: Company | undefined) =>
  company === undefined
    ? sql<boolean>`true`
    : sql<boolean>`${sql.ref(ownerColumn(company))} = ${company.id}`;

/**
 * The API keys of a company, those that are over too, by the database's clock; never a key itself.
 * `ageDays` counts whole days.
 */
export const listApiKeys = (database: Database, company: Company) =>
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
      sql<ApiKeyStatus>`case when revoked_at is not null then 'REVOKED'
        when expires_at <= now() then 'EXPIRED'
        when expires_at is not null then 'ENDING' else 'VALID' end`.as('status'),
      sql<number>`extract(day from now() - created_at)::int`.as('ageDays'),
      sql<boolean>`key_ciphertext is not null`.as('isKept'),
    ])
    .where(ownerColumn(company), '=', company.id)
    .orderBy('id')
    .execute();

interface ApiKeyCopy {
  readonly name: string;
  readonly prefix: string;
  readonly digest: Buffer;
  readonly ciphertext: string;
}

/** A company's API key that can be copied; undefined where it cannot, or is another's. */
export async function findApiKeyCopy(
  database: Database,
  id: number,
  company: Company,
): Promise<ApiKeyCopy | undefined> {
  const key = await database
    .selectFrom('api_keys')
    .select([
      'key_name as name',
      'key_prefix as prefix',
      'key_digest as digest',
      'key_ciphertext as ciphertext',
    ])
    .where('id', '=', id)
    .where(ownerColumn(company), '=', company.id)
    .where(isValidKey)
    .executeTakeFirst();
  return key?.ciphertext ? { ...key, ciphertext: key.ciphertext } : undefined;
}

type ChangedKey = Owner & { readonly name: string; readonly prefix: string };

const changedKey = [
  'key_name as name',
  'key_prefix as prefix',
  'partner_id as partnerId',
  'merchant_id as merchantId',
] as const;

/** Revokes an API key, and with it the tokens that it was given; undefined unless it was valid. */
export const revokeApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  /** Whose it must be; anybody's where it is left out. */
  company?: Company,
): Promise<ChangedKey | undefined> =>
  transaction
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where(isValidKey)
    .where(ownedBy(company))
    .returning(changedKey)
    .executeTakeFirst();

/**
 * Gives an API key an end, so that its successor is at work before it stops; undefined unless it is
 * valid and without an end. The caller adds the successor in the same transaction (`addApiKey`).
 */
export const endApiKey = (
  transaction: DatabaseTransaction,
  id: number,
  overlapHours: number,
  /** Whose it must be; anybody's where it is left out. */
  company?: Company,
): Promise<(ChangedKey & { readonly expiresAt: Date | null }) | undefined> =>
  transaction
    .updateTable('api_keys')
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${overlapHours * 3_600})` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .where(ownedBy(company))
    .returning([...changedKey, 'expires_at as expiresAt'])
    .executeTakeFirst();

/** The addresses and ranges that a company may call from. */
export const listSourceAddresses = (database: Database, company: Company) =>
  database
    .selectFrom('source_addresses')
    .select(['id', 'address', 'created_at as createdAt'])
    .where(ownerColumn(company), '=', company.id)
    .orderBy('id')
    .execute();

/** Removes an address; undefined when there is none with the id. */
export const removeSourceAddress = (
  transaction: DatabaseTransaction,
  id: number,
  /** Whose it must be; anybody's where it is left out. */
  company?: Company,
): Promise<(Owner & { readonly address: string }) | undefined> =>
  transaction
    .deleteFrom('source_addresses')
    .where('id', '=', id)
    .where(ownedBy(company))
    .returning(['address', 'partner_id as partnerId', 'merchant_id as merchantId'])
    .executeTakeFirst();

/** The public keys of a merchant, revoked ones too. */
export const listPublicKeys = (database: Database, merchantId: number) =>
  database
    .selectFrom('merchant_public_keys')
    .select([
      'id',
      'public_key_pem as publicKeyPem',
      'created_at as createdAt',
      'revoked_at as revokedAt',
      'proven_at as provenAt',
      'duplicate_of as duplicateOf',
    ])
    .where('merchant_id', '=', merchantId)
    .orderBy('id')
    .execute();

/** The valid key with a fingerprint, of whichever merchant; undefined where there is none. */
export const findValidPublicKey = (
  database: Database,
  fingerprint: string,
): Promise<{ readonly id: number; readonly merchantId: number } | undefined> =>
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
  /** Whose it must be; anybody's where it is left out. */
  merchant?: Company,
): Promise<{ readonly merchantId: number; readonly publicKeyPem: string } | undefined> =>
  transaction
    .updateTable('merchant_public_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where(ownedBy(merchant))
    .where('revoked_at', 'is', null)
    .returning(['merchant_id as merchantId', 'public_key_pem as publicKeyPem'])
    .executeTakeFirst();

/** Changes of a company's access wait for each other from here to the end of the transaction. */
export async function lockCompany(
  transaction: DatabaseTransaction,
  { kind, id }: Company,
): Promise<void> {
  const companies = kind === 'partner' ? sql`partners` : sql`merchants`;
  await sql`select from ${companies} where id = ${id} for no key update`.execute(transaction);
}
