import { type Kysely, sql } from 'kysely';

/**
 * The first providers that disagree, which are few. Before this migration the index is built concurrently; in an
 * empty database the migration itself builds it.
 */
export const indexes = {
  provider_failovers_disagreeing: {
    table: 'provider_failovers',
    columns: '(id) where disagreement is not null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
