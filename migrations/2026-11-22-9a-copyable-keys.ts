import { type Kysely, sql } from 'kysely';

/**
 * API keys that can be copied: each with its ciphertext, under a key that only the API process has.
 * Whoever ends or revokes a key, in whatever way, erases the ciphertext with it.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null: the key is over, it was made before this column, or it was never to be copied.
    alter table api_keys add column key_ciphertext text;

    create function erase_key_ciphertext() returns trigger language plpgsql as $$
    begin
      new.key_ciphertext := null;
      return new;
    end $$;

    create trigger api_keys_erase_ciphertext before insert or update on api_keys
      for each row when (new.key_ciphertext is not null
        and (new.revoked_at is not null or new.expires_at is not null))
      execute function erase_key_ciphertext();
  `.execute(database);
}
