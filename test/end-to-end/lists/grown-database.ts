import { withSession } from '../../../src/local/postgres.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { accountTables } from './grown-account-tables.ts';
import { providerTables } from './grown-provider-tables.ts';

/** Rows of each table that grows; enough for PostgreSQL to prefer an index where there is one. */
const ROWS = 20_000;
const COMPANIES = 100;

const numbers = (count: number) => `generate_series(1, ${count}) as number`;
const company = `1 + number % ${COMPANIES}`;
const company_kind = `case when number % 2 = 0 then 'partner' else 'merchant' end`;
/** Older by a second for each row, so that nearly all are beyond every retention. */
const age = `now() - make_interval(hours => ${ROWS} - number)`;

/** The columns that a statement may look for, by table; the rest have their defaults. */
const filled: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  operations: {
    id: `'operation-' || number`,
    created_at: age,
    company_kind,
    company_id: company,
    kind: `'redeem-gift'`,
    request_id: 'gen_random_uuid()',
    request_digest: `'digest-' || number`,
    status: `'SUCCEEDED'`,
    outcome: `'{}'::jsonb`,
    settled_at: age,
  },
  vouchers: {
    created_at: age,
    operation_id: `'operation-' || number`,
    request_digest: `'digest-' || number`,
    partner_id: company,
    merchant_id: company,
    denomination_id: '1',
    serial_number: `'SERIAL' || number`,
    code_digest: `convert_to('digest-' || number, 'utf8')`,
    code_ciphertext: `'ciphertext'`,
    owner_msisdn: `'+2519' || number`,
    is_restricted: 'true',
    amount: '100',
    remaining: `case when number % 10 = 0 then 100 else 0 end`,
    returned: `case when number % 10 = 0 then 0 else 100 end`,
    status: `case when number % 10 = 0 then 'ACTIVE' else 'EXPIRED' end`,
    expires_at: `now() + make_interval(hours => number)`,
    current_claim_id: `case when number % 100 = 0 then 'claim-' || number end`,
    selling_price_usd: '2',
  },
  voucher_status_changes: {
    voucher_id: 'number',
    from_status: `'ACTIVE'`,
    to_status: `'EXPIRED'`,
  },
  voucher_claims: {
    id: `'claim-' || number`,
    operation_id: `'operation-' || number`,
    created_at: age,
    voucher_id: 'number',
    company_kind,
    company_id: company,
    status: `case when number % 1000 = 0 then 'OPEN' else 'REDEEMED' end`,
    expires_at: 'now()',
    code_digest: `'digest'`,
    code_digits: '6',
    workflow_id: `'workflow-' || number`,
  },
  verification_attempts: {
    created_at: age,
    voucher_id: 'number',
    claim_id: `'claim-' || number`,
    operation_id: `'o' || number`,
    request_digest: `'digest-' || number`,
    company_kind,
    company_id: company,
  },
  redemptions: {
    created_at: age,
    settled_at: age,
    operation_id: `'operation-' || number`,
    voucher_id: 'number',
    company_kind,
    company_id: company,
    merchant_id: company,
    to_merchant: '97.5',
    service_fee: '2.5',
    request_digest: `'digest-' || number`,
    status: `case when number % 1000 = 0 then 'HELD' else 'POSTED' end`,
    is_done: 'number % 1000 <> 0',
    charged: 'number % 1000 <> 0',
    payment_reference: 'gen_random_uuid()',
    platform_reference: `'RDM' || number`,
    payee: `'{}'::jsonb`,
  },
  messages: {
    created_at: age,
    kind: `'VERIFICATION_CODE'`,
    language: `'en'`,
    msisdn: `'+2519' || number`,
    voucher_id: 'number',
    claim_id: `'claim-' || number`,
    status: `case when number % 1000 = 0 then 'QUEUED' else 'SENT' end`,
    settled_at: `case when number % 1000 = 0 then null else ${age} end`,
  },
  topups: {
    created_at: age,
    operation_id: `'operation-' || number`,
    workflow_id: `'top-up-' || number`,
    request_digest: `'digest-' || number`,
    partner_id: company,
    kind: `'AIRTIME'`,
    amount: '50',
    msisdn: `'+2519' || number`,
    status: `'SUCCESS'`,
    exchange_rate: `'1'`,
    currency: `'USD'`,
    originating_country: `'US'`,
  },
  topup_attempts: {
    topup_id: 'number',
    attempt: '1',
    operation_id: `'operation-' || number`,
    reference: `'reference-' || number`,
    created_at: age,
    settled_at: age,
    msisdn: `'+2519' || number`,
    status: `case when number % 1000 = 0 then 'HELD' else 'POSTED' end`,
  },
  ledger_transfers: {
    created_at: age,
    operation_id: `'operation-' || number`,
    // One in ten is not of a redemption: those have indexes of their own.
    step: `case when number % 10 = 0 then 'void' else 'hold' end`,
    debit_account_id: `1 + number % (${COMPANIES} * 5)`,
    credit_account_id: `2 + number % (${COMPANIES} * 5)`,
    amount: '1',
  },
  audit_log: {
    at: age,
    actor: `'actor'`,
    action: `'action'`,
    subject_kind: `'partner'`,
    subject_id: company,
    details: `'{}'::jsonb`,
  },
  signed_requests: {
    merchant_id: company,
    subject: `'body:' || number`,
    bound_to: `'x'`,
    created_at: age,
  },
  left_requests: {
    company_kind,
    company_id: company,
    request_digest: `'digest-' || number`,
    left_at: age,
  },
  refused_calls: {
    at: age,
    surface: `'partner'`,
    method: `'GET'`,
    route: `'/'`,
    reason: `'reason'`,
    company_kind,
    company_id: company,
    source_address: `'127.0.0.1'`,
    request_id: 'gen_random_uuid()::text',
  },
  admitted_calls: {
    at: age,
    surface: `'partner'`,
    method: `'GET'`,
    route: `'/'`,
    status_code: '200',
    company_kind,
    company_id: company,
    source_address: `'127.0.0.1'`,
    request_id: 'gen_random_uuid()::text',
  },
  redemption_reversals: {
    redemption_id: 'number',
    operation_id: `'reversal-' || number`,
    request_digest: `'digest-' || number`,
    reference: 'gen_random_uuid()',
    status: `case when number % 1000 = 0 then 'PENDING' else 'SUCCESS' end`,
    settled_at: `case when number % 1000 = 0 then null else ${age} end`,
    provider_reference: `'reversed-' || number`,
    credited_to: `case when number % 1000 = 0 then null else 'voucher' end`,
  },
  topup_retries: {
    operation_id: `'operation-' || number`,
    topup_id: 'number',
    attempt: '2',
    request_digest: `'digest-' || number`,
    created_at: age,
    is_open: 'number % 1000 = 0',
  },
  repairs: {
    operation_id: `'repair-' || number`,
    request_key: `'request-' || number`,
    kind: `'cancel-voucher'`,
    subject_kind: `'voucher'`,
    subject_id: 'number::text',
    company_kind: `'partner'`,
    company_id: company,
    voucher_id: 'case when number % 2 = 0 then number end',
    topup_id: 'case when number % 2 = 1 then number end',
    arguments: `'{}'::jsonb`,
    amount: '100',
    moves_value: 'true',
    why: `'Ticket'`,
    asked_at: age,
    asked_by: `'hanna'`,
    needs_confirmation: 'number % 1000 = 1',
    confirm_until: `now() + interval '1 day'`,
    confirmed_by: `case when number % 1000 = 1 then null else 'staff:1' end`,
    state: `case number % 1000 when 0 then 'READY' when 1 then 'ASKED' else 'DONE' end`,
    changed_at: age,
    result: `case when number % 1000 > 1 then 'Done' end`,
  },
  message_failovers: {
    at: age,
    message_id: 'number',
    from_provider: `'smpp'`,
    to_provider: `'africas-talking'`,
    message: `'not sent'`,
  },
  message_resends: {
    message_id: 'number',
    original_id: 'number',
    operation_id: `'operation-' || number`,
    created_at: age,
  },
  bulk_lines: {
    bulk_order_id: '1 + number / 100',
    line: '1 + number % 100',
    reference: `'reference-' || number`,
    operation_id: `'operation-' || number`,
    request_digest: `'digest-' || number`,
    denomination_id: '1',
    merchant_id: company,
    is_restricted: 'true',
    status: `'GENERATED'`,
    voucher_id: 'number',
    settled_at: age,
  },
  events: {
    created_at: age,
    number: `case when number % 1000 = 0 then null else number end`,
    company_kind,
    company_id: company,
    type: `'voucher.generated'`,
    subject: `'voucher:' || number`,
    data: `'{}'::jsonb`,
  },
  webhook_deliveries: {
    created_at: age,
    endpoint_id: company,
    event_number: 'number',
    type: `'voucher.generated'`,
    subject: `'voucher:' || number`,
    status: `case when number % 1000 = 0 then 'PENDING' else 'DELIVERED' end`,
    retry_until: 'now()',
  },
  number_daily_counts: {
    number_digest: `convert_to('digest-' || number, 'utf8')`,
    day: `current_date - number / 100`,
  },
  portal_sign_in_attempts: {
    subject_digest: `convert_to('digest-' || number, 'utf8')`,
    window_began_at: age,
  },
  portal_sessions: {
    created_at: age,
    account_id: company,
    token_digest: `convert_to('digest-' || number, 'utf8')`,
  },
  ...accountTables(age, company, company_kind),
  ...providerTables(age),
};

/** The tables that grow with what companies do. */
export const grownTables: readonly string[] = Object.keys(filled);

/** Tables that do not grow with what companies do, and why. */
export const boundedTables: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'as many rows as companies, products and what is sold of them': [
      ...['partners', 'merchants', 'merchant_categories', 'product_categories', 'products'],
      ...['partner_products', 'promos', 'gift_denominations', 'price_list_versions'],
    ],
    'a few rows for each company or person': [
      ...['api_keys', 'source_addresses', 'merchant_public_keys', 'portal_accounts'],
      ...['portal_one_time_passwords', 'portal_passkeys', 'portal_recovery_codes'],
      'portal_second_factor_rules',
      ...['webhook_endpoints', 'webhook_secrets', 'staff_accounts', 'report_recipients'],
      ...['ledger_accounts', 'checked_balances', 'checked_holdings', 'row_counts'],
    ],
    'a few rows for the service': [
      ...['book_checkpoints', 'reference_data_version', 'event_epochs', 'database_timeline'],
      ...['provider_routes', 'provider_states'],
      ...['maintenance_fences'],
    ],
    'rows until the next check of the books has taken them': ['unchecked_changes'],
    'a few rows for each person of the service': ['desk_assignments'],
    'a minute of calls, in a table without a log': ['rate_limits'],
    'the migrations': ['kysely_migration', 'kysely_migration_lock'],
  }).flatMap(([why, tables]) => tables.map((table) => [table, why])),
);

/** A database as after a long time: many rows in each table that grows, and statistics of them. */
export async function createGrownDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await withSession(database.url, async (client) => {
    // Neither triggers nor foreign keys: the rows only have to be many.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into partners (company_name) select 'Partner' from ${numbers(COMPANIES)}`,
    );
    await client.query(`insert into ledger_accounts (kind, partner_id, balance)
      select kind, id, 0 from partners,
        unnest(array['airtime', 'gift', 'reserved', 'gift-hold', 'airtime-hold']) as kind`);
    for (const [table, columns] of Object.entries(filled))
      await client.query(`insert into ${table} (${Object.keys(columns).join(', ')})
        select ${Object.values(columns).join(', ')} from ${numbers(ROWS)}`);
    await client.query('analyze');
  });
  return database;
}
