import { type Kysely, sql } from 'kysely';

/** Who signs in to the portal, and for which company. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table portal_accounts (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      -- Null while it is in use.
      disabled_at timestamptz,
      email text not null unique check (email = lower(email)),
      partner_id bigint references partners,
      merchant_id bigint references merchants,
      -- With its parameters; null until the person has chosen a password.
      password_hash text,
      -- The operator knows the password: the person chooses another one first of all.
      must_change_password boolean not null default false,
      last_signed_in_at timestamptz,
      check (num_nonnulls(partner_id, merchant_id) = 1)
    );
    create index portal_accounts_by_partner on portal_accounts (partner_id)
      where partner_id is not null;
    create index portal_accounts_by_merchant on portal_accounts (merchant_id)
      where merchant_id is not null;

    create table portal_sessions (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      account_id bigint not null references portal_accounts,
      -- Of the token, which only the browser has.
      token_digest bytea not null unique,
      -- What the next page tells the person, once.
      notice text
    );
    create index portal_sessions_by_account on portal_sessions (account_id);
    create index portal_sessions_by_age on portal_sessions (created_at);

    -- Of an account or an address: sign-ins that were tried since the window began.
    create table portal_sign_in_attempts (
      subject_digest bytea primary key,
      window_began_at timestamptz not null default now(),
      attempts integer not null default 1 check (attempts >= 0)
    );
    create index portal_sign_in_attempts_by_age on portal_sign_in_attempts (window_began_at);
  `.execute(database);
}
