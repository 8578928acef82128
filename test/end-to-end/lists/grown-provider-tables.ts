const provider = `(array['gsma', 'mpesa', 'dt-one', 'reloadly'])[1 + number % 4]`;
const oldDay = `to_char(date '2012-01-01' + number / 4, 'YYYY-MM-DD')`;
const recentDay = `to_char(current_date - number / 4 % 40, 'YYYY-MM-DD')`;
const isOpen = 'number % 1000 = 0';

/** The columns of tables that grow with what providers do and say. */
export const providerTables = (age: string) =>
  ({
    provider_failovers: {
      at: age,
      operation_id: `'operation-' || number`,
      from_provider: `'mpesa'`,
      to_provider: `'gsma'`,
      message: `'not sent'`,
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
    provider_breaks: {
      provider,
      day: oldDay,
      type: `'amount'`,
      kind: `'payment'`,
      subject: `'subject-' || number`,
      state: `case when ${isOpen} then 'OPEN' else 'CLOSED' end`,
      ended_at: `case when ${isOpen} then null else now() end`,
      ended_why: `case when ${isOpen} then null else 'cleared' end`,
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
