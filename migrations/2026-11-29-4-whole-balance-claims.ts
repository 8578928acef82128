import { type Kysely, sql } from 'kysely';

/** A claim of the whole balance keeps its terms when a reversal adds to the voucher. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- True where amount was the whole balance at the time of the claim, and the voucher has grown since.
    alter table voucher_claims add column was_whole boolean not null default false;
  `.execute(database);
}
