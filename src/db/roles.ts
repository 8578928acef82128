import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Database } from './connection.js';
import { keepFromFunding } from './transfer-policy.js';

/** The processes that use the database, besides the migration, which owns it. */
export const processRoles = ['api', 'worker', 'operator'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** Maximum length of a name in PostgreSQL. */
const NAME_BYTES = 63;

/** The group role of a process in a database; its member logins have its rights. */
export const groupRole = (databaseName: string, role: ProcessRole): string =>
  `${databaseName.slice(0, NAME_BYTES - role.length - 1)}_${role}`;

type Rights = Readonly<Record<ProcessRole, string>>;

const NOTHING = '';
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

/** Workers count, and delete old counts. */
const COUNTERS: Rights = {
  api: 'select',
  worker: 'select, insert, update, delete',
  operator: 'select',
};

/** Changes of a company's access lock its row, for which PostgreSQL requires a right to update. */
const COMPANIES: Rights = { ...OPERATORS, api: 'select, update (updated_at)' };

/** A key is limited and ended, but becomes neither another key nor another company's. */
const KEY_CHANGES =
  'revoked_at, expires_at, last_used_at, last_used_address, key_ciphertext, scopes, ' +
  'daily_amount, daily_operations';
const keysWith = (changes: string): Rights => ({
  ...READ,
  api: `select, insert, update (${changes})`,
  operator: `select, insert, update (${changes})`,
});

/**
 * Rights on tables with restricted access. Only triggers write balances, status changes and
 * versions.
 */
const restricted: Readonly<Record<string, Rights>> = {
  ledger_accounts: {
    ...READ,
    api: 'select, update (low_balance)',
    operator: 'select, update (low_balance)',
  },
  // Only triggers add events; a worker numbers and prunes them.
  events: { ...READ, worker: 'select, update (number), delete' },
  event_epochs: { ...READ, operator: 'select, insert' },
  // A worker delivers, and switches off; it redirects nothing to another address.
  webhook_endpoints: {
    api: 'select, insert, update',
    worker: 'select, update (cursor, wake_at, failing_since, status, status_since, status_reason)',
    operator: 'select, insert, update',
  },
  webhook_secrets: { ...OPERATORS, api: OPERATORS.operator, worker: 'select, delete' },
  webhook_deliveries: {
    api: 'select, insert, update',
    worker: 'select, insert, update, delete',
    operator: 'select, insert, update',
  },
  // The check of the books: triggers write changes, a worker takes them.
  book_checkpoints: { ...READ, worker: 'select, update' },
  checked_balances: { ...READ, worker: 'select, insert, update, delete' },
  checked_holdings: { ...READ, worker: 'select, insert, update, delete' },
  unchecked_changes: { ...READ, worker: 'select, insert, delete' },
  voucher_status_changes: READ,
  reference_data_version: READ,
  price_list_versions: READ,
  kysely_migration: READ,
  kysely_migration_lock: READ,
  audit_log: ADDED_ONLY,
  ledger_transfers: { ...ADDED_ONLY, api: 'select' },
  // Operators recover a restored database; triggers settle what is repeated.
  maintenance_fences: { ...READ, operator: 'select, insert, update' },
  recovered_payments: { ...READ, operator: 'select, insert, update' },
  api_keys: keysWith(KEY_CHANGES),
  merchant_public_keys: keysWith('revoked_at'),
  refused_calls: {
    api: 'select, insert',
    // PostgreSQL requires the update right for locks; a trigger refuses every update.
    worker: 'select, delete, update',
    operator: 'select',
  },
  daily_spending: COUNTERS,
  number_daily_counts: COUNTERS,
  vouchers: WORKERS,
  voucher_claims: WORKERS,
  redemptions: WORKERS,
  redemption_reversals: WORKERS,
  topup_attempts: WORKERS,
  messages: WORKERS,
  // Operators alone say who is staff.
  staff_accounts: { ...READ, operator: 'select, insert, update' },
  // Workers know nobody's secret.
  portal_one_time_passwords: {
    api: 'select, insert, update, delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_recovery_codes: {
    api: 'select, insert, update, delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_one_time_password_rules: {
    api: 'select, insert, delete',
    worker: NOTHING,
    operator: 'select',
  },
  access_notices: {
    api: 'select, insert',
    worker: 'select, insert, update, delete',
    operator: 'select, insert',
  },
  // Workers alone queue and send statements.
  statement_emails: {
    api: NOTHING,
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  // Operators choose who gets day reports; workers alone queue and send them.
  report_recipients: { api: NOTHING, worker: 'select', operator: 'select, insert, update' },
  report_emails: {
    api: NOTHING,
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  bulk_orders: {
    api: 'select, insert, update (cancel_requested_at)',
    worker: 'select, update',
    operator: 'select',
  },
  bulk_lines: { api: 'select, insert', worker: 'select, update', operator: 'select' },
  message_resends: WORKERS,
  merchant_payout_accounts: OPERATORS,
  partners: { ...COMPANIES, api: 'select, update (updated_at, message_language)' },
  merchants: COMPANIES,
  merchant_categories: OPERATORS,
  product_categories: OPERATORS,
  products: OPERATORS,
  partner_products: OPERATORS,
  promos: OPERATORS,
  gift_denominations: OPERATORS,
};

/**
 * Who allocates numbers itself: of a top-up for the id of its workflow, before its row is written,
 * and of events.
 */
const NUMBERS: Readonly<Record<string, Partial<Rights>>> = {
  topups_id_seq: { api: 'usage' },
  event_numbers: { worker: 'usage' },
};

/** Operators skip the numbers of every identity after a restore. */
const SKIPPING: Partial<Rights> = { operator: 'select, update' };

/** Rights of all processes on every other table. */
const EVERYTHING = 'select, insert, update, delete';

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

/** Whether the group exists now; concurrent migrations may create it. */
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

/** Grants a group exactly its rights, and revokes all others. */
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
      const numbers = NUMBERS[name]?.[role] ?? SKIPPING[role];
      if (numbers)
        await run(sql`grant ${sql.raw(numbers)} on sequence ${sql.table(name)} to ${toGroup}`);
      continue;
    }
    const rights = restricted[name]?.[role] ?? EVERYTHING;
    await run(sql`revoke all on ${sql.table(name)} from ${toGroup}`);
    if (rights !== NOTHING)
      await run(sql`grant ${sql.raw(rights)} on ${sql.table(name)} to ${toGroup}`);
  }
}
