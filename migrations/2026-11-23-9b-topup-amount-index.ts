import { type Kysely, sql } from 'kysely';

/**
 * The order of a partner's top-ups by amount. Before this migration the index is built concurrently,
 * so that top-ups can be written meanwhile; in an empty database the migration itself builds it.
 */
export const indexes = {
  topups_by_partner_and_amount: { table: 'topups', columns: '(partner_id, amount, id)' },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
