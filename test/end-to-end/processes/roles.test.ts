import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProcessRole, processRoles } from '../../../src/db/rights/table-rights.ts';
import { withSession } from '../../../src/local/postgres.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** What somebody who got hold of a process's password would try. */
const ATTACKS: readonly [string, readonly ProcessRole[], string][] = [
  ['switch triggers off', processRoles, 'alter table ledger_transfers disable trigger all'],
  ['switch all triggers off', processRoles, 'set session_replication_role = replica'],
  ['replace a trigger', processRoles, 'drop function apply_ledger_transfers cascade'],
  ['change the audit log', processRoles, `update audit_log set actor = 'x'`],
  ['delete the audit log', processRoles, 'delete from audit_log'],
  ['empty the audit log', processRoles, 'truncate audit_log'],
  ['change a wallet', processRoles, 'update ledger_accounts set balance = 1000000'],
  ['add a wallet', processRoles, `insert into ledger_accounts (kind) values ('gift')`],
  ['change a transfer', processRoles, 'update ledger_transfers set amount = 1'],
  ['delete a transfer', processRoles, 'delete from ledger_transfers'],
  ['change the story of a voucher', processRoles, 'delete from voucher_status_changes'],
  [
    'add an event',
    processRoles,
    `insert into events (company_kind, company_id, type, subject, data)
     values ('partner', 1, 'balance.low', 'x', '{}')`,
  ],
  ['change an event', processRoles, `update events set data = '{}'`],
  ['number an event', ['api', 'operator'], 'update events set number = 1'],
  [
    'lead events to another address',
    ['worker'],
    `update webhook_endpoints set url = 'https://x.example/'`,
  ],
  [
    'add a secret to a webhook',
    ['worker'],
    `insert into webhook_secrets (endpoint_id, ciphertext) values (1, 'x')`,
  ],
  ['change the schema', processRoles, 'alter table vouchers drop constraint vouchers_value'],
  ['add a table', processRoles, 'create table mine ()'],
  ['make a role', processRoles, 'create role mine superuser'],
  [
    'move money',
    ['api'],
    `insert into ledger_transfers (operation_id, step, debit_account_id,
     credit_account_id, amount) values ('x', 'x', 1, 2, 1)`,
  ],
  ['add value to a voucher', ['api'], 'update vouchers set remaining = amount'],
  ['mark a redemption as paid', ['api'], `update redemptions set status = 'POSTED'`],
  [
    'be paid in place of a merchant',
    ['api', 'worker'],
    `update merchant_payout_accounts
     set party_value = '+251900000000'`,
  ],
  ['revive a key', processRoles, 'update api_keys set revoked_at = null'],
  ['prolong a key', processRoles, `update api_keys set expires_at = now() + interval '1 year'`],
  ['make a key another one', processRoles, `update api_keys set key_digest = 'x'`],
  ['revive a public key', processRoles, 'update merchant_public_keys set revoked_at = null'],
  [
    'bring in money',
    ['api', 'worker'],
    `insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
     select 'x', 'x', funding.id, gift.id, 1 from ledger_accounts as funding, ledger_accounts as gift
     where funding.kind = 'funding' and gift.kind = 'gift'`,
  ],
  [
    'take out money',
    ['api', 'worker'],
    `insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
     select 'x', 'x', gift.id, funding.id, 1 from ledger_accounts as funding, ledger_accounts as gift
     where funding.kind = 'funding' and gift.kind = 'gift'`,
  ],
  ['change a fee', ['api', 'worker'], 'update merchants set service_fee_percent = 0'],
  ['generate a voucher by hand', ['api', 'operator'], 'insert into vouchers default values'],
  ['answer an operation', ['operator'], `update operations set outcome = '{}'`],
  ['finish a top-up', ['api'], `update topups set status = 'SUCCESS'`],
  ['forget wrong codes', ['api', 'operator'], 'delete from verification_attempts'],
  ['give a company its messages again', ['api'], 'update company_daily_counts set messages = 0'],
  ['read passwords', ['worker'], 'select password_hash from portal_accounts'],
  ['set a password', ['worker'], `update portal_accounts set password_hash = 'x'`],
  ['add a person', ['worker'], `insert into portal_accounts (email) values ('x@x.example')`],
  ['sign somebody in', ['worker', 'operator'], 'insert into portal_sessions default values'],
  ['invite itself', ['worker'], 'insert into merchant_invitations default values'],
  ['call from another address', ['worker'], 'insert into source_addresses default values'],
  ['set a price', ['worker'], 'insert into partner_gift_denomination_prices default values'],
  ['end a claim', ['api', 'operator'], `update voucher_claims set status = 'CANCELLED'`],
  ['ask for a repair', ['worker'], 'insert into repairs default values'],
  ['read codes', ['reports'], 'select code_ciphertext from vouchers'],
  ['read numbers', ['reports'], 'select msisdn from topups'],
  ['read people', ['reports'], 'select email from portal_accounts'],
  ['read payees', ['reports'], 'select payee from redemptions'],
  ['read reasons', ['reports'], 'select reason from redemption_reversals'],
  ['read messages', ['reports'], 'select provider_message from redemption_reversals'],
  ['read who settled', ['reports'], 'select actor from settlements'],
];

/** A company whose access has ended: what no process can bring back. */
const addEndedAccess = (url: string) =>
  withSession(url, (owner) =>
    owner.query(`
    insert into partners (company_name) values ('Ended');
    insert into api_keys (partner_id, key_name, key_prefix, key_digest, revoked_at, expires_at)
      select id, 'ended', 'x', 'x', now(), now() from partners;
    insert into merchants (merchant_name, merchant_type, identifier_type, identifier, email, phone,
      address) values ('Ended', 'RETAIL', 1, 'ended', 'e@ended.example', '+251911000000', 'Here');
    insert into merchant_public_keys (merchant_id, public_key_pem, revoked_at)
      select id, 'x', now() from merchants`),
  );

describe('a process', () => {
  let database: TestDatabase;
  const logins = new Map<ProcessRole, pg.Client>();

  beforeAll(async () => {
    database = await createTestDatabase();
    await addEndedAccess(database.url);
    for (const role of processRoles) {
      const login = new pg.Client({ connectionString: database.urlFor(role) });
      await login.connect();
      logins.set(role, login);
    }
  });
  afterAll(async () => {
    for (const login of logins.values()) await login.end();
    await database?.drop();
  });

  const cases = ATTACKS.flatMap(([what, roles, statement]) =>
    roles.map((role) => [role, what, statement] as const),
  );

  test.each(cases)('%s cannot %s', async (role, _what, statement) => {
    const attempt = logins.get(role)?.query(statement);
    await expect(attempt).rejects.toMatchObject({ code: '42501' });
  });

  test('that makes reports reads the books, and has no right to write anywhere', async () => {
    await logins.get('reports')?.query('select sum(amount) from ledger_transfers');
    const { rows } = await withSession(database.url, (owner) =>
      owner.query(`
        select distinct privilege_type as may from information_schema.role_column_grants
        where grantee like '%\\_reports'
        union select privilege_type from information_schema.role_table_grants
        where grantee like '%\\_reports'`),
    );
    expect(rows).toEqual([{ may: 'SELECT' }]);
  });

  test('that is the operator can add a partner, whose wallets a trigger opens', async () => {
    const operator = logins.get('operator');
    await operator?.query(`insert into partners (company_name) values ('Partner')`);
    const wallets = await operator?.query('select from ledger_accounts where balance = 0');
    // Those of the company from before, too.
    expect(wallets?.rowCount).toBe(10);
  });
});
