import { type Kysely, sql } from 'kysely';

/**
 * A provider that certainly did nothing, so that another one was asked, may have done it after all: it
 * is asked again, and what it did is booked.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table provider_failovers
      -- When the first provider is asked again what it did; null: not, or no more.
      add column recheck_at timestamptz,
      -- Since when the first provider says that it did it, and its reference.
      add column done_at timestamptz,
      add column provider_reference text,
      -- When it was booked in suspense, beside what the operation itself booked.
      add column booked_at timestamptz,
      add column settled_at timestamptz,
      -- 'late-success': the operation was refused by all others, and became a late success of the first.
      add column settled_by text
        constraint provider_failovers_settled_by
        check (settled_by in ('partner', 'platform', 'provider', 'late-success'));
  `.execute(database);
}
