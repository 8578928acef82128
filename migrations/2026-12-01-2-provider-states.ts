import { type Kysely, sql } from 'kysely';

/** What each running worker knows of each provider: the state of its circuit breaker, for operators. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table provider_states (
      -- As Temporal shows it: process and host.
      worker text not null,
      provider text not null,
      state text not null check (state in ('closed', 'half-open', 'open')),
      takes_calls boolean not null,
      has_money boolean not null,
      -- Since when the state of the breaker is this one.
      since timestamptz not null default now(),
      seen_at timestamptz not null default now(),
      -- A worker that runs has told it again by then.
      expires_at timestamptz not null,
      primary key (worker, provider)
    );
  `.execute(database);
}
