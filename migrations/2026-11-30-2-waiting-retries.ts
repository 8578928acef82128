import { type Kysely, sql } from 'kysely';

/**
 * Workers look for the oldest retries of operators that nobody has taken, several times a minute. The plan for
 * all values walked the ids of all of them.
 */
export const indexes = {
  operator_commands_waiting: {
    table: 'operator_commands',
    columns: '(id) where taken_at is null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
