import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Database } from './connection.js';

/** Who uses the database besides the migration, to which it belongs. */
export const processRoles = ['api', 'worker', 'operator'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** PostgreSQL's longest name. */
const NAME_BYTES = 63;

/** The group role of a process in a database; a login that is a member of it has its rights. */
export const groupRole = (databaseName: string, role: ProcessRole): string =>
  `${databaseName.slice(0, NAME_BYTES - role.length - 1)}_${role}`;

type Rights = Readonly<Record<ProcessRole, string>>;

const READ: Rights = { api: 'select', worker: 'select', operator: 'select' };
const ADDED_ONLY: Rights = {
  api: 'select, insert',
  worker: 'select, insert',
  operator: 'select, insert',
};
const WORKERS: Rights = {
  api: 'select',
  worker: 'select, insert, update',
  operator: 'select, insert, update',
};
const OPERATORS: Rights = {
  api: 'select',
  worker: 'select',
  operator: 'select, insert, update, delete',
};

/** Changes of a company's access lock its row, for which PostgreSQL wants a right to update. */
const COMPANIES: Rights = { ...OPERATORS, api: 'select, update (updated_at)' };

/**
 * What the processes may do with tables that are not everybody's. Balances, changes of status and
 * versions are written by triggers alone.
 */
const restricted: Readonly<Record<string, Rights>> = {
  ledger_accounts: READ,
  voucher_status_changes: READ,
  reference_data_version: READ,
  price_list_versions: READ,
  kysely_migration: READ,
  kysely_migration_lock: READ,
  audit_log: ADDED_ONLY,
  ledger_transfers: { ...ADDED_ONLY, api: 'select' },
  refused_calls: {
    api: 'select, insert',
    // PostgreSQL wants the right to update of who locks; a trigger refuses every update.
    worker: 'select, delete, update',
    operator: 'select',
  },
  vouchers: WORKERS,
  voucher_claims: WORKERS,
  redemptions: WORKERS,
  topup_attempts: WORKERS,
  messages: WORKERS,
  merchant_payout_accounts: OPERATORS,
  partners: COMPANIES,
  merchants: COMPANIES,
  merchant_categories: OPERATORS,
  product_categories: OPERATORS,
  products: OPERATORS,
  partner_products: OPERATORS,
  promos: OPERATORS,
  gift_denominations: OPERATORS,
};

/** Draws the number of a top-up, which the id of its workflow names, before its row is written. */
const NUMBERS: Readonly<Record<string, ProcessRole>> = { topups_id_seq: 'api' };

/** What all three may do with every other table. */
const EVERYTHING = 'select, insert, update, delete';

/** Whoever gives rights holds this advisory lock. */
const RIGHTS_LOCK = 4_127_061_109;

/** SQLSTATE of a login that may not make roles. */
const MAY_NOT = '42501';

/**
 * Makes the group roles, or prints what somebody who may has to run, and gives each the rights that
 * its process needs; repeated after every migration. Tables belong to the migration's login, so that
 * no process can switch a trigger off. Returns the statements that are left to run, if any.
 */
export async function ensureRoles(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database);
  const name = rows[0]?.name ?? '';
  const missing: string[] = [];
  const groups = new Map<ProcessRole, string>();
  for (const role of processRoles) {
    const group = groupRole(name, role);
    if (await makeGroup(database, group)) groups.set(role, group);
    else missing.push(`create role ${pg.escapeIdentifier(group)} nologin;`);
  }
  await database.transaction().execute(async (transaction) => {
    // Two at the same time would change the same rows of PostgreSQL's own tables.
    await sql`select pg_advisory_xact_lock(${RIGHTS_LOCK})`.execute(transaction);
    await fixTriggers(transaction);
    for (const [role, group] of groups) await grantRights(transaction, role, group);
  });
  return missing;
}

/** Triggers act with the rights of their owner, and find tables in our schema alone. */
async function fixTriggers(database: Database): Promise<void> {
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype
      and proowner = current_user::regrole
      and (not prosecdef or proconfig is null)`.execute(database);
  for (const { signature } of rows)
    await sql`
      alter function ${sql.raw(signature)} security definer
      set search_path = pg_catalog, public, pg_temp`.execute(database);
}

/** Whether the group is there now; several migrations may make it at the same time. */
async function makeGroup(database: Database, group: string): Promise<boolean> {
  const exists = async () => {
    const { rows } = await sql`select from pg_roles where rolname = ${group}`.execute(database);
    return rows.length > 0;
  };
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

/** Gives a group exactly its rights: what it had and does not need is taken away. */
async function grantRights(database: Database, role: ProcessRole, group: string): Promise<void> {
  const { rows } = await sql<{ name: string; kind: string }>`
    select relname as name, relkind as kind from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S')
      and relowner = current_user::regrole
    order by relname`.execute(database);
  const toGroup = sql.ref(group);
  const run = (statement: RawBuilder<unknown>) => statement.execute(database);
  await run(sql`grant usage on schema public to ${toGroup}`);
  for (const { name, kind } of rows) {
    if (kind === 'S') {
      if (NUMBERS[name] === role)
        await run(sql`grant usage on sequence ${sql.table(name)} to ${toGroup}`);
      continue;
    }
    const rights = restricted[name]?.[role] ?? EVERYTHING;
    await run(sql`revoke all on ${sql.table(name)} from ${toGroup}`);
    await run(sql`grant ${sql.raw(rights)} on ${sql.table(name)} to ${toGroup}`);
  }
}
