import { sql } from 'kysely';
import type { Database } from './connection.js';

/**
 * Only operators bring money into the service, and take it out: a worker adds no transfer from or to
 * the account `funding`. The condition compares numbers alone, because every payment is checked.
 */
export async function keepFromFunding(database: Database, worker: string): Promise<void> {
  const { rows: missing } = await sql`
    select from pg_class
    where oid = to_regclass('ledger_transfers') and relrowsecurity
      and not exists (select from pg_policy where polrelid = pg_class.oid and polname = ${worker})
  `.execute(database);
  if (missing.length === 0) return;
  const { rows } = await sql<{ id: number }>`
    select id from ledger_accounts where kind = 'funding'`.execute(database);
  const funding = sql.lit(rows[0]?.id);
  await sql`
    create policy ${sql.ref(worker)} on ledger_transfers as restrictive for insert
    to ${sql.ref(worker)}
    with check (debit_account_id <> ${funding} and credit_account_id <> ${funding})`.execute(
    database,
  );
}
