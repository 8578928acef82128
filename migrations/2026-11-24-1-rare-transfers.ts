import { type Kysely, sql } from 'kysely';

/**
 * The transfers of an account other than those of every redemption: a wallet of two accounts leaves out
 * what moves between them, which is nearly all of either account's history. Before this migration the
 * indexes are built concurrently; in an empty database the migration itself builds them.
 */
const rare = `where step not in ('hold', 'reserve', 'post', 'post-payment', 'post-service-fee')`;

export const indexes = {
  ledger_transfers_rarely_credited: {
    table: 'ledger_transfers',
    columns: `(credit_account_id, created_at, id) ${rare}`,
  },
  ledger_transfers_rarely_debited: {
    table: 'ledger_transfers',
    columns: `(debit_account_id, created_at, id) ${rare}`,
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
