import { type Kysely, sql } from 'kysely';

/** What operators have asked for; workers take it up and carry it out by its workflow. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table operator_commands (
      id bigint generated always as identity primary key,
      created_at timestamptz not null default now(),
      actor text not null,
      kind text not null check (kind in ('retry-topup')),
      topup_id bigint not null references topups,
      -- The attempt that is to be made.
      attempt integer not null check (attempt > 1),
      -- Null: to the number of the attempt before.
      msisdn text,
      -- When a workflow had taken it. Null: nobody has yet.
      taken_at timestamptz
    );
    -- What is asked for twice is done once; after a refusal it may be asked for again.
    create unique index operator_commands_to_take
      on operator_commands (topup_id, attempt) where taken_at is null;
  `.execute(database);
}
