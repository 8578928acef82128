const provider = `(array['gsma', 'mpesa', 'dt-one', 'reloadly'])[1 + number % 4]`;
const oldDay = `to_char(date '2012-01-01' + number / 4, 'YYYY-MM-DD')`;
const recentDay = `to_char(current_date - number / 4 % 40, 'YYYY-MM-DD')`;
const isOpen = 'number % 1000 = 0';

/** The columns of tables that grow with what providers do and say. */
export const providerTables = (age: string) =>
  ({
    // Those of another provider, of the same orders, have a position of their own.
    placements: {
      kind: `'payment'`,
      reference: `'reference-' || number`,
      provider: `'gsma'`,
      operation_id: `'operation-' || number`,
      ordered: '100',
      placed_at: age,
      said: `'done'`,
      done: '100',
      said_at: age,
      provider_reference: `'provider-' || number`,
      ask_at: `case when ${isOpen} then now() end`,
    },
    observations: {
      created_at: age,
      placement_id: 'number',
      at: age,
      source: `'inquiry'`,
      said: `'done'`,
      done: '100',
    },
    settlements: {
      created_at: age,
      operation_id: `'operation-' || number`,
      party: `'platform'`,
      amount: '1',
      actor: `'operator'`,
      note: `'agreed'`,
    },
    cases: {
      subject_kind: `'order'`,
      subject: `'operation-' || number`,
      why: `'difference'`,
      amount: '1',
      // Of a provider with many cases, the newest ones are found soon without its index.
      provider: `case when ${isOpen} then 'gsma' else 'mpesa' end`,
      reference: `'reference-' || number`,
      opened_at: age,
      closed_at: `case when ${isOpen} then null else now() end`,
    },
    provider_balances: {
      provider: `'gsma'`,
      read_at: age,
      currency: `'ETB'`,
      amount: '1000',
    },
    provider_statements: {
      provider,
      day: oldDay,
      state: `case when ${isOpen} then 'FAILED' else 'COMPARED' end`,
      compared_at: `case when ${isOpen} then null else now() end`,
      load_id: `md5(${oldDay} || ${provider})::uuid`,
    },
    provider_statement_lines: {
      load_id: `md5(${recentDay} || ${provider})::uuid`,
      kind: `'payment'`,
      provider_reference: `'provider-' || number`,
      provider,
      day: recentDay,
      created_at: age,
      reference: `gen_random_uuid()::text`,
      status: `'completed'`,
      amount: '100',
      currency: `'ETB'`,
      at: age,
    },
    mpesa_results: {
      received_at: age,
      reference: 'gen_random_uuid()',
      kind: `'payment'`,
      conversation_id: `'c' || number`,
      result_code: `'0'`,
      description: `''`,
    },
    // One account of each merchant is current; the others are its history.
    merchant_payout_accounts: {
      merchant_id: 'number',
      party_key: `'msisdn'`,
      party_value: `'+2519' || number`,
      replaced_at: 'case when number > 100 then now() end',
    },
    payout_account_checks: {
      payout_account_id: 'number',
      provider: `'gsma'`,
      // Providers that tell no holder, for accounts with and without a registered one.
      state: `case when ${isOpen} then 'closed' when number % 2 = 0 then 'open' else 'not-offered' end`,
      lacks_confirmation: 'number % 1000 = 1',
    },
    early_delivery_reports: {
      provider: `'smpp'`,
      provider_reference: `'r' || number`,
      delivery: `'DELIVERED'`,
      received_at: age,
    },
  }) as const;
