import { type Kysely, sql } from 'kysely';

/** A goodwill credit is found by its reference in whichever case it was typed, as a deposit is. Both are few. */
export const indexes = {
  ledger_transfers_goodwill: {
    table: 'ledger_transfers',
    columns: `(upper(operation_id)) where operation_id like 'goodwill:%'`,
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
