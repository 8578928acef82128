import { type Kysely, sql } from 'kysely';

/**
 * Ended access stays ended, whoever writes. Transfers get row-level security, so that `src/db/roles.ts`
 * can say which accounts a role moves money between; this policy keeps everything as it was.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_revival() returns trigger language plpgsql as $$
    begin
      raise exception '% that was revoked stays revoked', tg_table_name
        using errcode = 'insufficient_privilege';
    end $$;
    create trigger api_keys_stay_revoked before update on api_keys for each row
      when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
      execute function refuse_revival();
    create trigger api_keys_stay_ended before update on api_keys for each row
      when (old.expires_at is not null
        and (new.expires_at is null or new.expires_at > old.expires_at))
      execute function refuse_revival();
    create trigger merchant_public_keys_stay_revoked before update on merchant_public_keys
      for each row
      when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
      execute function refuse_revival();

    create policy everybody on ledger_transfers using (true) with check (true);
    alter table ledger_transfers enable row level security;
  `.execute(database);
}
