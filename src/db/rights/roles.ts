import { sql } from 'kysely';
import pg from 'pg';
import { DEPOSIT_CORRECTION } from '../../domain/statements.ts';
import { allRows, allValues, type Database, firstValue, hasRows, type Sql } from '../connection.ts';
import {
  NOTHING,
  NUMBERS,
  type ProcessRole,
  processRoles,
  SKIPPING,
  tableRights,
} from './table-rights.ts';

/**
 * Only operators bring money into the service, and take it out. A worker adds no transfer from or
 * to the account `funding`, except when a repair corrects a deposit to the amount that its row names. Where that
 * brings money in, a second person has confirmed the repair. A worker can write neither the named amount nor who
 * confirmed. The condition compares numbers first, because every payment is checked.
 */
async function keepFromFunding(database: Database, worker: string): Promise<void> {
  const policy = `${worker.slice(0, 50)}_but_repairs`;
  const missing = await allRows(database)`
    select from pg_class
    where oid = to_regclass('ledger_transfers') and relrowsecurity
      and not exists (select from pg_policy where polrelid = pg_class.oid and polname = ${policy})
  `;
  if (missing.length === 0) return;
  const funding = sql.lit(
    await firstValue<number>(database)`select id from ledger_accounts where kind = 'funding'`,
  );
  await sql`
    create policy ${sql.ref(policy)} on ledger_transfers as restrictive for insert
    to ${sql.ref(worker)}
    with check (debit_account_id <> ${funding} and credit_account_id <> ${funding}
      or starts_with(step, ${sql.lit(DEPOSIT_CORRECTION)}) and exists (
        select from repairs where kind = 'correct-deposit' and state = 'READY'
          and 'deposit:' || subject_id = ledger_transfers.operation_id
          and (ledger_transfers.credit_account_id = ${funding} or confirmed_by is not null)
          and (arguments ->> 'amount')::numeric = (
            select sum(case when part.debit_account_id = ${funding} then part.amount else -part.amount end)
            from (
              select debit_account_id, amount from ledger_transfers as earlier
              where earlier.operation_id = ledger_transfers.operation_id
              union all select ledger_transfers.debit_account_id, ledger_transfers.amount
            ) as part)))`.execute(database);
}

/** Maximum length of a name in PostgreSQL. */
const NAME_BYTES = 63;

/** The group role of a process in a database; its member logins have its rights. */
export const groupRole = (databaseName: string, role: ProcessRole): string =>
  `${databaseName.slice(0, NAME_BYTES - role.length - 1)}_${role}`;

/** Advisory lock of processes that grant rights. */
const RIGHTS_LOCK = 4_127_061_109;

/** SQLSTATE of a login that may not create roles. */
const MAY_NOT = '42501';

/**
 * Creates the group roles, or returns the statements for an administrator, and grants each group
 * the rights of its process; runs after every migration. The migration's login owns the tables, so
 * no process can disable a trigger. Returns the remaining statements, if any.
 */
export async function ensureRoles(database: Database): Promise<string[]> {
  const name = await firstValue<string>(database, '')`select current_database()`;
  const missing: string[] = [];
  const groups = new Map<ProcessRole, string>();
  for (const role of processRoles) {
    const group = groupRole(name, role);
    if (await makeGroup(database, group)) groups.set(role, group);
    else missing.push(`create role ${pg.escapeIdentifier(group)} nologin;`);
  }
  await database.transaction().execute(async (transaction) => {
    // Concurrent runs would update the same catalogue rows of PostgreSQL.
    await sql`select pg_advisory_xact_lock(${RIGHTS_LOCK})`.execute(transaction);
    await fixTriggers(transaction);
    for (const [role, group] of groups) await grantRights(transaction, role, group);
    const worker = groups.get('worker');
    if (worker) await keepFromFunding(transaction, worker);
  });
  return missing;
}

/** Triggers run with the rights of their owner, and resolve tables only in our schema. */
export async function fixTriggers(database: Pick<Database, 'getExecutor'>): Promise<void> {
  const signatures = await allValues<string>(database)`
    select oid::regprocedure::text from pg_proc
    where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype
      and proowner = current_user::regrole
      and (not prosecdef or proconfig is null)`;
  for (const signature of signatures)
    await sql`
      alter function ${sql.raw(signature)} security definer
      set search_path = pg_catalog, public, pg_temp`.execute(database);
}

/** Whether the group exists now; concurrent migrations may create it. */
async function makeGroup(database: Database, group: string): Promise<boolean> {
  const exists = () => hasRows(database)`select from pg_roles where rolname = ${group}`;
  if (await exists()) return true;
  try {
    await sql`create role ${sql.ref(group)} nologin`.execute(database);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === MAY_NOT) return false;
    if (await exists()) return true;
    throw error;
  }
}

/** Grants a group exactly its rights, and revokes all others. */
async function grantRights(database: Database, role: ProcessRole, group: string): Promise<void> {
  const rows = await allRows<{ name: string; kind: string }>(database)`
    select relname as name, relkind as kind from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S')
      and relowner = current_user::regrole
    order by relname`;
  const toGroup = sql.ref(group);
  const run = (statement: Sql) => statement.execute(database);
  await run(sql`grant usage on schema public to ${toGroup}`);
  for (const { name, kind } of rows) {
    if (kind === 'S') {
      const numbers = NUMBERS[name]?.[role] ?? SKIPPING[role];
      if (numbers)
        await run(sql`grant ${sql.raw(numbers)} on sequence ${sql.table(name)} to ${toGroup}`);
      continue;
    }
    const rights = tableRights[name]?.[role] ?? NOTHING;
    await run(sql`revoke all on ${sql.table(name)} from ${toGroup}`);
    if (rights !== NOTHING)
      await run(sql`grant ${sql.raw(rights)} on ${sql.table(name)} to ${toGroup}`);
  }
}
