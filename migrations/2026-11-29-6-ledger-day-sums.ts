import { type Kysely, sql } from 'kysely';

/**
 * The sums of transfers by UTC day, which the check of the books adds up. A partner's monthly statement
 * reads them in place of the transfers.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table ledger_day_sums (
      day date not null,
      debit_account_id bigint not null,
      credit_account_id bigint not null,
      step text not null,
      -- The kind of operation that ended a voucher; else empty.
      ended text not null check (ended in ('', 'cancel', 'expire')),
      count bigint not null,
      amount numeric(20, 6) not null,
      primary key (debit_account_id, day, credit_account_id, step, ended)
    );
    create index ledger_day_sums_credited on ledger_day_sums (credit_account_id, day);

    alter table book_checkpoints drop constraint book_checkpoints_source_check;
    alter table book_checkpoints add constraint book_checkpoints_source_check
      check (source in ('sums', 'day-sums', 'holdings', 'transfers', 'vouchers', 'redemptions',
        'status-changes'));
    insert into book_checkpoints (source, checked_to, next_to)
      select 'day-sums', 0, coalesce(max(id), 0) from ledger_transfers;
  `.execute(database);
}
