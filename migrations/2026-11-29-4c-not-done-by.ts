import { type Kysely, sql } from 'kysely';

/** Whose word it is that a payment or a top-up was not done. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- 'provider': it refused. 'service': nothing was sent. 'staff': settled by hand. Null in older rows.
    alter table redemptions
      add column not_done_by text
        constraint redemptions_not_done_by check (not_done_by in ('provider', 'service', 'staff'));
    alter table topup_attempts
      add column not_done_by text
        constraint topup_attempts_not_done_by check (not_done_by in ('provider', 'service', 'staff'));
  `.execute(database);
}
