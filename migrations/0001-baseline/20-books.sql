-- Up to where the books have been checked, what has changed since, and the sums that the check adds up.

-- How far one source of the books has been added up or checked.
create table book_checkpoints (
  source text primary key
    check (source in ('ledger-sums', 'holdings', 'hour-sums', 'claim-sums', 'row-counts', 'transfers', 'vouchers',
      'redemptions', 'status-changes')),
  -- All ids up to it are settled, committed or never to come, and have been read. For sums by hours
  -- it is the number of hours since 1970. -1: the sums are to be begun.
  checked_to bigint not null,
  -- The next end: settled once every transaction before next_xid has ended.
  next_to bigint not null,
  next_xid xid8 not null default pg_current_xact_id(),
  next_at timestamptz not null default now()
);
insert into book_checkpoints (source, checked_to, next_to)
  values ('ledger-sums', -1, 0), ('holdings', -1, 0), ('hour-sums', -1, 0), ('claim-sums', -1, 0),
    ('row-counts', -1, 0),
    ('transfers', 0, 0), ('vouchers', 0, 0), ('redemptions', 0, 0), ('status-changes', 0, 0);

-- The sum of an account's transfers up to the checkpoint of the ledger's sums.
create table checked_balances (
  account_id bigint primary key,
  amount numeric(20, 6) not null
);

-- The holdings of a partner's vouchers: the amounts up to the checkpoint of the holdings, and the
-- changes that were taken from unchecked_changes.
create table checked_holdings (
  partner_id bigint primary key,
  remaining numeric(20, 6) not null,
  held numeric(20, 6) not null
);

-- A row that changed since the last check, which reads all of them and empties the table: so it has no
-- index.
create table unchecked_changes (
  subject text not null
    check (subject in ('transfer', 'voucher', 'redemption', 'placement', 'top-up')),
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
-- top-up is taken long before its row is written.
create trigger vouchers_note_change after update on vouchers
  for each row when ((old.amount, old.remaining, old.held, old.returned, old.status)
    is distinct from (new.amount, new.remaining, new.held, new.returned, new.status))
  execute function note_voucher_change();
create trigger redemptions_note_change after update on redemptions
  for each row when ((old.status, old.to_merchant, old.service_fee, old.is_done, old.charged,
      old.credited_to, old.operation_id)
    is distinct from (new.status, new.to_merchant, new.service_fee, new.is_done, new.charged,
      new.credited_to, new.operation_id))
  execute function note_change('redemption');
-- The first answer of a provider changes its order, which is noted.
create trigger placements_note_change after update on placements
  for each row when (old.said <> 'none' and (old.said, old.done, old.ordered, old.operation_id)
    is distinct from (new.said, new.done, new.ordered, new.operation_id))
  execute function note_change('placement');
create trigger placements_note_lost after insert on placements
  for each row when (new.operation_id is null) execute function note_change('placement');
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
alter table placements enable always trigger placements_note_change;
alter table placements enable always trigger placements_note_lost;
alter table topups enable always trigger topups_note_new;
alter table topups enable always trigger topups_note_change;
alter table topup_attempts enable always trigger topup_attempts_note_change;

-- The transfers of a step between two accounts on one UTC day. A partner's monthly statement reads
-- these in place of the transfers.
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

-- The payouts to a merchant out of the vouchers of a partner in a past hour. Lists of days read it.
create table payout_hour_sums (
  merchant_id bigint not null,
  partner_id bigint not null,
  -- Its beginning.
  hour timestamptz not null,
  -- Payments that the provider confirmed at once, also those that were reversed later.
  payouts bigint not null,
  paid numeric(20, 6) not null,
  service_fees numeric(20, 6) not null,
  -- Payments that the provider refused, also those that it made later.
  refused bigint not null,
  primary key (merchant_id, hour, partner_id)
);
create index payout_hour_sums_by_partner on payout_hour_sums (partner_id, hour);

-- The sales of a partner in a past hour, of one kind.
create table sale_hour_sums (
  partner_id bigint not null,
  hour timestamptz not null,
  kind text not null check (kind in ('vouchers', 'topups')),
  -- Generated vouchers. Attempts of top-ups that the provider delivered at once, also those that it took back later.
  sold bigint not null,
  amount numeric(20, 6) not null,
  -- Attempts of top-ups that were not delivered, also those that were delivered later.
  failed bigint not null,
  -- The margin of the sales that named their price and exchange rate.
  priced bigint not null,
  sold_usd numeric not null,
  cost_usd numeric not null,
  margin_etb numeric not null,
  primary key (partner_id, hour, kind)
);

-- What became of the claims of a partner's vouchers in an hour.
create table claim_hour_sums (
  partner_id bigint not null,
  hour timestamptz not null,
  -- Vouchers that were claimed; a claim that replaces another one counts no more.
  claims bigint not null,
  -- Claimed vouchers whose right code was given.
  codes bigint not null,
  -- Payments of claimed vouchers that the provider confirmed at once.
  payments bigint not null,
  primary key (partner_id, hour)
);

-- How many rows the list of a company had before an hour; the check of the books counts on.
create table row_counts (
  -- The table of a list.
  list text not null check (list in ('vouchers', 'topups', 'redemptions')),
  -- A merchant for redemptions, else a partner.
  company_id bigint not null,
  total bigint not null,
  primary key (list, company_id)
);
