import { type Kysely, sql } from 'kysely';

/**
 * The providers that are to be asked again, and those that have done it after all: both are few. Before
 * this migration the indexes are built concurrently; in an empty database the migration itself builds them.
 */
export const indexes = {
  provider_failovers_due: {
    table: 'provider_failovers',
    columns: '(recheck_at) where recheck_at is not null',
  },
  provider_failovers_done: {
    table: 'provider_failovers',
    columns: '(id) where done_at is not null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
