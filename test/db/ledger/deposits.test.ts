import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPartner } from '../../../src/db/catalogue/companies.ts';
import { type ListedDeposit, listDeposits } from '../../../src/db/ledger/deposits.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { rowsReadOf } from '../rows-read.ts';

/** A partner that has deposited once a day for years. */
const DEPOSITS = 3_000;
const LIMIT = 20;

let open: OpenDatabase;
let partnerId: number;

beforeAll(async () => {
  open = await openDatabase(1);
  partnerId = await addPartner(open.database, 'Partner');
  await sql`
    insert into ledger_transfers (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
    select now() - make_interval(days => ${DEPOSITS}::int - day), 'deposit:' || case day
        when ${DEPOSITS}::int then 'slip 10' when 10 then 'Slip-10' else 'CBE/' || day end,
      'deposit', funding.id, gift.id, 1 + day
    from generate_series(1, ${DEPOSITS}::int) as day
    join ledger_accounts as funding on funding.kind = 'funding'
    join ledger_accounts as gift on gift.kind = 'gift' and gift.partner_id = ${partnerId}
    order by day`.execute(open.database);
  await sql`vacuum analyze ledger_transfers`.execute(open.database);
});
afterAll(() => open?.close());

test('a page of deposits does not read the whole history to find those that are alike', async () => {
  let listed: readonly ListedDeposit[] = [];
  const read = await rowsReadOf(open.database)('ledger_transfers', async () => {
    listed = await listDeposits(open.database, partnerId, { limit: LIMIT, offset: 0 });
  });
  expect(listed).toHaveLength(LIMIT);
  expect(listed.map(({ alike }) => alike)).toEqual([['Slip-10'], ...Array(LIMIT - 1).fill([])]);
  expect(read).toBeLessThan(50 * LIMIT);
});
