import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCanary } from '../../end-to-end/processes/canary.ts';
import { sale } from '../../end-to-end/topups/topup-scene.ts';
import { doneLate } from '../../positions/placements.ts';
import { merchantClient, partnerClient } from '../../support/clients.ts';
import { deposit, makeMerchant, makePartner, type TestMerchant } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import {
  type BusinessScene,
  cellsOf,
  setBusinessScene,
  textOf,
} from './journeys/business-scene.ts';
import type { PortalClient } from './portal-client.ts';

let scene: BusinessScene;

beforeAll(async () => {
  scene = await setBusinessScene();
});
afterAll(() => scene?.stop());

const get = async (client: PortalClient, path: string, status = 200): Promise<string> => {
  const answer = await client.get(`/portal${path}`);
  expect(answer.status, path).toBe(status);
  return answer.html;
};

const rowsOfFile = (text: string): string[][] => parse(text, { bom: true });

const partnerPages = () => [
  ...['', '/balances', '/balances/gift', '/balances/airtime', '/balances/reserved', '/sales'],
  ...['/vouchers', '/top-ups', '/balances/gift/download', '/balances/reserved/download'],
  ...Object.entries(scene.gifts).flatMap(([name, { id }]) =>
    name === 'foreign' ? [] : [`/vouchers/${id}`],
  ),
  ...[scene.topups.delivered, scene.topups.failed, scene.topups.packaged].map(
    ({ transactionId }) => `/top-ups/${transactionId}`,
  ),
];
const merchantPages = ['', '/redemptions', '/payouts', '/redemptions/download'];

describe('who sees what', () => {
  test('vouchers and top-ups of another partner are not there', async () => {
    const { asPerson, gifts, topups, serialOf } = scene;
    await get(asPerson, `/vouchers/${gifts.foreign.id}`, 404);
    await get(asPerson, `/top-ups/${topups.foreign.transactionId}`, 404);
    for (const none of ['0', '999999999', 'x', '1e3', '-1', '99999999999999999999'])
      for (const path of ['/vouchers', '/top-ups']) await get(asPerson, `${path}/${none}`, 404);
    const serial = await serialOf(gifts.foreign);
    expect(await get(asPerson, `/vouchers?search=${serial}`)).toContain('No matches');
    const pages = await Promise.all(partnerPages().map((path) => get(asPerson, path)));
    expect(pages.join()).not.toContain(serial);
    const person = await scene.people('partner', scene.other.id);
    expect(cellsOf(await get(person, '/vouchers')).map(([first]) => first)).toEqual([serial]);
    expect(cellsOf(await get(person, '/top-ups'))).toHaveLength(1);
  });

  test('pages of partners are not there for merchants, and the other way about', async () => {
    for (const path of partnerPages().slice(1)) await get(scene.asMerchantPerson, path, 404);
    for (const path of merchantPages.slice(1)) await get(scene.asPerson, path, 404);
  });

  test('a merchant sees what it is paid for, and nothing else', async () => {
    const { asMerchantPerson, people, refusing, serialOf, gifts } = scene;
    const serials = (html: string) => cellsOf(html).map((row) => row[1]);
    expect(serials(await get(asMerchantPerson, '/redemptions'))).toEqual([
      await serialOf(gifts.part),
      await serialOf(gifts.whole),
    ]);
    const refused = await get(await people('merchant', refusing.id), '/redemptions');
    expect(cellsOf(refused).map((row) => [row[1], row[2]])).toEqual([
      [await serialOf(gifts.refused), 'Not paid'],
    ]);
  });

  test('nobody who is not signed in sees any of it', async () => {
    for (const path of [...partnerPages(), ...merchantPages]) {
      const answer = await fetch(`${scene.stack.url}/portal${path}`, { redirect: 'manual' });
      expect(answer.status, path).toBe(303);
      expect(await answer.text()).not.toContain('ETB');
    }
  });

  test('codes and phone numbers are on no page, and names are only text', async () => {
    const canary = createCanary();
    for (const { voucherCode, owner } of Object.values(scene.gifts)) {
      canary.add('voucher code', voucherCode);
      canary.add('owner’s number', owner ?? '');
    }
    for (const number of ['+251911000050', '+251911000002', '+251911000051'])
      canary.add('topped-up number', number);
    canary.add('verification code', scene.wholeCode);
    const seen = [
      ...partnerPages().map((path) => ({ path, client: scene.asPerson })),
      ...merchantPages.map((path) => ({ path, client: scene.asMerchantPerson })),
    ].map(async ({ path, client }) => ({ path, text: await get(client, path) }));
    const answers = await Promise.all(seen);
    expect(canary.foundIn(answers.map(({ text }) => text).join('\n'))).toEqual([]);
    // In files the text stands as it is.
    const isPage = ({ path }: { path: string }) => !path.endsWith('/download');
    const pages = answers
      .filter(isPage)
      .map(({ text }) => text)
      .join('\n');
    expect(pages).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(pages).not.toMatch(/<script>|<img src=x|<[^>]+\sstyle=|<[^>]+\son\w+=(?!x)/);
  });
});

describe('figures', () => {
  test('of each statement begin, add up and end with what the API says', async () => {
    const api = (await scene.asPartner.get('/info/get-current-balance')).body.data;
    const wallets = {
      airtime: api.walletBalance,
      gift: api.eMoneyWalletBalance,
      reserved: api.reservedBalance,
    };
    const balances = textOf(await get(scene.asPerson, '/balances'));
    for (const [wallet, balance] of Object.entries(wallets)) {
      const [, opening, ...rest] = rowsOfFile(
        await get(scene.asPerson, `/balances/${wallet}/download`),
      );
      const closing = rest.pop();
      expect(opening?.slice(1)).toEqual(['Opening balance', '', '', '0.00', '']);
      expect(Number(closing?.[4])).toBe(balance);
      const sum = rest.reduce(
        (cents, [, , out, into]) => cents + Math.round(Number(into) * 100 - Number(out) * 100),
        0,
      );
      expect(sum / 100).toBe(balance);
      const page = await get(scene.asPerson, `/balances/${wallet}`);
      expect(cellsOf(page).map((row) => row[1])).toEqual(
        rest.map((row) => encoded(row[1])).reverse(),
      );
      const shown = `ETB ${balance.toLocaleString('en', { minimumFractionDigits: 2 })}`;
      expect(textOf(page)).toContain(`Closing balance${shown}`);
      expect(balances).toContain(shown);
    }
  });

  test('of sales are the vouchers that were generated and the top-ups that were delivered', async () => {
    const html = await get(scene.asPerson, '/sales');
    const [total, today, ...earlier] = cellsOf(html);
    expect(total).toEqual(['All days', '4', '1,700.00', '2', '65.00']);
    expect(today?.slice(1)).toEqual(total?.slice(1));
    expect(earlier).toEqual([]);
    // Each of the 30 days is on the axis of both charts.
    expect(html.match(/<rect /g)).toHaveLength(60);
    expect(html).toContain('<title id="vouchers-title">ETB per day: vouchers</title>');
  });

  test('of payouts are what the ledger paid', async () => {
    const paid = await scene.paidByLedger(scene.merchant.id);
    expect(paid).toBe('787.50');
    const [total, today] = cellsOf(await get(scene.asMerchantPerson, '/payouts'));
    expect(total).toEqual(['All days', '2', paid, '20.00']);
    expect(today?.slice(1)).toEqual(total?.slice(1));
    const day = today?.[0] ?? '';
    expect(cellsOf(await get(scene.asMerchantPerson, `/redemptions?paid=${day}`))).toHaveLength(2);
    const file = rowsOfFile(await get(scene.asMerchantPerson, '/payouts/download'));
    expect(file).toHaveLength(31);
    expect(file.at(-1)).toEqual([day, '2', paid, '20.00']);
    expect(textOf(await get(scene.asMerchantPerson, ''))).toContain(
      `Paid to you ETB ${paid} 2 in the last 7 days, nothing in the 7 days before`,
    );
    const nothing = await get(scene.asMerchantPerson, '/payouts?from=2026-01-01&to=2026-01-31');
    expect(nothing).toContain('There were no payouts on these days.');
  });
});

describe('of what is sold and underway', () => {
  test('the margin is the price less the cost at the rate of each sale that named both', async () => {
    const { stack, merchant } = scene;
    const partner = await makePartner(stack);
    await deposit(stack, partner.id, '1000', 'airtime');
    await makeTopupProducts(stack, partner);
    const client = await partnerClient(stack, partner);
    const sold = async (path: string, body: object, status = 200) =>
      expect((await client.post(`/topup-transactions/${path}`, body)).status).toBe(status);
    const voucher = (denomination: 100 | 500, rate: object) =>
      sold('generate-voucher', {
        denominationId: partner.denominations[denomination],
        merchantId: merchant.id,
        msisdn: null,
        ...rate,
      });
    const topup = (amount: number, msisdn: string, paid: object, status?: number) =>
      sold('airtime-topup', { amount, msisdn, ...sale, ...paid }, status);
    // 4.75 USD at 120 are 570 ETB for 500; 1 USD at 50 are 50 ETB for 100; one names no rate.
    await voucher(500, { exchangeRate: 120 });
    await voucher(100, { exchangeRate: 50 });
    await voucher(500, {});
    // 1.25 USD at 57.2 are 71.50 ETB for 50; one names no price, and one was not delivered.
    await topup(50, '+251911000053', { foreignCurrencyAmount: 1.25 });
    await topup(30, '+251911000054', {});
    await topup(50, '+251911000002', { foreignCurrencyAmount: 9 }, 424);
    const person = await scene.people('partner', partner.id);
    const html = await get(person, '/sales');
    const [, margin = ''] = html.split('<h2>Margin</h2>');
    expect(cellsOf(margin.split('</table>')[0] ?? '')).toEqual([
      ['Vouchers', '2 of 3', '5.75', '6.17', '-0.42', '20.00'],
      ['Top-ups', '1 of 2', '1.25', '0.87', '0.38', '21.50'],
    ]);
    expect(await get(person, '/sales?from=2026-01-01&to=2026-01-31')).not.toContain('Margin');
    const cards = textOf(await get(person, ''));
    expect(cards).toContain('Vouchers sold ETB 1,100.00 3 in the last 7 days');
    expect(cards).toContain('Top-ups delivered ETB 80.00 2 in the last 7 days');
    expect(cards).toContain('Nothing: every outcome is known.');
  });

  test('the margin is shown, whatever prices and rates the sales named', async () => {
    const { stack } = scene;
    const partner = await makePartner(stack);
    await deposit(stack, partner.id, '1000', 'airtime');
    await makeTopupProducts(stack, partner);
    const client = await partnerClient(stack, partner);
    const most = 999_999_999_999;
    for (const exchangeRate of [most, most, 1e-12]) {
      const named = { exchangeRate, foreignCurrencyAmount: most };
      const body = { amount: 50, msisdn: '+251911000056', ...sale, ...named };
      expect((await client.post('/topup-transactions/airtime-topup', body)).status).toBe(200);
    }
    const html = await get(await scene.people('partner', partner.id), '/sales');
    const [, margin = ''] = html.split('<h2>Margin</h2>');
    const [row] = cellsOf(margin.split('</table>')[0] ?? '');
    expect(row).toEqual([
      ...['Top-ups', '3 of 3', '2,999,999,999,997.00', '50,000,000,000,000.00'],
      ...['-47,000,000,000,003.00', '1,999,999,999,995,999,999,999,853.00'],
    ]);
  });

  test('the overview leads to lists of exactly what it has counted', async () => {
    const { stack } = scene;
    const { database } = stack;
    const partner = await makePartner(stack);
    await deposit(stack, partner.id, '1000', 'airtime');
    const slow = await makeMerchant(stack, { payoutSuffix: '014' });
    const refusing = await makeMerchant(stack, { payoutSuffix: '002' });
    await makeTopupProducts(stack, partner);
    const client = await partnerClient(stack, partner);
    const topup = (amount: number, msisdn: string) =>
      client.post('/topup-transactions/airtime-topup', { amount, msisdn, ...sale });
    const redeem = async (merchant: TestMerchant) => {
      const gift = await scene.gift({ partner, merchant, owner: null });
      // The answer is waited for by nobody: it comes when the outcome is known.
      const answer = (await merchantClient(stack, merchant))
        .post('/topup-transactions/redeem-gift', { voucherCode: gift.voucherCode })
        .catch(() => undefined);
      return { gift, answer };
    };
    const open = [topup(35, '+251911001014'), topup(45, '+251911002014')];
    for (const answer of open) answer.catch(() => undefined);
    await Promise.all([topup(50, '+251911000003'), topup(55, '+251911000055')]);
    const held = await redeem(slow);
    await (await redeem(refusing)).answer;
    await scene.gift({ partner, merchant: slow });
    const openIds = await until(async () => {
      const rows = await database
        .selectFrom('topups')
        .select('id')
        .where('partner_id', '=', partner.id)
        .where('status', '=', 'UNKNOWN')
        .orderBy('id', 'desc')
        .execute();
      expect(rows).toHaveLength(2);
      const redemption = database.selectFrom('redemptions').select('id');
      const isHeld = redemption.where('voucher_id', '=', held.gift.id).where('status', '=', 'HELD');
      await isHeld.executeTakeFirstOrThrow();
      return rows.map(({ id }) => String(id));
    });
    /** What a card of the overview says, and the first cells of the list behind its link. */
    const followed = async (person: PortalClient, card: string, link: string) => {
      const [, section = ''] = (await get(person, '')).split(`<h2>${card}</h2>`);
      const [, href = '', rest = ''] =
        new RegExp(`href="/portal([^"]+)">${link}</a>([^/]*</span>)?`).exec(section) ?? [];
      const shown = await get(person, href.replaceAll('&amp;', '&'));
      const [, state = ''] = /<option value="([^"]+)" selected>/.exec(shown) ?? [];
      const list = cellsOf(shown);
      return { said: textOf(rest), state, list: list.map((row) => row.slice(0, 2).join(' ')) };
    };
    const firstCells = (rows: readonly string[]) => rows.map((row) => row.split(' ')[0]);
    const person = await scene.people('partner', partner.id);
    const topups = await followed(person, 'Underway', 'Top-ups');
    // Those that were sent a moment ago are on hold, too.
    expect(topups.state).toBe('PROCESSING,UNKNOWN');
    expect([topups.said, firstCells(topups.list)]).toEqual([': 2 for ETB 80.00', openIds]);
    const payments = await followed(person, 'Underway', 'Payments to merchants');
    expect([payments.said, firstCells(payments.list)]).toEqual([
      ': 1 for ETB 97.50',
      [await scene.serialOf(held.gift)],
    ]);
    expect((await followed(person, 'Failed top-ups', 'Show them')).list).toHaveLength(1);
    const owner = await scene.people('merchant', slow.id);
    const toMerchant = await followed(owner, 'Underway', 'Payments to you');
    expect(toMerchant.said).toBe(': 1 for ETB 97.50');
    expect(toMerchant.list).toEqual([expect.stringContaining(await scene.serialOf(held.gift))]);
    const refused = await scene.people('merchant', refusing.id);
    expect((await followed(refused, 'Payments that were refused', 'Show them')).list).toHaveLength(
      1,
    );
  });
});

describe('one voucher', () => {
  test('says what happened to it and to its money', async () => {
    const { whole, part, cancelled, refused } = scene.gifts;
    const pageOf = async ({ id }: { id: number }) =>
      textOf(await get(scene.asPerson, `/vouchers/${id}`));
    const redeemed = await pageOf(whole);
    expect(redeemed).toContain('claimed the whole balance. It was redeemed.');
    expect(redeemed).toMatch(/The code for \+2519\*+\d{3} was taken by the SMS provider\./);
    expect(redeemed).toMatch(/was paid ETB 487\.50, the provider’s reference is \w+\./);
    expect(redeemed).toMatch(/Paid to the merchant ?487\.50/);
    expect(redeemed).toMatch(/Service fee ?12\.50/);
    expect(await pageOf(part)).toMatch(/Left ?ETB 692\.50/);
    expect(await pageOf(cancelled)).toContain(
      'Cancelled: ETB 100.00 was returned to the gift wallet.',
    );
    const back = await pageOf(refused);
    expect(back).toMatch(/The payment was refused: .* Nothing was charged\./);
    expect(back).toContain('Not paid: the hold was released to the voucher');
  });
});

describe('one top-up', () => {
  test('says how each attempt ended', async () => {
    const { delivered, failed, packaged } = scene.topups;
    const pageOf = async ({ transactionId }: { transactionId: number }) =>
      textOf(await get(scene.asPerson, `/top-ups/${transactionId}`));
    expect(await pageOf(delivered)).toContain('It was delivered and charged.');
    expect(await pageOf(delivered)).toContain(delivered.referenceNumber);
    expect(await pageOf(failed)).toContain('Not delivered: returned to the airtime wallet');
    expect(await pageOf(packaged)).toContain('&lt;script&gt;');
  });
});

describe('lists', () => {
  test.each([
    ['/vouchers?state=CANCELLED', 1],
    ['/vouchers?state=REDEEMED', 1],
    ['/vouchers?state=EXPIRED', 0],
    ['/vouchers?from=2020-01-01&to=2020-01-02', 0],
    ['/vouchers?from=2020-01-01&state=&search=', 4],
    ['/vouchers?to=2020-01-01', 0],
    ['/top-ups?kind=PACKAGE', 1],
    ['/top-ups?state=FAILED', 1],
    ['/top-ups?kind=AIRTIME&state=SUCCESS', 1],
    ['/top-ups?search=nobody%27s', 0],
    // What only the API takes is not looked at.
    ['/vouchers?filter.status=$eq:CANCELLED&sortBy=x:DESC&q=a=b&limit=1', 4],
  ])('%s finds %i', async (path, count) => {
    const html = await get(scene.asPerson, path);
    expect(cellsOf(html)).toHaveLength(count);
    if (count === 0) expect(html).toContain('No matches');
  });

  test.each([
    ['/vouchers?from=2026-02-30', 422],
    ['/vouchers?from=0001-01-01', 422],
    ['/vouchers?from=2026-02-02&to=2026-02-01', 422],
    ['/vouchers?state=NONE', 422],
    [`/vouchers?search=${'9'.repeat(201)}`, 422],
    ['/vouchers?search=%00', 422],
    ['/vouchers?search=%3Cscript%3Ealert(1)%3C/script%3E', 200],
    ['/vouchers?page=2', 404],
    ['/vouchers?page=0', 404],
    ['/vouchers?page=x', 404],
    ['/balances/gift?page=2', 404],
    ['/balances/gift-hold', 404],
    ['/balances/toString', 404],
    ['/balances/gift?from=2026-02-30', 422],
    ['/balances/gift?from=2026-02-02&to=2026-02-01', 422],
    ['/balances/gift?from=2020-01-01', 422],
    ['/balances/gift/download?from=x', 400],
    ['/sales?to=tomorrow', 422],
  ])('%s is answered with %i', async (path, status) => {
    const html = await get(scene.asPerson, path, status);
    expect(html).not.toContain('<script>alert');
    if (status === 422) expect(html).toContain('class="error"');
  });
});

describe('what is long', () => {
  test('is shown in pages, which keep what was asked for', async () => {
    const partner = await makePartner(scene.stack);
    await Promise.all(Array.from({ length: 27 }, () => scene.gift({ partner })));
    const person = await scene.people('partner', partner.id);
    const first = await get(person, '/vouchers?state=ACTIVE&from=2026-01-01');
    expect(textOf(first)).toContain('1–25 of 27');
    const [, next = ''] = /href="\/portal([^"]+)"\s*>Next</.exec(first) ?? [];
    expect(next).toBe('/vouchers?state=ACTIVE&amp;from=2026-01-01&amp;page=2');
    const last = await get(person, next.replaceAll('&amp;', '&'));
    expect(textOf(last)).toContain('26–27 of 27');
    expect(last).toContain('>Previous<');
    expect(last).not.toContain('>Next<');
    const serials = [first, last].flatMap((html) => cellsOf(html).map(([serial]) => serial));
    expect(new Set(serials).size).toBe(27);
    await get(person, '/vouchers?page=3', 404);
  });

  test('is refused as one file, rather than cut', async () => {
    const { id } = await makePartner(scene.stack);
    await sql`
      insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
      select 'deposit:' || ${id}::text || '-' || number, 'deposit', debit.id, credit.id, 0.01
      from generate_series(1, 20001) as number
      join ledger_accounts as debit on debit.kind = 'funding'
      join ledger_accounts as credit
        on credit.kind = 'airtime' and credit.partner_id = ${id}`.execute(scene.stack.database);
    const person = await scene.people('partner', id);
    expect(await get(person, '/balances/airtime/download', 422)).toContain('20000 rows');
    const page = textOf(await get(person, '/balances/airtime?page=401'));
    expect(page).toContain('20,001–20,001 of 20,001');
    expect(page).toContain('Closing balanceETB 200.01');
  });
});

test('what the provider paid after it had refused is told, and counted where it was paid', async () => {
  const { stack, refusing, people, gifts } = scene;
  const { operation_id: operationId } = await stack.database
    .selectFrom('redemptions')
    .select('operation_id')
    .where('merchant_id', '=', refusing.id)
    .executeTakeFirstOrThrow();
  const person = await people('merchant', refusing.id);
  expect(await get(person, '/payouts')).toContain('There were no payouts');
  await doneLate(stack.database, operationId, 'LATE1');
  expect(cellsOf(await get(person, '/redemptions?state=CONTRADICTED'))[0]?.[2]).toBe('Paid late');
  const [total] = cellsOf(await get(person, '/payouts'));
  expect(total).toEqual(['All days', '1', await scene.paidByLedger(refusing.id), '0.00']);
  const voucher = textOf(await get(scene.asPerson, `/vouchers/${gifts.refused.id}`));
  expect(voucher).toContain('The provider reported later that it had paid');
  expect(voucher).toContain('nobody was charged for it');
});

test('files are attachments, and formulas in them are texts', async () => {
  const { stack, merchant, asMerchantPerson } = scene;
  await stack.database
    .updateTable('placements')
    .set({ provider_reference: '=1+1' })
    .where('operation_id', 'in', (select) =>
      select
        .selectFrom('redemptions')
        .select('operation_id')
        .where('merchant_id', '=', merchant.id),
    )
    .execute();
  const answer = await asMerchantPerson.get('/portal/redemptions/download?state=POSTED');
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="redemptions.csv"');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const rows = rowsOfFile(answer.html).slice(1);
  expect(rows.map((row) => row.at(-2))).toEqual(["'=1+1", "'=1+1"]);
  expect(rows.map((row) => row.slice(4, 7))).toEqual([
    ['307.50', '7.50', '300.00'],
    ['500.00', '12.50', '487.50'],
  ]);
});

/** As a text stands in a page. */
const encoded = (text = ''): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
