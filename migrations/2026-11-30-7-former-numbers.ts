import { type Kysely, sql } from 'kysely';

/** The number of an owner before it was corrected: by it, too, support finds the voucher. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Stored as every number of a person. Null in corrections from before.
    alter table repairs add column former_msisdn text;
  `.execute(database);
}
