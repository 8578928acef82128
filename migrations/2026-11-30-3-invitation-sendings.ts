import { type Kysely, sql } from 'kysely';

/** As for messages to owners: another attempt must know since when one is under way, and whose it is. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null once the attempt that sends has recorded the outcome.
    alter table invitation_messages add column sending_since timestamptz;
  `.execute(database);
}
