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
create index ledger_transfers_deposits_of_wallet on ledger_transfers (credit_account_id, id)
  where operation_id like 'deposit:%';

create function apply_ledger_transfers() returns trigger language plpgsql as $$
begin
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
create trigger ledger_transfers_append_only before update or delete on ledger_transfers
  for each row execute function refuse_change();
create trigger ledger_transfers_no_truncate before truncate on ledger_transfers
  for each statement execute function refuse_change();

-- src/db/rights says between which accounts a role moves money; this policy alone forbids nothing.
create policy everybody on ledger_transfers using (true) with check (true);
alter table ledger_transfers enable row level security;
