import { type Kysely, sql } from 'kysely';

/** What happened for one phone number on one day (UTC); rows only while a setting limits it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table number_daily_counts (
      -- Keyed: the number itself is not here.
      number_digest bytea not null,
      day date not null,
      vouchers integer not null default 0,
      redemptions integer not null default 0,
      topups integer not null default 0,
      -- The limits when it was last counted; null where there is none.
      vouchers_limit integer,
      redemptions_limit integer,
      topups_limit integer,
      primary key (number_digest, day),
      constraint number_daily_counts_within_limits check (vouchers <= vouchers_limit
        and redemptions <= redemptions_limit and topups <= topups_limit)
    );
    create index number_daily_counts_by_day on number_daily_counts (day);
  `.execute(database);
}
