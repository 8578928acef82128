-- Text messages to the owners of vouchers.

-- A message to an owner, sent at most once.
create table messages (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  kind text not null check (kind in (
    'VERIFICATION_CODE', 'REDEMPTION_CONFIRMATION', 'EXPIRY_REMINDER', 'REVERSAL_NOTICE')),
  msisdn text not null,
  voucher_id bigint not null references vouchers,
  claim_id text unique references voucher_claims,
  redemption_id bigint unique references redemptions,
  reversal_id bigint references redemption_reversals,
  -- Chosen by the trigger below.
  language text not null constraint messages_language check (language in ('en', 'am')),
  -- SENDING is written before the provider is called: found again, the outcome is unknown.
  -- CANCELLED was never sent; REFUSED is the provider's answer.
  status text not null default 'QUEUED'
    check (status in ('QUEUED', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED')),
  -- Unless somebody has sent it by then, the outbox looks after it.
  due_at timestamptz not null default now() + interval '1 minute',
  -- Null once the worker that sends has recorded the outcome.
  sending_since timestamptz,
  -- Null before its first sending.
  provider text,
  provider_reference text,
  provider_message text,
  -- The provider's report after it had taken the message. Null: nothing.
  delivery text constraint messages_delivery check (delivery in ('DELIVERED', 'NOT_DELIVERED')),
  delivery_at timestamptz,
  delivery_reason text
);
create unique index messages_of_reversal on messages (reversal_id) where reversal_id is not null;
create index messages_by_voucher on messages (voucher_id, created_at);
create index messages_by_number_key on messages (split_part(msisdn, '.', 1), created_at);
create index messages_with_number on messages (created_at) where msisdn <> 'erased';
-- The outbox looks for messages that no workflow finishes any more. Nearly all messages are settled.
create index messages_unsettled on messages (due_at) where settled_at is null;
-- A report of a provider names a message by the provider's id.
create index messages_by_provider_reference on messages (provider_reference)
  where provider_reference <> '';

-- A trigger, so that no writer of messages can forget the language, and none asks once more.
create function choose_message_language() returns trigger language plpgsql as $$
begin
  select message_language into new.language
    from vouchers join partners on partners.id = vouchers.partner_id
    where vouchers.id = new.voucher_id;
  return new;
end $$;
create trigger messages_choose_language before insert on messages
  for each row execute function choose_message_language();

-- A message that a person asked to send again. It is a message of its own, and names the message
-- whose text it repeats.
create table message_resends (
  message_id bigint primary key references messages,
  original_id bigint not null references messages,
  -- The operation that asked for it.
  operation_id text not null,
  created_at timestamptz not null default now()
);
create index message_resends_by_original on message_resends (original_id, message_id);
create index message_resends_by_operation on message_resends (operation_id, message_id);

-- A delivery report that came before the answer of its provider, and so before our row has its id.
create table early_delivery_reports (
  provider text not null,
  provider_reference text not null,
  delivery text not null check (delivery in ('DELIVERED', 'NOT_DELIVERED')),
  reason text,
  received_at timestamptz not null default clock_timestamp(),
  primary key (provider, provider_reference, delivery)
);
create index early_delivery_reports_by_age on early_delivery_reports (received_at);

-- A trigger, so that no writer of an id can forget it, and the lock makes the answer and the report
-- follow one another: one of them sees the other. Invitations have it, too.
create function take_early_delivery_report() returns trigger language plpgsql as $$
declare
  early record;
begin
  perform pg_advisory_xact_lock(hashtextextended(new.provider_reference, 0));
  select * into early from early_delivery_reports
    where provider_reference = new.provider_reference
      and provider = coalesce(new.provider, provider)
    order by delivery limit 1;
  if found then
    new.delivery := early.delivery;
    new.delivery_at := early.received_at;
    new.delivery_reason := early.reason;
  end if;
  return new;
end $$;
create trigger messages_take_early_delivery_report
  before update of provider_reference on messages for each row
  when (new.provider_reference <> '' and new.provider_reference is distinct from old.provider_reference)
  execute function take_early_delivery_report();
