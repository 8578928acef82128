import { type Kysely, sql } from 'kysely';

/**
 * What a first provider has under our reference may be something else than was ordered: a disagreement of its own,
 * beside the operation's with the provider that has it. And how long a first provider has said nothing.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table provider_failovers
      -- The first provider's deviating content, and since when it says so.
      add column disagreement text,
      add column disagreed_at timestamptz,
      -- A person has cleared it; other words open it again.
      add column disagreement_settled_at timestamptz,
      -- Since when the first provider is asked in vain; null: it has answered, or was not asked yet.
      add column unanswered_since timestamptz;
  `.execute(database);
}
