import { type Kysely, sql } from 'kysely';

/**
 * Indexes on tables that grow. Before this migration they are made concurrently, so that a big table
 * can be written to meanwhile; in an empty database the migration itself makes them.
 */
export const indexes = {
  // The end of a claim, and the sweep of those left behind, look a voucher up by its claim.
  vouchers_by_current_claim: {
    table: 'vouchers',
    columns: '(current_claim_id) where current_claim_id is not null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
