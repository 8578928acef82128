import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { done } from '../../end-to-end/gift/gift-scene.ts';
import { until } from '../../support/until.ts';
import {
  type BusinessScene,
  cellsOf,
  setBusinessScene,
  textOf,
} from './journeys/business-scene.ts';
import type { PortalClient } from './portal-client.ts';

/** The one field of each list of the portal, which finds by a number, a serial number or a reference. */
let scene: BusinessScene;

beforeAll(async () => {
  scene = await setBusinessScene();
});
afterAll(() => scene?.stop());

/** The page that the form of a list leads to. */
async function search(client: PortalClient, list: string, what: string, more = {}) {
  const path = `/portal${list}`;
  const sent = await client.submit(path, `${path}/find`, { search: what, ...more });
  const answer = sent.location === null ? sent : await client.get(sent.location);
  expect(answer.status, `${list} ${what}`).toBe(200);
  return { ...answer, address: sent.location };
}

const found = async (client: PortalClient, list: string, what: string): Promise<string[]> =>
  cellsOf((await search(client, list, what)).html).map((row) => row.join(' '));

const ownerOf = (gift: { readonly owner?: string | null }): string => gift.owner ?? '';

test('vouchers are found by serial number, owner and references of their payments', async () => {
  const { asPerson, gifts, serialOf, stack } = scene;
  const serial = await serialOf(gifts.whole);
  const paid = await stack.database
    .selectFrom('redemptions')
    .innerJoin('placements', 'placements.operation_id', 'redemptions.operation_id')
    .select(['platform_reference', 'provider_reference', 'payment_reference'])
    .where('redemptions.voucher_id', '=', gifts.whole.id)
    .executeTakeFirstOrThrow();
  const names = [serial, ` ${serial} `, serial.replace(/(.{6})/g, '$1 '), ownerOf(gifts.whole)];
  const references = [paid.platform_reference, paid.platform_reference.toLowerCase()];
  const others = [paid.provider_reference ?? '', paid.payment_reference];
  for (const what of [...names, ...references, ...others])
    expect(await found(asPerson, '/vouchers', what), what).toEqual([
      expect.stringContaining(serial),
    ]);
});

test('top-ups are found by number, transaction and references', async () => {
  const { asPerson, topups } = scene;
  const { transactionId, referenceNumber } = topups.delivered;
  const names = ['0911000050', '+251 911 00 00 50', String(transactionId)];
  for (const what of [...names, referenceNumber])
    expect(await found(asPerson, '/top-ups', what), what).toEqual([
      expect.stringMatching(new RegExp(`^${transactionId} `)),
    ]);
  // By the number of a later attempt, too.
  const to = '+251911000057';
  const retry = { transactionId: topups.failed.transactionId, msisdn: to };
  await scene.asPartner.post('/topup-transactions/retry-topup', retry, {
    'Idempotency-Key': randomUUID(),
  });
  for (const what of [to, '0911000002'])
    expect(await found(asPerson, '/top-ups', what), what).toHaveLength(1);
});

test('redemptions are found by serial number, owner and references', async () => {
  const { asMerchantPerson, gifts, serialOf, stack } = scene;
  const serial = await serialOf(gifts.part);
  const paid = await stack.database
    .selectFrom('redemptions')
    .select(['platform_reference', 'payment_reference'])
    .where('voucher_id', '=', gifts.part.id)
    .executeTakeFirstOrThrow();
  const references = [paid.platform_reference, paid.payment_reference];
  for (const what of [serial, ownerOf(gifts.part), ...references])
    expect(await found(asMerchantPerson, '/redemptions', what), what).toEqual([
      expect.stringContaining(serial),
    ]);
  // Those with another merchant are not there.
  expect(await found(asMerchantPerson, '/redemptions', await serialOf(gifts.refused))).toEqual([]);
  expect(await found(asMerchantPerson, '/redemptions', ownerOf(gifts.refused))).toEqual([]);
});

test('bulk orders are found by the reference, the owner and the serial number of a line', async () => {
  const { asPartner, asPerson, partner, merchant, stack } = scene;
  const reference = `line ${randomUUID()}`.replace(' ', '-');
  const line = { denominationId: partner.denominations[100], merchantId: merchant.id };
  const { id } = done(
    await asPartner.post('/vouchers/bulk', {
      lines: [{ ...line, reference, msisdn: '+251911000061' }],
    }),
  ).body.data.bulkOrder;
  const { serial_number: serial } = await until(() =>
    stack.database
      .selectFrom('bulk_lines')
      .innerJoin('vouchers', 'vouchers.id', 'bulk_lines.voucher_id')
      .select('serial_number')
      .where('bulk_order_id', '=', id)
      .executeTakeFirstOrThrow(),
  );
  for (const what of [reference, '0911000061', serial, String(id)])
    expect(await found(asPerson, '/bulk-orders', what), what).toEqual([
      expect.stringMatching(new RegExp(`^${id} `)),
    ]);
  expect(await found(asPerson, '/vouchers', reference)).toHaveLength(1);
});

test('a voucher code, or what is nothing of ours, is refused in place and gets into no address', async () => {
  const { asPerson, gifts } = scene;
  for (const list of ['/vouchers', '/top-ups', '/bulk-orders'])
    for (const what of [gifts.whole.voucherCode, 'x'.repeat(201)]) {
      const path = `/portal${list}`;
      const { status, location, html } = await asPerson.submit(path, `${path}/find`, {
        search: what,
      });
      expect([status, location]).toEqual([422, null]);
      expect(html).toContain('Enter a phone number, a serial number or a reference.');
      expect(html).not.toContain('search=');
    }
});

test('a statement is searched by deposits, vouchers and top-ups', async () => {
  const { asPerson, gifts, serialOf, stack, topups } = scene;
  const { operation_id: operation } = await stack.database
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'credit_account_id')
    .select('operation_id')
    .where('operation_id', 'like', 'deposit:%')
    .where('kind', '=', 'airtime')
    .where('partner_id', '=', scene.partner.id)
    .executeTakeFirstOrThrow();
  const reference = operation.replace('deposit:', '');
  const wordsOf = async (wallet: string, what: string) => {
    const path = `/portal/balances/${wallet}`;
    const { status, html } = await asPerson.submit(path, `${path}/find`, { search: what });
    expect(status, what).toBe(200);
    return cellsOf(html).map(([, words]) => words);
  };
  const serial = await serialOf(gifts.cancelled);
  for (const what of [serial, ownerOf(gifts.cancelled)])
    expect(await wordsOf('gift', what)).toEqual([
      expect.stringContaining(serial),
      expect.stringContaining(serial),
    ]);
  const { transactionId, referenceNumber } = topups.delivered;
  for (const what of ['0911000050', String(transactionId), referenceNumber])
    expect(await wordsOf('airtime', what)).toEqual([
      expect.stringContaining(`Top-up ${transactionId}`),
    ]);
  for (const what of [reference, reference.toUpperCase()])
    expect(await wordsOf('airtime', what)).toEqual([`Deposit ${reference}`]);
  expect(await wordsOf('gift', reference)).toEqual([]);
  expect(await wordsOf('gift', await serialOf(gifts.foreign))).toEqual([]);
  const again = await asPerson.get('/portal/balances/gift/find');
  expect(again.location).toBe('/portal/balances/gift');
});

describe('a search', () => {
  test('of a number has no address, and any other one has', async () => {
    const { asPerson, gifts, serialOf } = scene;
    const byNumber = await search(asPerson, '/vouchers', ownerOf(gifts.whole));
    expect(byNumber.address).toBeNull();
    expect(byNumber.html).not.toMatch(/(href|action)="[^"]*search=/);
    const serial = await serialOf(gifts.whole);
    const bySerial = await search(asPerson, '/vouchers', serial, { state: 'REDEEMED' });
    expect(bySerial.address).toBe(`/portal/vouchers?search=${serial}&state=REDEEMED`);
    expect(bySerial.html).toContain('/vouchers/download?search=');
    const again = await asPerson.get('/portal/vouchers/find');
    expect([again.status, again.location]).toEqual([303, '/portal/vouchers']);
  });

  test('finds nothing of another company', async () => {
    const { asPerson, gifts, topups, serialOf } = scene;
    const foreign = [ownerOf(gifts.foreign), await serialOf(gifts.foreign)];
    for (const what of foreign) expect(await found(asPerson, '/vouchers', what)).toEqual([]);
    for (const what of ['0911000052', String(topups.foreign.transactionId)])
      expect(await found(asPerson, '/top-ups', what)).toEqual([]);
  });

  test('that finds too much for a page says so', async () => {
    const { asPerson, gift } = scene;
    const msisdn = '+251911000063';
    await Promise.all(Array.from({ length: 26 }, () => gift({ owner: msisdn })));
    const { html } = await search(asPerson, '/vouchers', msisdn);
    expect(cellsOf(html)).toHaveLength(25);
    expect(textOf(html)).toContain('Only the newest 25 are shown.');
    expect(html).not.toContain('Next');
  });
});

test('a voucher whose payment was refused is not plainly active', async () => {
  const { asPerson, gifts, serialOf } = scene;
  const rows = await found(asPerson, '/vouchers', await serialOf(gifts.refused));
  expect(rows).toEqual([expect.stringContaining('Active, payment refused')]);
  const { html } = await asPerson.get(`/portal/vouchers/${gifts.refused.id}`);
  expect(html.split('</h1>')[0]).toContain('Active, payment refused');
  const [part] = await found(asPerson, '/vouchers', await serialOf(gifts.part));
  expect(part).not.toContain('refused');
});
