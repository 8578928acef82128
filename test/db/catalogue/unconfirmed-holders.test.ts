import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { up } from '../../../migrations/2026-11-30-1-unconfirmed-holders.ts';
import { addMerchant } from '../../../src/db/catalogue/companies.ts';
import {
  countUnpaidAccounts,
  listAccountChecks,
} from '../../../src/db/catalogue/payout-account-checks.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';

let open: OpenDatabase;
beforeAll(async () => {
  open = await openDatabase();
});
afterAll(() => open?.close());

/** A merchant, whose account a provider was asked for before the migration. */
async function asked(registered: string | null, state: string, told: string | null) {
  const merchant = await addMerchant(open.database, {
    ...{ merchant_name: 'Abyssinia Coffee', merchant_type: 'RETAIL', identifier_type: 1 },
    ...{ identifier: `MER-${Math.random()}`, email: 'm@test.example', phone: '+251911000000' },
    ...{ address: 'Addis Ababa', payout: { key: 'msisdn', value: '+251911000000' } },
  });
  await sql`with account as (
      update merchant_payout_accounts set holder_name = ${registered}
      where merchant_id = ${merchant} returning id)
    insert into payout_account_checks (payout_account_id, provider, state, holder_name)
    select id, 'gsma', ${state}, ${told} from account`.execute(open.database);
  return merchant;
}

it('old answers without a name count as unconfirmed where a holder is registered', async () => {
  const { database } = open;
  await sql`alter table payout_account_checks drop column lacks_confirmation`.execute(database);
  await asked(null, 'open', null);
  await asked(null, 'not-offered', null);
  await asked('Abebe Kebede', 'open', 'ABEBE KEBEDE');
  const closed = await asked('Abebe Kebede', 'closed', null);
  const unnamed = await asked('Abebe Kebede', 'open', null);
  const unoffered = await asked('Abebe Kebede', 'not-offered', null);
  await up(database as unknown as Kysely<unknown>);
  const unpaid = await listAccountChecks(database, { unpaidBeside: 'gsma' });
  expect(unpaid.map(({ merchantId, state }) => [merchantId, state])).toEqual([
    [closed, 'closed'],
    [unnamed, 'not-offered'],
    [unoffered, 'not-offered'],
  ]);
  expect(await countUnpaidAccounts(database, 'gsma')).toHaveLength(2);
});
