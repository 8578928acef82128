import { type Kysely, sql } from 'kysely';

/**
 * Up to where the books have been checked, and what has changed since, so that a scheduled check reads
 * only what is new.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table book_checkpoints (
      source text primary key
        check (source in ('sums', 'holdings', 'transfers', 'vouchers', 'redemptions',
          'status-changes')),
      -- All ids up to it are settled, committed or never to come, and have been checked. -1: the
      -- holdings are to be added up from the vouchers.
      checked_to bigint not null,
      -- The next end: settled once every transaction before next_xid has ended.
      next_to bigint not null,
      next_xid xid8 not null default pg_current_xact_id(),
      next_at timestamptz not null default now()
    );

    -- The sum of each account's transfers up to the checkpoint of the sums.
    create table checked_balances (
      account_id bigint primary key,
      amount numeric(20, 6) not null
    );
    -- What the vouchers of each partner hold: the amounts up to the checkpoint of the holdings, and
    -- the changes that were taken from unchecked_changes.
    create table checked_holdings (
      partner_id bigint primary key,
      remaining numeric(20, 6) not null,
      held numeric(20, 6) not null
    );

    -- Read whole and emptied by each check, so it has no index.
    create table unchecked_changes (
      subject text not null
        check (subject in ('transfer', 'voucher', 'redemption', 'reversal', 'top-up')),
      id bigint not null,
      -- Of a voucher: by how much the change moved what it holds.
      partner_id bigint,
      remaining numeric(20, 6),
      held numeric(20, 6)
    );

    create function note_voucher_change() returns trigger language plpgsql as $$
    begin
      insert into unchecked_changes
        values ('voucher', new.id, new.partner_id, new.remaining - old.remaining,
          new.held - old.held);
      return null;
    end $$;
    create function note_change() returns trigger language plpgsql as $$
    begin
      insert into unchecked_changes (subject, id) values (tg_argv[0], new.id);
      return null;
    end $$;
    create function note_attempt_change() returns trigger language plpgsql as $$
    begin
      insert into unchecked_changes (subject, id) values ('top-up', new.topup_id);
      return null;
    end $$;

    -- New vouchers, redemptions, transfers and status changes are found by their ids. The id of a
    -- top-up is drawn long before its row is written.
    create trigger vouchers_note_change after update on vouchers
      for each row when ((old.amount, old.remaining, old.held, old.returned, old.status)
        is distinct from (new.amount, new.remaining, new.held, new.returned, new.status))
      execute function note_voucher_change();
    create trigger redemptions_note_change after update on redemptions
      for each row when ((old.status, old.to_merchant, old.service_fee, old.reversed_at, old.operation_id)
        is distinct from
        (new.status, new.to_merchant, new.service_fee, new.reversed_at, new.operation_id))
      execute function note_change('redemption');
    create trigger redemption_reversals_note_change after insert or update on redemption_reversals
      for each row execute function note_change('reversal');
    create trigger topups_note_new after insert on topups
      for each row execute function note_change('top-up');
    create trigger topups_note_change after update on topups
      for each row when ((old.status, old.amount) is distinct from (new.status, new.amount))
      execute function note_change('top-up');
    create trigger topup_attempts_note_change after insert or update on topup_attempts
      for each row execute function note_attempt_change();

    -- Also while other triggers are off, as during a repair by hand.
    alter table vouchers enable always trigger vouchers_note_change;
    alter table redemptions enable always trigger redemptions_note_change;
    alter table redemption_reversals enable always trigger redemption_reversals_note_change;
    alter table topups enable always trigger topups_note_new;
    alter table topups enable always trigger topups_note_change;
    alter table topup_attempts enable always trigger topup_attempts_note_change;

    -- The locks that the triggers needed last until the commit, so every voucher up to here is written.
    -- What is older is checked by the whole check; only the sums begin at the first transfer.
    insert into book_checkpoints (source, checked_to, next_to)
      select source, id, greatest(id, 0) from (values
        ('sums', 0), ('holdings', -1),
        ('transfers', (select coalesce(max(id), 0) from ledger_transfers)),
        ('vouchers', (select coalesce(max(id), 0) from vouchers)),
        ('redemptions', (select coalesce(max(id), 0) from redemptions)),
        ('status-changes', (select coalesce(max(id), 0) from voucher_status_changes))
      ) as newest (source, id);
  `.execute(database);
}
