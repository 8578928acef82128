import { type Kysely, sql } from 'kysely';

/** Merchants are invited to the portal by messages with a link that works once. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table merchant_invitations (
      -- In workflow ids, so it must be another one in every deployment on one Temporal server.
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
      check (status in ('REQUESTED', 'REPLACED')
        or num_nulls(expires_at, token_digest) = 0),
      check (status in ('REQUESTED', 'OPEN') = (settled_at is null)),
      check (status = 'OPEN' or token_ciphertext is null)
    );
    create unique index merchant_invitations_current on merchant_invitations (merchant_id)
      where status in ('REQUESTED', 'OPEN');
    create index merchant_invitations_by_merchant on merchant_invitations (merchant_id, created_at);
    create index merchant_invitations_to_take_up on merchant_invitations (created_at)
      where status in ('REQUESTED', 'OPEN');

    create table invitation_messages (
      invitation_id uuid not null references merchant_invitations,
      channel text not null check (channel in ('SMS', 'EMAIL')),
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      -- As of messages: SENDING, found again, is never sent again.
      status text not null default 'QUEUED'
        check (status in ('QUEUED', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED')),
      provider_reference text,
      provider_message text,
      primary key (invitation_id, channel)
    );
  `.execute(database);
}
