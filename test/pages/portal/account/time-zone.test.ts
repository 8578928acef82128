import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addGiftSeller } from '../../../db/gift-rows.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { addVoucher } from '../../../support/vouchers.ts';
import { cellsOf, textOf } from '../journeys/business-scene.ts';
import { hiddenFields, makeAccount, type PortalClient, signedIn } from '../portal-client.ts';

/** Every time and every day of a person's pages is in the person's time zone. */
let stack: Stack;
let person: PortalClient;
const SOLD_AT = '2026-05-01T22:30:00Z';
beforeAll(async () => {
  stack = await startStack({ MARKET_TIME_ZONE: 'Africa/Nairobi' });
  const seller = await addGiftSeller(stack.database);
  const { partnerId: id } = seller;
  person = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
  // A sale shortly before midnight of UTC, which was given back later.
  const voucher = await addVoucher(stack.database, seller, { amount: '100' });
  await sql`update vouchers set created_at = ${SOLD_AT} where id = ${voucher.id}`.execute(
    stack.database,
  );
  await transfer(id, ['gift', 'reserved'], SOLD_AT);
  await transfer(id, ['reserved', 'gift'], '2026-07-01T12:00:00Z');
});

async function transfer(
  partnerId: number,
  [debit, credit]: readonly ['gift' | 'reserved', 'gift' | 'reserved'],
  at: string,
): Promise<void> {
  await sql`
    insert into ledger_transfers (created_at, operation_id, step, debit_account_id,
      credit_account_id, amount)
    select ${at}::timestamptz, 'at night', 'from ' || debit.kind, debit.id, credit.id, 100
    from ledger_accounts as debit, ledger_accounts as credit
    where debit.partner_id = ${partnerId} and credit.partner_id = ${partnerId}
      and debit.kind = ${debit} and credit.kind = ${credit}`.execute(stack.database);
}
afterAll(() => stack?.stop());

const page = async (path: string) => (await person.get(`/portal${path}`)).html;

const MAY = '?from=2026-05-01&to=2026-05-02';

const soldOn = async (day: string): Promise<string | undefined> =>
  cellsOf(await page(`/sales${MAY}`)).find(([first]) => first === day)?.[2];

const change = async (zone: string) => {
  const html = await page('/account');
  return person.post('/portal/account/time-zone', {
    ...hiddenFields(html, '/portal/account/time-zone'),
    'time-zone': zone,
  });
};

test('a sale of the night is of the day of the market, until the person chooses another zone', async () => {
  expect(textOf(await page('/balances'))).toContain('Times are in Africa/Nairobi (UTC+03:00)');
  expect(await soldOn('2026-05-02')).toBe('100.00');
  const [newest] = cellsOf(await page(`/balances/gift${MAY}`));
  expect(newest?.[0]).toBe('2026-05-02 01:30:00');
  expect(await page(`/balances/gift/download${MAY}`)).toContain('2026-05-02T01:30:00+03:00');

  expect((await change('America/New_York')).status).toBe(303);
  expect(await soldOn('2026-05-01')).toBe('100.00');
  expect(await page(`/balances/gift/download${MAY}`)).toContain('2026-05-01T18:30:00-04:00');
  expect(cellsOf(await page('/balances/gift?from=2026-05-02&to=2026-05-02'))).toEqual([]);
});

test('each zone that the form offers can be chosen: UTC, and the present one under its other name', async () => {
  await stack.database.updateTable('portal_accounts').set({ time_zone: 'Asia/Kolkata' }).execute();
  for (const zone of ['Asia/Kolkata', 'UTC']) {
    expect(await page('/account')).toContain(`<option value="${zone}"`);
    expect([zone, (await change(zone)).status]).toEqual([zone, 303]);
  }
});

test('a zone that there is not is refused', async () => {
  expect((await change('Mars/Olympus')).status).toBe(400);
  expect((await change('')).status).toBe(400);
});
