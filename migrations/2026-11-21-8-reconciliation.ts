import { type Kysely, sql } from 'kysely';

/** When a provider is asked once more about what it refused, and what it then contradicted. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null: it need not be asked again. Contradicted: it was done after its money was given back.
    alter table redemptions add column recheck_at timestamptz,
      add column contradicted_at timestamptz;
    alter table topup_attempts add column recheck_at timestamptz,
      add column contradicted_at timestamptz;
    create index redemptions_recheck on redemptions (recheck_at) where recheck_at is not null;
    create index topup_attempts_recheck on topup_attempts (recheck_at)
      where recheck_at is not null;
    -- What is open is looked through at every reconciliation.
    create index redemptions_held on redemptions (id) where status = 'HELD';
  `.execute(database);
}
