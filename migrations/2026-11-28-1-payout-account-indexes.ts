import { type Kysely, sql } from 'kysely';

/**
 * The payout accounts of a merchant, of which each payment reads the one that it goes to, current or not; and
 * those that a provider refuses, which are counted for the metrics, and listed for staff.
 */
export const indexes = {
  merchant_payout_accounts_merchant: {
    table: 'merchant_payout_accounts',
    columns: '(merchant_id)',
  },
  payout_account_checks_state: { table: 'payout_account_checks', columns: '(state)' },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
