import { type Kysely, sql } from 'kysely';

/** A merchant's redemptions since a moment are counted for its list. */
export const indexes = {
  redemptions_by_merchant_and_time: { table: 'redemptions', columns: '(merchant_id, created_at)' },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
