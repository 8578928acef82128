import { type Kysely, sql } from 'kysely';

/**
 * What merchants were paid and partners sold in hours that are over, which the check of the books adds up; and the
 * payouts that are counted one by one, because a provider or a merchant changed them later. Lists of days read them.
 */
export const indexes = {
  // By an expression of its own, so that no other statement takes it for what was reversed.
  redemptions_paid_otherwise: {
    table: 'redemptions',
    columns: `(merchant_id, (case when status = 'POSTED' then settled_at else contradicted_at end))
      where coalesce(reversed_at, contradicted_at) is not null`,
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
  await sql`
    create table payout_hour_sums (
      merchant_id bigint not null,
      -- Its beginning.
      hour timestamptz not null,
      -- Payments that the provider confirmed at once, also those that were reversed later.
      payouts bigint not null,
      paid numeric(20, 6) not null,
      service_fees numeric(20, 6) not null,
      primary key (merchant_id, hour)
    );

    create table sale_hour_sums (
      partner_id bigint not null,
      hour timestamptz not null,
      -- Generated ones.
      vouchers bigint not null,
      voucher_amount numeric(20, 6) not null,
      -- Delivered ones.
      topups bigint not null,
      topup_amount numeric(20, 6) not null,
      primary key (partner_id, hour)
    );

    alter table book_checkpoints drop constraint book_checkpoints_source_check;
    alter table book_checkpoints add constraint book_checkpoints_source_check
      check (source in ('sums', 'day-sums', 'hour-sums', 'holdings', 'transfers', 'vouchers',
        'redemptions', 'status-changes'));
    -- In hours since 1970.
    insert into book_checkpoints (source, checked_to, next_to) values ('hour-sums', 0, 0);
  `.execute(database);
}
