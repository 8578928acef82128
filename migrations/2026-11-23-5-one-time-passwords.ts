import { type Kysely, sql } from 'kysely';

/**
 * One-time passwords (RFC 6238) of portal accounts, their recovery codes, sign-ins that wait for a
 * code, and the e-mails that tell owners of a changed access.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table portal_one_time_passwords (
      account_id bigint primary key references portal_accounts,
      created_at timestamptz not null default now(),
      secret_ciphertext text not null,
      -- The last time step whose password was used: none of it or before works again.
      last_step bigint not null
    );

    create table portal_recovery_codes (
      account_id bigint not null references portal_accounts,
      code_digest bytea not null,
      used_at timestamptz,
      primary key (account_id, code_digest)
    );

    -- The password was right, the code is still to come. It gives no access.
    create table portal_half_sign_ins (
      token_digest bytea primary key,
      created_at timestamptz not null default now(),
      account_id bigint not null references portal_accounts
    );
    create index portal_half_sign_ins_by_account on portal_half_sign_ins (account_id);
    create index portal_half_sign_ins_by_age on portal_half_sign_ins (created_at);

    -- A row: all people of the company need a one-time password.
    create table portal_one_time_password_rules (
      created_at timestamptz not null default now(),
      partner_id bigint unique references partners,
      merchant_id bigint unique references merchants,
      check (num_nonnulls(partner_id, merchant_id) = 1)
    );

    create table access_notices (
      audit_id bigint primary key references audit_log,
      created_at timestamptz not null default now(),
      sent_at timestamptz
    );
    create index access_notices_unsent on access_notices (audit_id) where sent_at is null;
    create index access_notices_by_age on access_notices (created_at);

    -- When the person last proved to be there, by a one-time password or the password.
    alter table portal_sessions add column confirmed_at timestamptz;
  `.execute(database);
}
