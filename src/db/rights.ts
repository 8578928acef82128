/** What each process may do in the database. */

/** The processes that use the database, besides the migration, which owns it. */
export const processRoles = ['api', 'worker', 'operator'] as const;
export type ProcessRole = (typeof processRoles)[number];

type Rights = Readonly<Record<ProcessRole, string>>;

export const NOTHING = '';
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
export const restricted: Readonly<Record<string, Rights>> = {
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
  ledger_day_sums: { ...READ, worker: 'select, insert, update, delete' },
  checked_holdings: { ...READ, worker: 'select, insert, update, delete' },
  unchecked_changes: { ...READ, worker: 'select, insert, delete' },
  voucher_status_changes: READ,
  reference_data_version: READ,
  // Operators begin to seal numbers, once.
  number_storage: { ...READ, operator: 'select, update' },
  price_list_versions: READ,
  kysely_migration: READ,
  kysely_migration_lock: READ,
  audit_log: ADDED_ONLY,
  ledger_transfers: { ...ADDED_ONLY, api: 'select' },
  // Operators recover a restored database; triggers settle what is repeated.
  database_timeline: { ...READ, operator: 'select, update' },
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
  number_daily_counts: { ...COUNTERS, operator: 'select, delete' },
  vouchers: WORKERS,
  voucher_claims: WORKERS,
  // A callback lets the next reconciliation ask the provider.
  redemptions: { ...WORKERS, api: 'select, update (recheck_at)' },
  redemption_reversals: WORKERS,
  // Callbacks add; a worker uses and prunes them.
  mpesa_results: {
    api: 'select, insert',
    worker: 'select, update (used_at), delete',
    operator: 'select',
  },
  topup_attempts: { ...WORKERS, api: 'select, update (recheck_at)' },
  // Providers report deliveries to the API, too.
  messages: { ...WORKERS, api: 'select, update (delivery, delivery_at, delivery_reason)' },
  early_delivery_reports: {
    api: 'select, insert',
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  // Operators alone say who is staff.
  staff_accounts: { ...READ, operator: 'select, insert, update' },
  // Operators say who serves what; a worker tells what it did of it, and prunes.
  provider_routes: OPERATORS,
  // Locks for pruning require a right to update.
  provider_failovers: { ...READ, worker: 'select, insert, update (at), delete' },
  // People ask and confirm; a worker carries out what they have asked for, and asks for nothing.
  repairs: {
    api: 'select, insert, update (state, changed_at, result, confirmed_by, confirmed_at)',
    worker:
      'select, update (state, changed_at, result, amount, needs_confirmation, confirm_until, ' +
      'sealed_arguments)',
    // Erases numbers.
    operator: 'select, insert, update (sealed_arguments)',
  },
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
  // Workers and operators compare statements; operators settle breaks, also by the pages of support.
  provider_statements: WORKERS,
  provider_statement_lines: {
    api: NOTHING,
    worker: 'select, insert, update (reference, status, kind), delete',
    operator: 'select, insert, update (reference, status, kind), delete',
  },
  provider_breaks: {
    api: 'select, update (state, ended_at, ended_why, ended_by)',
    worker:
      'select, insert, update (state, found_at, ended_at, ended_why, our_status, our_amount, ' +
      'provider_status, provider_amount, provider_currency)',
    operator: 'select, insert, update',
  },
  provider_balances: WORKERS,
  bulk_orders: {
    api: 'select, insert, update (cancel_requested_at)',
    worker: 'select, update',
    operator: 'select',
  },
  // Operators seal and erase numbers.
  bulk_lines: {
    api: 'select, insert',
    worker: 'select, update',
    operator: 'select, update (owner_msisdn)',
  },
  message_resends: WORKERS,
  merchant_payout_accounts: OPERATORS,
  payout_account_checks: WORKERS,
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
export const NUMBERS: Readonly<Record<string, Partial<Rights>>> = {
  topups_id_seq: { api: 'usage' },
  event_numbers: { worker: 'usage' },
};

/** Operators skip the numbers of every identity after a restore. */
export const SKIPPING: Partial<Rights> = { operator: 'select, update' };

/** Rights of all processes on every other table. */
export const EVERYTHING = 'select, insert, update, delete';
