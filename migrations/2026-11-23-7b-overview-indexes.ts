import { type Kysely, sql } from 'kysely';

/**
 * What overviews count: a partner's top-ups of a time, and what failed. Before this migration the
 * indexes are built concurrently, so that rows can be written meanwhile; in an empty database the
 * migration itself builds them.
 */
export const indexes = {
  topups_by_partner_and_time: { table: 'topups', columns: '(partner_id, created_at, id)' },
  topups_failed: { table: 'topups', columns: "(partner_id, created_at) where status = 'FAILED'" },
  redemptions_refused: {
    table: 'redemptions',
    columns: "(merchant_id, created_at) where status = 'VOIDED'",
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
