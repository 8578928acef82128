import { type Kysely, sql } from 'kysely';

/** The list of breaks for staff: open ones first, the newest day first. */
export const indexes = {
  provider_breaks_listed: {
    table: 'provider_breaks',
    columns: "((state = 'OPEN') desc, day desc, provider, id)",
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
