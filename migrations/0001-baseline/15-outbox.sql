-- Messages to people by e-mail or SMS, and who gets day reports. Messages to owners of vouchers stand apart.

-- An address that gets day reports, or got them.
create table report_recipients (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  email text not null
);
create unique index report_recipients_present on report_recipients (lower(email))
  where removed_at is null;

-- A message to one recipient. The text and the address are read when it is sent.
create table outbox (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  kind text not null check (kind in
    ('access-notices', 'invitations', 'statements', 'day-reports', 'switched-off-webhooks')),
  -- The audit entry, the invitation, "partner 7 2026-10", the day, or the webhook.
  subject text not null,
  channel text not null check (channel in ('SMS', 'EMAIL')),
  -- The account; of an invitation the merchant; of a day report the row of report_recipients.
  recipient bigint not null,
  -- One message, however often it is queued; the left half of the Message-ID of an e-mail.
  dedupe_key text not null unique check (dedupe_key ~ '^[0-9a-z-]+$'),
  state text not null default 'QUEUED' check (state in
    ('QUEUED', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED', 'GIVEN_UP')),
  -- Of the present attempt.
  sending_since timestamptz,
  -- When it is tried next.
  due_at timestamptz not null default now(),
  -- From the first attempt; null where it is tried without end.
  give_up_at timestamptz,
  attempts integer not null default 0,
  -- Null before its sending, and for e-mails, as are the columns of its delivery.
  provider text,
  provider_reference text,
  -- Why it was not sent, or may not have been.
  problem text,
  delivery text constraint outbox_delivery check (delivery in ('DELIVERED', 'NOT_DELIVERED')),
  delivery_at timestamptz,
  delivery_reason text,
  check ((settled_at is null) = (state in ('QUEUED', 'SENDING'))),
  check ((sending_since is not null) = (state = 'SENDING'))
);
create index outbox_unsettled on outbox (kind, channel, due_at) where settled_at is null;
create index outbox_by_subject on outbox (kind, subject);
create index outbox_by_recipient on outbox (recipient) where kind = 'day-reports';
-- Those of invitations stay, as invitations do.
create index outbox_by_age on outbox (created_at) where kind <> 'invitations';
create index outbox_undelivered on outbox (settled_at)
  where state in ('REFUSED', 'GIVEN_UP', 'UNKNOWN');
create index outbox_by_provider_reference on outbox (provider_reference)
  where provider_reference <> '' and channel = 'SMS';
create trigger outbox_take_early_delivery_report
  before update of provider_reference on outbox for each row
  when (new.channel = 'SMS' and new.provider_reference <> ''
    and new.provider_reference is distinct from old.provider_reference)
  execute function take_early_delivery_report();
