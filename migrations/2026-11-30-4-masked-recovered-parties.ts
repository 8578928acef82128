import { type Kysely, sql } from 'kysely';

/** Who received a payment that a restore lost may be the number of a person, which nothing erased. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    update recovered_payments set party = case when length(party) >= 11
      then left(party, 5) || repeat('*', length(party) - 8) || right(party, 3)
      else left(party, 2) || '***' || right(party, 1) end
    where party is not null and party not like '%***%'`.execute(database);
}
