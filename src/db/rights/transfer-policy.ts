import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/**
 * Only operators bring money into the service, and take it out: a worker adds no transfer from or to
 * the account `funding`, but for a deposit that a repair undoes as it stands in the database. The
 * condition compares numbers first, because every payment is checked.
 */
export async function keepFromFunding(database: Database, worker: string): Promise<void> {
  const policy = `${worker.slice(0, 50)}_but_repairs`;
  const { rows: missing } = await sql`
    select from pg_class
    where oid = to_regclass('ledger_transfers') and relrowsecurity
      and to_regclass('repairs') is not null
      and not exists (select from pg_policy where polrelid = pg_class.oid and polname = ${policy})
  `.execute(database);
  if (missing.length === 0) return;
  const { rows } = await sql<{ id: number }>`
    select id from ledger_accounts where kind = 'funding'`.execute(database);
  const funding = sql.lit(rows[0]?.id);
  await sql`
    create policy ${sql.ref(policy)} on ledger_transfers as restrictive for insert
    to ${sql.ref(worker)}
    with check (debit_account_id <> ${funding} and credit_account_id <> ${funding}
      or debit_account_id <> ${funding} and step = 'reverse-deposit' and exists (
        select from repairs where kind = 'undo-deposit' and state = 'READY'
          and 'deposit:' || subject_id = ledger_transfers.operation_id))`.execute(database);
  // The rule before there were repairs.
  await sql`drop policy if exists ${sql.ref(worker)} on ledger_transfers`.execute(database);
}
