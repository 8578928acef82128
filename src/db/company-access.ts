import { sql } from 'kysely';
import type { Company } from '../domain/voucher.js';
import type { Database, DatabaseTransaction } from './connection.js';

/** Whose a key or an address is; exactly one of the two is null. */
export interface Owner {
  readonly partnerId: number | null;
  readonly merchantId: number | null;
}

const ownerColumn = ({ kind }: Company) => (kind === 'partner' ? 'partner_id' : 'merchant_id');

/** The API keys of a company, revoked ones too; a key itself is stored nowhere. */
export const listApiKeys = (database: Database, company: Company) =>
  database
    .selectFrom('api_keys')
    .select([
      'id',
      'key_name as name',
      'key_prefix as prefix',
      'created_at as createdAt',
      'revoked_at as revokedAt',
    ])
    .where(ownerColumn(company), '=', company.id)
    .orderBy('id')
    .execute();

/** Revokes an API key, and with it the tokens that it was given; undefined unless it was valid. */
export const revokeApiKey = (
  transaction: DatabaseTransaction,
  id: number,
): Promise<(Owner & { readonly name: string; readonly prefix: string }) | undefined> =>
  transaction
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning([
      'key_name as name',
      'key_prefix as prefix',
      'partner_id as partnerId',
      'merchant_id as merchantId',
    ])
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
): Promise<(Owner & { readonly address: string }) | undefined> =>
  transaction
    .deleteFrom('source_addresses')
    .where('id', '=', id)
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
    ])
    .where('merchant_id', '=', merchantId)
    .orderBy('id')
    .execute();

/** Revokes a public key; undefined unless it was valid. */
export const revokePublicKey = (
  transaction: DatabaseTransaction,
  id: number,
): Promise<{ readonly merchantId: number; readonly publicKeyPem: string } | undefined> =>
  transaction
    .updateTable('merchant_public_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(['merchant_id as merchantId', 'public_key_pem as publicKeyPem'])
    .executeTakeFirst();
