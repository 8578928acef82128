-- People who sign in: to the portal for a company, or to /support as staff of the service.

-- A person's account, of one company or of none.
create table portal_accounts (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  -- Null while it is in use.
  disabled_at timestamptz,
  email text not null unique check (email = lower(email)),
  partner_id bigint references partners,
  merchant_id bigint references merchants,
  -- The role of the person in the company.
  role text not null default 'owner' check (role in ('owner', 'finance', 'developer', 'viewer')),
  -- With its parameters; null until the person has chosen a password.
  password_hash text,
  -- The operator knows the password: the person chooses a new one first of all.
  must_change_password boolean not null default false,
  -- The end of a password that an operator has made: it opens no session afterwards. Null: never.
  password_expires_at timestamptz,
  last_signed_in_at timestamptz,
  -- Null: the market's.
  time_zone text check (length(time_zone) <= 64),
  -- Null until one is chosen.
  language text check (language in ('en', 'am')),
  -- Whether monthly statements come by e-mail. Null: by the role.
  statement_by_email boolean,
  -- Months that closed until then are dealt with, so that a new account gets no e-mail about
  -- earlier months.
  statements_until timestamptz not null default now(),
  constraint portal_accounts_of_one_company check (num_nonnulls(partner_id, merchant_id) <= 1)
);
create index portal_accounts_by_partner on portal_accounts (partner_id)
  where partner_id is not null;
create index portal_accounts_by_merchant on portal_accounts (merchant_id)
  where merchant_id is not null;
create index portal_accounts_by_statements on portal_accounts (statements_until)
  where disabled_at is null;

-- An account of the service's staff. An account of no company without such a row may enter nothing.
create table staff_accounts (
  account_id bigint primary key references portal_accounts,
  name text not null check (length(name) between 1 and 100),
  role text not null check (role in ('AGENT', 'SUPERVISOR', 'OPERATOR'))
);

-- A browser in which a person is signed in.
create table portal_sessions (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  account_id bigint not null references portal_accounts,
  -- Of the token, which only the browser has.
  token_digest bytea not null unique,
  -- The notice on the next page of the person, shown once.
  notice text,
  -- When the person last proved to be there, by the second factor or the password.
  confirmed_at timestamptz
);
create index portal_sessions_by_account on portal_sessions (account_id);
create index portal_sessions_by_age on portal_sessions (created_at);

-- Sign-ins of an account or an address that were tried since the window began.
create table portal_sign_in_attempts (
  subject_digest bytea primary key,
  -- A reset of the account forgets them. Null for an address, and for an e-mail address without an account.
  account_id bigint references portal_accounts,
  window_began_at timestamptz not null default now(),
  attempts integer not null default 1 check (attempts >= 0)
);
create index portal_sign_in_attempts_of_account on portal_sign_in_attempts (account_id)
  where account_id is not null;
create index portal_sign_in_attempts_by_age on portal_sign_in_attempts (window_began_at);

-- The secret of an account's one-time passwords (RFC 6238).
create table portal_one_time_passwords (
  account_id bigint primary key references portal_accounts,
  created_at timestamptz not null default now(),
  secret_ciphertext text not null,
  -- The last time step whose password was used: none of it or before works again.
  last_step bigint not null
);

-- A passkey of an account (WebAuthn): the device keeps its private key, and its public key is here.
create table portal_passkeys (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  account_id bigint not null references portal_accounts,
  -- Chosen by the person.
  name text not null check (length(name) between 1 and 50),
  -- The device's name of the key, in base64url.
  credential_id text not null unique,
  -- In the COSE format of WebAuthn.
  public_key bytea not null,
  -- The signatures that the device has counted; 0 where it counts none.
  counter bigint not null
);
create index portal_passkeys_by_account on portal_passkeys (account_id);

-- A random text that a page has shown to the devices of an account, until a passkey signs it.
create table portal_passkey_challenges (
  -- In clear, because only a passkey can answer it.
  challenge text primary key,
  created_at timestamptz not null default now(),
  account_id bigint not null references portal_accounts
);
create index portal_passkey_challenges_by_age on portal_passkey_challenges (created_at);

-- A code that replaces another second factor, once.
create table portal_recovery_codes (
  account_id bigint not null references portal_accounts,
  code_digest bytea not null,
  used_at timestamptz,
  primary key (account_id, code_digest)
);

-- A sign-in whose password was right and whose second factor is still to come. It gives no access.
create table portal_half_sign_ins (
  token_digest bytea primary key,
  created_at timestamptz not null default now(),
  account_id bigint not null references portal_accounts
);
create index portal_half_sign_ins_by_account on portal_half_sign_ins (account_id);
create index portal_half_sign_ins_by_age on portal_half_sign_ins (created_at);

-- A company all of whose people need a second factor.
create table portal_second_factor_rules (
  created_at timestamptz not null default now(),
  partner_id bigint unique references partners,
  merchant_id bigint unique references merchants,
  check (num_nonnulls(partner_id, merchant_id) = 1)
);

-- An invitation of a merchant to the portal, by a link that works once.
create table merchant_invitations (
  -- In workflow ids, so it must differ in every deployment on one Temporal server.
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  merchant_id bigint not null references merchants,
  -- Who signs in with it.
  email text not null check (email = lower(email)),
  -- E.164; null where the merchant has no number that takes messages.
  msisdn text,
  -- REQUESTED: a worker takes it up. OPEN: its link works until it expires.
  status text not null default 'REQUESTED'
    check (status in ('REQUESTED', 'OPEN', 'USED', 'REPLACED', 'EXPIRED', 'UNDELIVERED')),
  expires_at timestamptz,
  token_digest bytea unique,
  -- Until its messages are sent; erased then, or when the invitation ends.
  token_ciphertext text,
  check (status in ('REQUESTED', 'REPLACED') or num_nulls(expires_at, token_digest) = 0),
  check (status in ('REQUESTED', 'OPEN') = (settled_at is null)),
  check (status = 'OPEN' or token_ciphertext is null)
);
create unique index merchant_invitations_current on merchant_invitations (merchant_id)
  where status in ('REQUESTED', 'OPEN');
create index merchant_invitations_by_merchant on merchant_invitations (merchant_id, created_at);
create index merchant_invitations_open on merchant_invitations (expires_at)
  where status = 'OPEN';
