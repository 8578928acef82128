import { type Kysely, sql } from 'kysely';

/** How many rows the lists of each company had before an hour; the check of the books counts on. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table row_counts (
      -- The table of a list.
      list text not null check (list in ('vouchers', 'topups', 'redemptions')),
      -- A merchant for redemptions, else a partner.
      company_id bigint not null,
      total bigint not null,
      primary key (list, company_id)
    );

    alter table book_checkpoints drop constraint book_checkpoints_source_check;
    alter table book_checkpoints add constraint book_checkpoints_source_check
      check (source in ('sums', 'day-sums', 'hour-sums', 'row-counts', 'holdings', 'transfers',
        'vouchers', 'redemptions', 'status-changes'));
    -- In hours since 1970.
    insert into book_checkpoints (source, checked_to, next_to) values ('row-counts', 0, 0);
  `.execute(database);
}
