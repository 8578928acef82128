-- The double-entry ledger. Transfers are the truth and are only ever added. The trigger alone keeps the
-- partners' cached balances, so that no writer can forget or bypass it.

-- An account of a partner, or one of the service itself.
create table ledger_accounts (
  id bigint generated always as identity primary key,
  kind text not null check (kind in (
    'airtime', 'gift', 'reserved', 'gift-hold', 'airtime-hold',
    'funding', 'service-fees', 'mobile-money-clearing', 'airtime-clearing', 'suspense')),
  -- Null: an account of the service.
  partner_id bigint references partners,
  -- Credits minus debits. Accounts of the service have none: every request would lock that row.
  balance numeric(20, 6),
  -- The partner is told when the balance falls below it. Null: never.
  low_balance numeric(20, 6),
  unique nulls not distinct (kind, partner_id),
  constraint ledger_accounts_owner check (
    (partner_id is not null)
      = (kind in ('airtime', 'gift', 'reserved', 'gift-hold', 'airtime-hold'))),
  constraint ledger_accounts_cached check ((partner_id is not null) = (balance is not null)),
  constraint ledger_accounts_balance_not_negative check (balance >= 0),
  constraint ledger_accounts_low_balance check (
    low_balance is null or low_balance > 0 and kind in ('gift', 'airtime'))
);
create index ledger_accounts_watched on ledger_accounts (id) where low_balance is not null;
insert into ledger_accounts (kind)
  values ('funding'), ('service-fees'), ('mobile-money-clearing'), ('airtime-clearing'),
    ('suspense');

create function open_partner_accounts() returns trigger language plpgsql as $$
begin
  insert into ledger_accounts (kind, partner_id, balance)
    select kind, new.id, 0
    from unnest(array['airtime', 'gift', 'reserved', 'gift-hold', 'airtime-hold']) as kind;
  return null;
end $$;
create trigger partners_open_accounts after insert on partners
  for each row execute function open_partner_accounts();

create function refuse_direct_balance() returns trigger language plpgsql as $$
begin
  -- Depth 1 is this trigger alone: the update did not come from a transfer.
  if pg_trigger_depth() < 2 and (old.id, old.kind, old.partner_id, old.balance)
    is distinct from (new.id, new.kind, new.partner_id, new.balance)
  then
    raise exception 'balances change by transfers only';
  end if;
  return new;
end $$;
create trigger ledger_accounts_by_transfer before update on ledger_accounts
  for each row execute function refuse_direct_balance();

-- An amount that moved from one account to another: one step of an operation.
create table ledger_transfers (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  operation_id text not null,
  step text not null,
  debit_account_id bigint not null references ledger_accounts,
  credit_account_id bigint not null references ledger_accounts,
  amount numeric(20, 6) not null check (amount > 0),
  unique (operation_id, step),
  check (debit_account_id <> credit_account_id)
);
create index ledger_transfers_debited on ledger_transfers (debit_account_id, created_at, id);
create index ledger_transfers_credited on ledger_transfers (credit_account_id, created_at, id);
-- Transfers other than those of every redemption: a wallet of two accounts leaves out what moves
-- between them, which is nearly all of either account's history.
create index ledger_transfers_rarely_debited on ledger_transfers (debit_account_id, created_at, id)
  where step not in ('hold', 'reserve', 'post', 'post-payment', 'post-service-fee');
create index ledger_transfers_rarely_credited on ledger_transfers (credit_account_id, created_at, id)
  where step not in ('hold', 'reserve', 'post', 'post-payment', 'post-service-fee');
-- Deposits and goodwill credits are found by their references, in whichever case they were typed.
-- They are few. The expression keeps other statements from these indexes.
create index ledger_transfers_deposits on ledger_transfers (upper(operation_id))
  where operation_id like 'deposit:%';
create index ledger_transfers_goodwill on ledger_transfers (upper(operation_id))
  where operation_id like 'goodwill:%';
-- The deposits of a partner are listed, the newest first. The condition on the name keeps other statements from it.
create index ledger_transfers_deposits_of_wallet on ledger_transfers (credit_account_id, created_at, id)
  where operation_id like 'deposit:%';
-- Those with the same letters and digits may be one payment.
create index ledger_transfers_deposits_spelled
  on ledger_transfers (regexp_replace(upper(operation_id), '[^A-Z0-9]', '', 'g'))
  where operation_id like 'deposit:%';

-- The file that has the usual transfers of a partner on a UTC day. The table has them while they are restored, and never
-- otherwise: the triggers below compare both. Other transfers stay in the table for good.
create table ledger_archives (
  partner_id bigint not null references partners,
  day date not null,
  -- Its path, and the digest of its bytes.
  file text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Its transfers, and their sum.
  transfers bigint not null check (transfers > 0),
  amount numeric(20, 6) not null check (amount > 0),
  archived_at timestamptz not null default now(),
  -- Since when its transfers are in the table again. Null: they are only in the file.
  restored_at timestamptz,
  primary key (partner_id, day)
);
create index ledger_archives_by_day on ledger_archives (day) where restored_at is null;

-- The usual transfers of a partner debit one of its accounts. Indexes and src/db/ledger/archives.ts name the same steps.
create function usual_transfers(partner bigint, of_day date)
  returns setof ledger_transfers language sql stable as $$
  select transfer.*
  from ledger_accounts as debit
  join ledger_transfers as transfer on transfer.debit_account_id = debit.id
    and transfer.created_at >= of_day::timestamp at time zone 'UTC'
    and transfer.created_at < (of_day + 1)::timestamp at time zone 'UTC'
    and transfer.step in ('hold', 'reserve', 'post', 'post-payment', 'post-service-fee')
  where debit.partner_id = partner
$$;

-- The row of a file takes its transfers out of the table: no role may delete them in another way.
create function move_archived_transfers() returns trigger language plpgsql as $$
declare
  moved record;
begin
  if new.day >= (now() - interval '13 months')::date or new.archived_at <> now() then
    raise exception 'only a new file takes transfers, and none of the last 13 months';
  end if;
  with gone as (
    delete from ledger_transfers
    where id = any(array(select usual.id from usual_transfers(new.partner_id, new.day) as usual))
    returning amount
  )
  select count(*) as transfers, coalesce(sum(amount), 0) as amount into moved from gone;
  if moved.transfers <> new.transfers or moved.amount <> new.amount then
    raise exception 'the file of partner % on % does not have what the ledger has', new.partner_id, new.day;
  end if;
  return null;
end $$;
create trigger ledger_archives_move after insert or update on ledger_archives
  for each row when (new.restored_at is null) execute function move_archived_transfers();

-- A transaction that restores a file has put all its transfers into the table at its end.
create function check_restored_transfers() returns trigger language plpgsql as $$
declare
  restored record;
begin
  select count(*) as transfers, coalesce(sum(amount), 0) as amount into restored
    from usual_transfers(new.partner_id, new.day);
  if restored.transfers <> new.transfers or restored.amount <> new.amount then
    raise exception 'the ledger does not have what the file of partner % on % has', new.partner_id, new.day;
  end if;
  return null;
end $$;
create constraint trigger ledger_archives_restored after insert or update on ledger_archives
  deferrable initially deferred for each row when (new.restored_at is not null)
  execute function check_restored_transfers();
create trigger ledger_archives_stay before delete on ledger_archives
  for each row execute function refuse_change();
create trigger ledger_archives_no_truncate before truncate on ledger_archives
  for each statement execute function refuse_change();

create function apply_ledger_transfers() returns trigger language plpgsql as $$
declare
  restored bigint;
begin
  -- Transfers that return from a file have moved the balances before.
  if exists (select from added where created_at < now() - interval '13 months') then
    select count(archive.day) into restored
      from added join ledger_accounts as debit on debit.id = added.debit_account_id
      join ledger_archives as archive on archive.partner_id = debit.partner_id
        and archive.day = (added.created_at at time zone 'UTC')::date
        and archive.restored_at = now();
    if restored = (select count(*) from added) then
      return null;
    elsif restored > 0 then
      raise exception 'restored transfers are added apart from others';
    end if;
  end if;
  -- Always in the order of the ids, so that two transactions cannot wait for each other. Not
  -- "for update", which would wait for the key locks that the foreign keys have just taken in
  -- both of them.
  perform 1 from ledger_accounts
    where balance is not null and id in (
      select debit_account_id from added union select credit_account_id from added)
    order by id for no key update;
  update ledger_accounts
    set balance = balance + change.amount
    from (
      select account_id, sum(amount) as amount
      from (
        select credit_account_id, amount from added
        union all
        select debit_account_id, -amount from added
      ) as entries (account_id, amount)
      group by account_id
    ) as change
    where ledger_accounts.id = change.account_id and balance is not null;
  return null;
end $$;
create trigger ledger_transfers_apply after insert on ledger_transfers
  referencing new table as added
  for each statement execute function apply_ledger_transfers();
create trigger ledger_transfers_append_only before update on ledger_transfers
  for each row execute function refuse_change();
create trigger ledger_transfers_stay before delete on ledger_transfers
  for each row when (pg_trigger_depth() = 0) execute function refuse_change();
create trigger ledger_transfers_no_truncate before truncate on ledger_transfers
  for each statement execute function refuse_change();

-- src/db/rights says between which accounts a role moves money; this policy alone forbids nothing.
create policy everybody on ledger_transfers using (true) with check (true);
alter table ledger_transfers enable row level security;
