/** The columns of tables that grow with the days of companies, and with what people are told. */
export const accountTables = (age: string, company: string, companyKind: string) =>
  ({
    ledger_day_sums: {
      day: `current_date - number / 100`,
      debit_account_id: `1 + number % 100 * 5`,
      credit_account_id: `2 + number % 100 * 5`,
      step: `'reserve'`,
      ended: `''`,
      count: '1',
      amount: '1',
    },
    company_daily_counts: {
      company_kind: companyKind,
      company_id: company,
      day: `current_date - number / 100`,
    },
    daily_spending: {
      subject_kind: `'partner'`,
      subject_id: company,
      day: `current_date - number / 100`,
      amount: '1',
      operations: '1',
    },
    partner_gift_denomination_prices: {
      created_at: age,
      replaced_at: `case when number > 1000 then now() end`,
      partner_id: company,
      denomination_id: `1 + number / 100`,
      selling_price_usd: '1',
    },
    bulk_orders: {
      created_at: age,
      operation_id: `'operation-' || number`,
      request_id: 'gen_random_uuid()',
      request_digest: `'digest-' || number`,
      partner_id: company,
      lines: '1',
      generated: 'case when number % 1000 = 0 then 0 else 1 end',
      portal_account_id: '1',
      ended_at: `case when number % 1000 = 0 then null else ${age} end`,
    },
    access_notices: {
      audit_id: 'number',
      created_at: age,
      sent_at: `case when number % 1000 = 0 then null else ${age} end`,
    },
    portal_half_sign_ins: {
      token_digest: `convert_to('digest-' || number, 'utf8')`,
      created_at: age,
      account_id: company,
    },
    merchant_invitations: {
      id: `md5(number::text)::uuid`,
      created_at: age,
      merchant_id: 'number',
      email: `'till@bole.example'`,
      status: `case when number % 1000 = 0 then 'REQUESTED' else 'REPLACED' end`,
      settled_at: `case when number % 1000 = 0 then null else ${age} end`,
    },
    invitation_messages: {
      invitation_id: `md5(number::text)::uuid`,
      channel: `'SMS'`,
      created_at: age,
      status: `case when number % 1000 = 0 then 'QUEUED' else 'SENT' end`,
      settled_at: `case when number % 1000 = 0 then null else ${age} end`,
    },
  }) as const;
