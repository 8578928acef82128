import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';

/** Columns with the times of what has happened, by their tables. */
const times: Readonly<Record<string, readonly string[]>> = {
  ledger_transfers: ['created_at'],
  vouchers: ['created_at'],
  redemptions: ['created_at', 'settled_at'],
  topups: ['created_at', 'updated_at'],
  topup_attempts: ['created_at', 'settled_at'],
  placements: ['placed_at', 'said_at'],
  voucher_status_changes: ['changed_at'],
};

/** Moves all that has happened into the past. */
export const makeOlder = (database: Database, months: number): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const [table, columns] of Object.entries(times))
      for (const column of columns)
        await sql`
          update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)}
            - make_interval(months => ${months})`.execute(transaction);
  });
