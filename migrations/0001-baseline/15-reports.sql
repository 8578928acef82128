-- E-mails with monthly statements of companies and day reports of the service.

-- The statement of a month for one person.
create table statement_emails (
  account_id bigint not null references portal_accounts,
  month text not null check (month ~ '^20[0-9]{2}-(0[1-9]|1[0-2])$'),
  created_at timestamptz not null default now(),
  -- When it is tried next.
  due_at timestamptz not null default now(),
  settled_at timestamptz,
  outcome text check (
    outcome in ('SENT', 'REFUSED', 'UNKNOWN', 'EMPTY', 'CANCELLED', 'GIVEN_UP')),
  primary key (account_id, month),
  check ((settled_at is null) = (outcome is null))
);
create index statement_emails_due on statement_emails (due_at) where settled_at is null;
create index statement_emails_by_age on statement_emails (created_at);
create index statement_emails_undelivered on statement_emails (settled_at)
  where outcome in ('REFUSED', 'GIVEN_UP');

-- An address that gets day reports, or got them.
create table report_recipients (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  email text not null
);
create unique index report_recipients_present on report_recipients (lower(email))
  where removed_at is null;

-- The report of a day for one recipient.
create table report_emails (
  recipient_id bigint not null references report_recipients,
  day text not null check (day ~ '^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]$'),
  created_at timestamptz not null default now(),
  -- When it is tried next.
  due_at timestamptz not null default now(),
  settled_at timestamptz,
  outcome text check (outcome in ('SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED', 'GIVEN_UP')),
  primary key (recipient_id, day),
  check ((settled_at is null) = (outcome is null))
);
create index report_emails_due on report_emails (due_at) where settled_at is null;
create index report_emails_by_age on report_emails (created_at);
create index report_emails_undelivered on report_emails (settled_at)
  where outcome in ('REFUSED', 'GIVEN_UP');
