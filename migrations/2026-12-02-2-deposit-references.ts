import { type Kysely, sql } from 'kysely';

/**
 * A deposit is found by its reference in whichever case it was typed. Deposits are few; an expression of their own
 * keeps the statements that read all transfers of a step from this index.
 */
export const indexes = {
  ledger_transfers_deposits: {
    table: 'ledger_transfers',
    columns: `(upper(operation_id)) where operation_id like 'deposit:%'`,
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
