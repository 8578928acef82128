import { type Kysely, sql } from 'kysely';

/** Public keys that belong to one merchant alone, and passwords that end. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table merchant_public_keys
      -- SHA-256 of the key's DER in hex, of the one form that keys on secp256k1 are kept in. It is
      -- computed, so that processes of the release before fill it, too. Null for any other text.
      add column fingerprint text generated always as (
        encode(sha256(decode(
          substring(
            regexp_replace(public_key_pem, '\\s', '', 'g')
            from '^-----BEGINPUBLICKEY-----([A-Za-z0-9+/]{118}==)-----ENDPUBLICKEY-----$'
          ), 'base64')), 'hex')
      ) stored,
      -- When its merchant has signed a challenge with the private key; null: nobody has.
      add column proven_at timestamptz,
      -- The first of the keys that were registered twice before that was refused. Both stay valid,
      -- because a company may have two merchants that sign with one key; operators are shown them.
      add column duplicate_of bigint references merchant_public_keys;

    update merchant_public_keys as later set duplicate_of = first.id
    from (
      select fingerprint, min(id) as id from merchant_public_keys
      where revoked_at is null and fingerprint is not null
      group by fingerprint having count(*) > 1
    ) as first
    where later.fingerprint = first.fingerprint and later.id <> first.id
      and later.revoked_at is null;

    create unique index merchant_public_keys_of_one_merchant on merchant_public_keys (fingerprint)
      where revoked_at is null and duplicate_of is null;

    -- Of a password that an operator has made: nobody is signed in by it afterwards. Null: never.
    alter table portal_accounts add column password_expires_at timestamptz;
    update portal_accounts set password_expires_at = now() + interval '1 day'
      where must_change_password;
  `.execute(database);
}
