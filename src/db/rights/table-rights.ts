import type { Schema } from '../generated/tables.ts';

/** What each process may do in the database. */

/** The processes that use the database, besides the migration, which owns it. */
export const processRoles = ['api', 'worker', 'operator', 'reports'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** Rights of the processes that work; what reports read is listed apart. */
type Rights = Readonly<Record<Exclude<ProcessRole, 'reports'>, string>>;

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

/** Workers alone write, and delete what is old. */
const WORKERS_OWN: Rights = { ...READ, worker: 'select, insert, update, delete' };

/** Locks of rows that are to be deleted require a right to update, which one column satisfies. */
const prunedBy = (age: string): string => `select, update (${age}), delete`;

/** A key is limited and ended, but becomes neither another key nor another company's. */
const KEY_CHANGES =
  'revoked_at, expires_at, last_used_at, last_used_address, key_ciphertext, scopes, ' +
  'daily_amount, daily_operations';
const keysWith = (changes: string): Rights => ({
  ...READ,
  api: `select, insert, update (${changes})`,
  operator: `select, insert, update (${changes})`,
});

/** Rights on what says who may do what, and on what people and systems are told. */
const accessRights = {
  api_keys: keysWith(KEY_CHANGES),
  merchant_public_keys: keysWith('revoked_at'),
  refused_calls: {
    api: 'select, insert',
    // PostgreSQL requires the update right for locks; a trigger refuses every update.
    worker: 'select, delete, update',
    operator: 'select',
  },
  // Operators alone say who is staff.
  staff_accounts: { ...READ, operator: 'select, insert, update' },
  // Workers know no secret of a company.
  portal_one_time_passwords: {
    api: 'select, insert, update, delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_passkeys: {
    api: 'select, insert, update (last_used_at, counter), delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_recovery_codes: {
    api: 'select, insert, update, delete',
    worker: NOTHING,
    operator: 'select, delete',
  },
  portal_second_factor_rules: {
    api: 'select, insert, delete',
    worker: NOTHING,
    operator: 'select',
  },
  // Who changes access or invites queues messages; workers send them, and providers report deliveries to the API.
  outbox: {
    api: 'select, insert, update (delivery, delivery_at, delivery_reason)',
    worker: 'select, insert, update, delete',
    operator: 'select, insert',
  },
  audit_log: ADDED_ONLY,
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
  // Only triggers add events; a worker numbers and prunes them.
  events: { ...READ, worker: 'select, update (number), delete' },
  event_epochs: { ...READ, operator: 'select, insert' },
  // People of the service take what stands in the queue, and leave it.
  desk_assignments: {
    api: 'select, insert, update (account_id, since), delete',
    worker: NOTHING,
    operator: 'select',
  },
  report_recipients: { api: NOTHING, worker: 'select', operator: 'select, insert, update' },
  source_addresses: {
    ...READ,
    api: 'select, insert, delete',
    operator: 'select, insert, delete',
  },
  // A repetition updates its row to what it is, to read it.
  signed_requests: {
    api: 'select, insert, update (bound_to)',
    worker: prunedBy('created_at'),
    operator: NOTHING,
  },
  // The API deletes a company's older calls.
  admitted_calls: { api: `insert, ${prunedBy('at')}`, worker: NOTHING, operator: 'select' },
  // A worker writes to people, and sees no password.
  portal_accounts: {
    api: `select, insert, update (disabled_at, role, password_hash, must_change_password,
      password_expires_at, last_signed_in_at, language, time_zone, statement_by_email,
      statements_until)`,
    worker: `select (id, created_at, disabled_at, email, role, partner_id, merchant_id, language,
      time_zone, statement_by_email, statements_until), update (statements_until)`,
    operator: `select, insert, update (disabled_at, role, password_hash, must_change_password,
      password_expires_at, statements_until)`,
  },
  portal_sessions: {
    api: 'select, insert, update (last_seen_at, notice, confirmed_at), delete',
    worker: prunedBy('created_at'),
    operator: 'select, delete',
  },
  portal_half_sign_ins: {
    api: 'select, insert, delete',
    worker: prunedBy('created_at'),
    operator: 'select, delete',
  },
  portal_passkey_challenges: {
    api: 'select, insert, delete',
    worker: prunedBy('created_at'),
    operator: NOTHING,
  },
  portal_sign_in_attempts: {
    api: 'select, insert, update',
    worker: prunedBy('window_began_at'),
    operator: 'select, update (attempts)',
  },
  // Operators and staff invite, a worker opens and ends the link, and the portal uses it.
  merchant_invitations: {
    api: 'select, insert, update (status, settled_at, token_ciphertext)',
    worker: 'select, update (status, settled_at, expires_at, token_digest, token_ciphertext)',
    operator: 'select, insert, update (status, settled_at, token_ciphertext)',
  },
  // Rate limits are counted, and forgotten, where the calls are.
  rate_limits: { api: 'select, insert, update, delete', worker: NOTHING, operator: NOTHING },
} as const satisfies Readonly<Record<string, Rights>>;

/** Changes of a company's access lock its row, for which PostgreSQL requires a right to update. */
const COMPANIES: Rights = { ...OPERATORS, api: 'select, update (updated_at)' };

/** Rights on companies, products and prices. */
const catalogueRights = {
  partners: { ...COMPANIES, api: 'select, update (updated_at, message_language)' },
  merchants: COMPANIES,
  merchant_categories: OPERATORS,
  product_categories: OPERATORS,
  products: OPERATORS,
  partner_products: OPERATORS,
  promos: OPERATORS,
  // Its lock while a partner sets a price requires a right to update.
  gift_denominations: { ...OPERATORS, api: 'select, update (created_at)' },
  // Partners set their prices; an old one stays as history.
  partner_gift_denomination_prices: {
    ...READ,
    api: 'select, insert, update (replaced_at)',
    operator: 'select, insert, update (replaced_at)',
  },
  merchant_payout_accounts: OPERATORS,
  payout_account_checks: WORKERS,
  reference_data_version: READ,
  price_list_versions: READ,
} as const satisfies Readonly<Record<string, Rights>>;

/** Rights on the ledger, its checks, and what providers say of money. */
const moneyRights = {
  ledger_accounts: {
    ...READ,
    api: 'select, update (low_balance)',
    operator: 'select, update (low_balance)',
  },
  ledger_transfers: { ...ADDED_ONLY, api: 'select' },
  // A trigger of its rows moves their transfers.
  ledger_archives: WORKERS,
  // The check of the books: triggers write changes, a worker takes them.
  book_checkpoints: { ...READ, worker: 'select, update' },
  checked_balances: WORKERS_OWN,
  ledger_day_sums: WORKERS_OWN,
  payout_hour_sums: WORKERS_OWN,
  sale_hour_sums: WORKERS_OWN,
  claim_hour_sums: WORKERS_OWN,
  row_counts: WORKERS_OWN,
  checked_holdings: WORKERS_OWN,
  unchecked_changes: { ...READ, worker: 'select, insert, delete' },
  // Operators recover a restored database.
  database_timeline: { ...READ, operator: 'select, update' },
  maintenance_fences: { ...READ, operator: 'select, insert, update' },
  // Operators say who serves what; a worker tells what it did of it, and prunes.
  provider_routes: OPERATORS,
  provider_states: WORKERS_OWN,
  // A callback lets the next reconciliation ask the provider. Operators compare statements, and recover what a
  // restore lost.
  placements: {
    ...WORKERS,
    api: 'select, update (ask_at, doubted_at)',
    operator: 'select, insert, update',
  },
  observations: { ...ADDED_ONLY, operator: 'select, insert' },
  settlements: { ...ADDED_ONLY, operator: 'select' },
  cases: { ...WORKERS, operator: 'select, insert, update' },
  message_failovers: { ...READ, worker: 'select, insert, update (at), delete' },
  // Workers and operators compare statements.
  provider_statements: WORKERS,
  provider_statement_lines: {
    api: NOTHING,
    worker: 'select, insert, update (reference, status, kind), delete',
    operator: 'select, insert, update (reference, status, kind), delete',
  },
  provider_balances: { ...READ, worker: 'select, insert, update (read_at), delete' },
  // Callbacks add; a worker uses and prunes them.
  mpesa_results: {
    api: 'select, insert',
    worker: 'select, update (used_at), delete',
    operator: 'select',
  },
  // People ask and confirm; a worker carries out what they have asked for, and asks for nothing.
  repairs: {
    api: 'select, insert, update (state, changed_at, result, confirmed_by, confirmed_at)',
    worker:
      'select, update (state, changed_at, result, amount, needs_confirmation, confirm_until, ' +
      'sealed_arguments, former_msisdn)',
    // Seals and erases numbers.
    operator: 'select, insert, update (sealed_arguments, former_msisdn)',
  },
} as const satisfies Readonly<Record<string, Rights>>;

/** Workers do the work of workflows for a company. */
const WORKERS_ALONE: Rights = { ...WORKERS, operator: 'select' };

/** Rights on what companies ask for, and what is counted of it. */
const operationRights = {
  voucher_status_changes: READ,
  daily_spending: WORKERS_OWN,
  number_daily_counts: { ...WORKERS_OWN, operator: 'select, delete' },
  // Operators compare statements, which may move the value of a payment; they renew digests and erase numbers.
  vouchers: {
    ...WORKERS,
    operator: 'select, update (status, remaining, returned, code_digest, owner_msisdn)',
  },
  voucher_claims: WORKERS_ALONE,
  // Statements that operators compare say what became of payments and top-ups.
  redemptions: {
    ...WORKERS,
    operator: 'select, update (is_done, changed_at, charged, credited_to)',
  },
  redemption_reversals: WORKERS_ALONE,
  topup_attempts: { ...WORKERS, operator: 'select, update (is_done, changed_at, charged, msisdn)' },
  // Providers report deliveries to the API, too.
  messages: {
    worker: 'select, insert, update, delete',
    api: 'select, update (delivery, delivery_at, delivery_reason)',
    operator: 'select, update (msisdn)',
  },
  early_delivery_reports: {
    api: 'select, insert',
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  bulk_orders: {
    api: 'select, insert, update (cancel_requested_at)',
    worker: 'select, update',
    operator: 'select',
  },
  // Operators reseal and erase numbers.
  bulk_lines: {
    api: 'select, insert',
    worker: 'select, update',
    operator: 'select, update (owner_msisdn)',
  },
  message_resends: WORKERS_OWN,
  operations: {
    api: 'select, insert, update, delete',
    worker: 'select, insert, update, delete',
    operator: 'select',
  },
  // The API records; a worker gives the answer, and prunes.
  left_requests: {
    api: 'select, insert, update (left_at, taken_at)',
    worker: 'select, update (taken_at), delete',
    operator: NOTHING,
  },
  verification_attempts: {
    ...READ,
    worker: 'select, insert, update (created_at), delete',
  },
  // The API gives a company that is slowed down its next turn.
  company_daily_counts: { ...WORKERS_OWN, api: 'select, update (next_turn_at)' },
  // The API records a request, and withdraws it while nothing has begun.
  topups: {
    api: 'select, insert, delete',
    worker: 'select, update, delete',
    operator: 'select, update (status, message, provider_reference, updated_at, msisdn)',
  },
  topup_retries: {
    api: 'select, insert, delete',
    worker: 'select, update (is_open, msisdn), delete',
    operator: 'select, update (msisdn)',
  },
} as const satisfies Readonly<Record<string, Rights>>;

const ALL = 'select';

/** Columns that every payment or attempt at a provider has. */
const OUTCOME = 'status, not_done_by, is_done, changed_at, charged, created_at, settled_at';

/**
 * What reports read: the books, and what companies bought, redeemed and sent. They see no secret, no
 * phone number, no payee and no person; a table that is not here is not theirs.
 */
const reportsRights: Readonly<Partial<Record<keyof Schema, string>>> = {
  ledger_accounts: ALL,
  ledger_transfers: ALL,
  ledger_archives: ALL,
  ledger_day_sums: ALL,
  payout_hour_sums: ALL,
  sale_hour_sums: ALL,
  claim_hour_sums: ALL,
  row_counts: ALL,
  book_checkpoints: ALL,
  checked_balances: ALL,
  checked_holdings: ALL,
  unchecked_changes: ALL,
  voucher_status_changes: ALL,
  provider_statements: ALL,
  provider_balances: ALL,
  partners: ALL,
  merchant_categories: ALL,
  product_categories: ALL,
  products: ALL,
  partner_products: ALL,
  promos: ALL,
  gift_denominations: ALL,
  partner_gift_denomination_prices: ALL,
  bulk_orders: ALL,
  vouchers: `select (id, created_at, operation_id, partner_id, merchant_id, denomination_id,
    serial_number, is_restricted, amount, remaining, held, returned, status, expires_at,
    current_claim_id, reminded_at, selling_price_usd, exchange_rate, currency,
    originating_country, foreign_currency_amount)`,
  voucher_claims: `select (id, created_at, voucher_id, company_kind, company_id, amount, was_whole,
    service_fee_percent, status, expires_at)`,
  redemptions: `select (id, operation_id, voucher_id, claim_id, company_kind, company_id, merchant_id,
    to_merchant, service_fee, payment_reference, platform_reference, credited_to,
    ${OUTCOME})`,
  topups: `select (id, created_at, updated_at, operation_id, partner_id, kind, product_id, amount,
    operator, status, attempt, provider_reference, exchange_rate, currency,
    originating_country, foreign_currency_amount)`,
  topup_attempts: `select (topup_id, attempt, operation_id, reference, provider_product_id, ${OUTCOME})`,
  // The messages of providers, and what people write, may name persons.
  redemption_reversals: `select (id, created_at, settled_at, redemption_id, operation_id, reference, status,
    needs_action_since, provider_reference, credited_to)`,
  settlements: `select (id, created_at, operation_id, party, partner_id, amount)`,
  message_failovers: `select (id, at, message_id, from_provider, to_provider)`,
  placements: `select (id, kind, reference, provider, operation_id, voucher_id, ordered, position,
    placed_at, sent_at, said, done, provider_reference, said_at, doubted_at, is_unclear,
    silent_since, ask_at)`,
  observations: `select (id, created_at, placement_id, at, source, said, done, provider_reference)`,
  cases: `select (id, subject_kind, subject, why, amount, provider, reference, partner_id,
    merchant_id, voucher_id, topup_id, is_blocking, opened_at, closed_at, difference)`,
  merchants: `select (id, created_at, updated_at, deleted_at, merchant_name, merchant_type,
    identifier_type, identifier, merchant_category_id, status, service_fee_percent)`,
};

/** Every table of the service: a process has no right on a table that is not listed. */
type Tables = keyof Schema | 'kysely_migration' | 'kysely_migration_lock';

/** Only triggers write balances, status changes and versions. */
const rights = {
  ...accessRights,
  ...catalogueRights,
  ...moneyRights,
  ...operationRights,
  kysely_migration: READ,
  kysely_migration_lock: READ,
} satisfies Readonly<Record<Tables, Rights>>;

/** What each process may do with each table. */
export const tableRights: Readonly<Record<string, Readonly<Record<ProcessRole, string>>>> =
  Object.fromEntries(
    Object.entries(rights).map(([table, ofTable]) => [
      table,
      { ...ofTable, reports: reportsRights[table as keyof Schema] ?? NOTHING },
    ]),
  );

/**
 * Who allocates numbers itself: of a top-up for the id of its workflow, before its row is written,
 * and of events.
 */
export const NUMBERS: Readonly<Record<string, Partial<Record<ProcessRole, string>>>> = {
  topups_id_seq: { api: 'usage' },
  event_numbers: { worker: 'usage' },
};

/** Operators skip the numbers of every identity after a restore. */
export const SKIPPING: Partial<Record<ProcessRole, string>> = { operator: 'select, update' };
