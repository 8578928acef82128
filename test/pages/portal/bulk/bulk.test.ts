import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partnerClient } from '../../../support/clients.ts';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { textOf } from '../journeys/business-scene.ts';
import {
  type Account,
  hiddenFields,
  makeAccount,
  type PortalClient,
  signedIn,
} from '../portal-client.ts';

/** Bulk orders from a file or pasted rows. */
let stack: Stack;
let partner: TestPartner;
let merchant: TestMerchant;
let account: Account;
let person: PortalClient;
beforeAll(async () => {
  stack = await startStack();
  partner = await makePartner(stack, { giftWallet: '1000' });
  merchant = await makeMerchant(stack);
  account = await makeAccount(stack, { kind: 'partner', id: partner.id });
  person = await signedIn(stack, account);
});
afterAll(() => stack?.stop());

const UPLOAD = '/portal/order-in-bulk';
const ORDERS = '/portal/bulk-orders';
const NOTHING_NEW =
  'Every reference has a voucher already. The order costs nothing, and only repeats their result.';

const unescaped = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Sends a multipart form, as the pages of bulk orders do. */
function send(path: string, fields: Record<string, string>, file?: string) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, unescaped(value));
  if (file !== undefined) form.append('file', new Blob([file]), 'lines.csv');
  return person.request(path, { method: 'POST', body: form });
}

async function check(rows: string, asFile = false) {
  const token = hiddenFields((await person.get(UPLOAD)).html, UPLOAD);
  return asFile ? send(UPLOAD, token, rows) : send(UPLOAD, { ...token, rows });
}

const orders = () =>
  stack.database
    .selectFrom('bulk_orders')
    .select(['id', 'lines', 'generated', 'refused', 'ended_at', 'portal_account_id'])
    .where('partner_id', '=', partner.id)
    .execute();

test('every problem is shown by its line, and nothing is accepted', async () => {
  const { status, html } = await check(
    [
      'Reference,Amount,Merchant,Phone,Restricted',
      `a,500,${merchant.identifier},0911000050,yes`,
      `a,123,${merchant.identifier},0911000050,yes`,
      'b b,100,NOBODY,12,perhaps',
      `c,100,,0911000050,`,
      `d,"100",${merchant.identifier},,no,more`,
    ].join('\n'),
  );
  expect(status).toBe(422);
  expect(textOf(html)).toContain('Line 6: It has 6 cells for 5 columns.');
  const again = await check(
    [
      'Reference;Amount;Merchant;Phone;Restricted',
      `a;500;${merchant.identifier};0911000050;yes`,
      `a;123;${merchant.identifier};0911000050;yes`,
      'b b;100;NOBODY;12;perhaps',
      'c;100;;0911000050;',
    ].join('\r\n'),
    true,
  );
  expect(again.status).toBe(422);
  const shown = textOf(again.html);
  for (const problem of [
    'Line 3: amount is none of your denominations',
    'Line 4: reference must have 1 to 100 printable characters without spaces',
    'Line 4: phone must be a mobile number',
    'Line 4: restricted must be yes or no',
    'Line 4: merchant NOBODY is not one of the active merchants',
    'Line 5: merchant must be sent',
  ])
    expect(shown).toContain(problem);
  for (const [rows, problem] of [
    ['', 'Choose a file'],
    [
      'reference,amount,colour\na,1,red',
      'column 3 is none of these: reference, amount, denominationId',
    ],
    ['reference,amount', 'no line below'],
    ['reference,amount\n"a,100', 'a quotation mark is not closed'],
  ] as const)
    expect(textOf((await check(rows)).html)).toContain(problem);
  expect(await orders()).toEqual([]);
});

test('a merchant is the one that the order would name: by its id, where a row has both', async () => {
  const rows = (id: number | string, name = merchant.identifier) =>
    `reference,amount,merchantId,merchant\nid/1,100,${id},${name}`;
  for (const unknown of ['999999999', '9999999999999999'])
    expect(textOf((await check(rows(unknown))).html)).toContain(
      `Line 2: merchantId ${unknown} is not one of the active merchants`,
    );
  expect(textOf((await check(rows('', 'NOBODY'))).html)).toContain(
    'Line 2: merchant NOBODY is not one of the active merchants',
  );
  expect((await check(rows(`00${merchant.id}`, 'NOBODY'))).status).toBe(200);
});

test('a voucher that the partner may not sell any more is offered nowhere, and no line orders it', async () => {
  const rows = `reference,amount,merchant\nended/1,500,${merchant.identifier}`;
  expect((await check(rows)).status).toBe(200);
  const granted = await stack.database
    .deleteFrom('partner_products')
    .where('partner_id', '=', partner.id)
    .returningAll()
    .execute();
  const { status, html } = await check(rows);
  expect([status, textOf(html)]).toEqual([
    422,
    expect.stringContaining('Line 2: amount is none of your denominations'),
  ]);
  expect((await person.get('/portal/sell/voucher')).html).not.toContain('ETB 500.00');
  expect(textOf((await person.get('/portal/prices')).html)).toContain('ETB 500.00 Not sold now');
  await stack.database.insertInto('partner_products').values(granted).execute();
});

test('a reference that a spreadsheet has shortened is none: the next such order would get the same voucher', async () => {
  const { status, html } = await check(
    `reference,amount,merchant\n1.00023E+11,500,${merchant.identifier}`,
    true,
  );
  expect([status, textOf(html)]).toEqual([
    422,
    expect.stringContaining('Line 2: reference was shortened by a spreadsheet'),
  ]);
});

test('a comma before cents is no amount: the voucher would be worth a hundred times as much', async () => {
  const rows = (amount: string) =>
    `reference;amount;merchant\ncomma/1;${amount};${merchant.identifier}`;
  const { status, html } = await check(rows('5,00'), true);
  expect([status, textOf(html)]).toEqual([
    422,
    expect.stringContaining('Line 2: amount is none of your denominations'),
  ]);
  expect((await check(rows('500.00'), true)).status).toBe(200);
});

test('lines are shown with their sum, ordered once, and answered with codes', async () => {
  const rows = [
    'reference\tamount\tmerchant\tphone',
    `may/1\t500\t${merchant.identifier}\t0911000050`,
    `may/2\t500.00\t${merchant.identifier}\t`,
    `may/3\t100\t${merchant.identifier}\t911000051`,
  ].join('\n');
  const preview = await check(rows);
  const text = textOf(preview.html);
  expect(text).toContain('Order 3 vouchers for ETB 1,100.00?');
  expect(text).toContain('The gift wallet is too small.');
  expect(preview.html).not.toContain('911000050</');
  expect(await orders()).toEqual([]);

  const fields = hiddenFields(preview.html, ORDERS);
  const sent = await Promise.all([send(ORDERS, fields), send(ORDERS, fields)]);
  const [order] = await orders();
  const path = `${ORDERS}/${order?.id}`;
  expect(sent.map(({ status, location }) => [status, location])).toEqual([
    [303, path],
    [303, path],
  ]);
  const ended = await until(async () => {
    const [found, ...others] = await orders();
    expect(others).toEqual([]);
    expect(found?.ended_at).not.toBeNull();
    return found;
  });
  expect(ended).toMatchObject({ lines: 3, generated: 2, refused: 1 });
  expect(ended?.portal_account_id).not.toBeNull();

  const page = await person.get(path);
  expect(textOf(page.html)).toContain('3may/3Not enough money');
  const file = await send(`${path}/result`, hiddenFields(page.html, `${path}/result`));
  expect(file.status).toBe(415);
  const result = await person.post(`${path}/result`, hiddenFields(page.html, `${path}/result`));
  const lines: string[][] = parse(result.html, { bom: true });
  expect(lines.map(([, reference, state]) => [reference, state]).slice(1)).toEqual([
    ['may/1', 'Generated'],
    ['may/2', 'Generated'],
    ['may/3', 'Refused'],
  ]);
  expect(lines[1]?.[3]).toMatch(/^(\w{4}-){3}\w{4}$/);
  expect((await person.get(`${ORDERS}/download`)).html).toContain('"Done","3","2","1","0"');
  // The next page says so, before anybody gives a code to a second customer.
  const next = textOf((await check(`${rows}\nmay/4\t100\t${merchant.identifier}\t`)).html);
  expect(next).toContain('Order 2 vouchers for ETB 200.00?');
  expect(next).toContain('2 references have vouchers already.');
  const repeated = textOf((await check(rows.split('\n').slice(0, 3).join('\n'))).html);
  for (const words of ['Repeat the order?', NOTHING_NEW]) expect(repeated).toContain(words);
  expect(repeated).not.toContain('ETB 0');
  const audit = await stack.database
    .selectFrom('audit_log')
    .select('action')
    .where('subject_id', '=', partner.id)
    .where('action', 'in', ['order vouchers', 'download voucher-codes'])
    .execute();
  expect(audit.map(({ action }) => action)).toEqual([
    'order vouchers',
    'order vouchers',
    'download voucher-codes',
  ]);
});

test('an order of which nothing was generated has a file with every refusal, and no codes', async () => {
  const [amount, lines] = ['750', 51];
  const all = Array.from(
    { length: lines },
    (_, line) => `none/${line},${amount},${merchant.identifier}`,
  );
  const preview = await check(['reference,amount,merchant', ...all].join('\n'));
  const sent = await send(ORDERS, hiddenFields(preview.html, ORDERS));
  const location = String(sent.location);
  await until(async () => expect((await person.get(location)).html).toContain('>Done</'));
  const page = await person.get(location);
  expect(textOf(page.html)).toContain('And 1 more, in the result.');
  const path = `${location}/result`;
  const { html } = await person.post(path, hiddenFields(page.html, path));
  const [titles, ...cells]: string[][] = parse(html, { bom: true });
  expect(titles).not.toContain('Voucher code');
  expect(cells.map(([, , state]) => state)).toEqual(Array(lines).fill('Refused'));
  const downloads = await stack.database
    .selectFrom('audit_log')
    .select('id')
    .where('action', '=', 'download voucher-codes')
    .where(sql<boolean>`details ->> 'bulkOrderId' = ${location.split('/').at(-1) ?? ''}`)
    .execute();
  expect(downloads).toEqual([]);

  // As where the person loses the role in the middle.
  const refusal = JSON.stringify({ ok: false, reason: 'token-invalid' });
  await sql`update bulk_lines set refusal = ${refusal}::jsonb where reference = 'none/0'`.execute(
    stack.database,
  );
  const shown = await person.get(location);
  const file = await person.post(path, hiddenFields(shown.html, path));
  for (const text of [textOf(shown.html), file.html]) {
    expect(text).toContain('The person or the API key that ordered it may not order vouchers');
    expect(text).not.toContain('log in again');
  }
});

test('a form that is sent again is ordered, although its merchant was deactivated meanwhile', async () => {
  const ended = await makeMerchant(stack);
  const preview = await check(`reference,amount,merchant\nended/1,100,${ended.identifier}`);
  const fields = hiddenFields(preview.html, ORDERS);
  expect((await send(ORDERS, fields)).status).toBe(303);
  const accepted = await orders();
  await stack.database
    .updateTable('merchants')
    .set({ status: 'DEACTIVATED' })
    .where('id', '=', ended.id)
    .execute();
  const again = await send(ORDERS, fields);
  expect([again.status, again.location]).toEqual([303, ORDERS]);
  expect((await orders()).map(({ id }) => id)).toEqual(accepted.map(({ id }) => id));
  const other = { ...fields, once: 'A'.repeat(43) };
  expect(textOf((await send(ORDERS, other)).html)).toContain('Nothing was ordered');
});

test('an order after the time of a proof asks for one, and keeps its lines', async () => {
  const preview = await check(`reference,amount,merchant\nproof/1,100,${merchant.identifier}`);
  await stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute();
  const before = (await orders()).length;
  const repeated = await check(`reference,amount,merchant\nmay/1,500,${merchant.identifier}`);
  const again = await send(ORDERS, hiddenFields(repeated.html, ORDERS));
  expect([again.status, textOf(again.html)]).toEqual([403, expect.stringContaining(NOTHING_NEW)]);
  const asked = await send(ORDERS, hiddenFields(preview.html, ORDERS));
  expect([asked.status, textOf(asked.html)]).toEqual([
    403,
    expect.stringContaining('You are about to order one voucher for ETB 100.00.'),
  ]);
  expect((await orders()).length).toBe(before);
  const fields = hiddenFields(asked.html, ORDERS);
  expect((await send(ORDERS, { ...fields, password: 'wrong' })).status).toBe(422);
  expect((await send(ORDERS, { ...fields, password: account.password })).status).toBe(303);
  expect((await orders()).length).toBe(before + 1);
});

test('an order of the API that has ended has a file without codes, and is not cancelled', async () => {
  const own = await makePartner(stack, { giftWallet: '100' });
  const { email, password } = await makeAccount(stack, { kind: 'partner', id: own.id });
  const owner = await signedIn(stack, { email, password });
  const api = await partnerClient(stack, own);
  const { body } = await api.post('/vouchers/bulk', {
    lines: [
      {
        reference: 'api/1',
        denominationId: own.denominations[100],
        merchantId: merchant.id,
        msisdn: '+251911000050',
      },
    ],
  });
  const { id } = body.data.bulkOrder;
  const path = `${ORDERS}/${id}`;
  await until(async () => expect((await owner.get(path)).html).toContain('>Done</'));
  const sent = hiddenFields((await owner.get(path)).html, `${path}/result`);
  await stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute();
  const asked = await owner.post(`${path}/result`, sent);
  expect(textOf(asked.html)).toContain(`You are about to download the result of bulk order ${id}.`);
  const { html } = await owner.post(`${path}/result`, {
    ...hiddenFields(asked.html, `${path}/result`),
    password,
  });
  const [titles, cells]: string[][] = parse(html, { bom: true });
  expect([titles, cells?.slice(0, 3)]).toEqual([
    expect.not.arrayContaining(['Voucher code']),
    ['1', 'api/1', 'Generated'],
  ]);

  const asking = await owner.get(`${path}/cancel`);
  const posted = await owner.post(`${path}/cancel`, sent);
  for (const { status, location } of [asking, posted])
    expect([status, location]).toEqual([303, path]);
  expect(textOf((await owner.get(path)).html)).toContain('The order has ended');
  const entries = await stack.database
    .selectFrom('audit_log')
    .select('action')
    .where(sql<boolean>`details ->> 'bulkOrderId' = ${String(id)}`)
    .execute();
  expect(entries).toEqual([]);
});

test('an order of another partner is not there, and other roles order nothing', async () => {
  const other = await makePartner(stack);
  const stranger = await signedIn(
    stack,
    await makeAccount(stack, { kind: 'partner', id: other.id }),
  );
  const [order] = await orders();
  for (const path of [`${ORDERS}/${order?.id}`, `${ORDERS}/${order?.id}/cancel`])
    expect((await stranger.get(path)).status).toBe(404);
  const token = hiddenFields((await stranger.get('/portal/account')).html, '/portal/sign-out');
  for (const end of ['cancel', 'result'])
    expect((await stranger.post(`${ORDERS}/${order?.id}/${end}`, token)).status).toBe(404);
});
