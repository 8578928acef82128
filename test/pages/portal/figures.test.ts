import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUp, noteNextEnds } from '../../../src/db/books/rollup.ts';
import { allSums } from '../../../src/db/books/sums.ts';
import { balancesOver, claimCounts, paymentsPerDay } from '../../../src/db/figures.ts';
import { partnerBalances } from '../../../src/db/ledger/ledger.ts';
import { until } from '../../support/until.ts';
import { staffClient } from '../staff/staff-client.ts';
import { type BusinessScene, setBusinessScene, textOf } from './journeys/business-scene.ts';

/** The figures and charts of the overviews, of one company and of all. */
let scene: BusinessScene;

beforeAll(async () => {
  scene = await setBusinessScene();
});
afterAll(() => scene?.stop());

const day = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const days = { first: day(-2), last: day(1), zone: 'UTC' };

/** Adds everything to the sums that can be added by now. */
async function addUpAll(): Promise<void> {
  const { database } = scene.stack;
  for (const sums of allSums) await addUp(database, sums, { settleSeconds: 0 });
  await noteNextEnds(database, allSums);
  for (const sums of allSums) await addUp(database, sums, { settleSeconds: 0 });
}

test('claims lead to codes and payments, and each counts once', async () => {
  const { database } = scene.stack;
  // Whatever other transactions of the server keep open is added later.
  const addUpTo = (counts: Awaited<ReturnType<typeof claimCounts>>) =>
    until(async () => {
      await addUpAll();
      for (const whose of [scene.partner.id, 'all'] as const)
        expect(await claimCounts(database, whose, days)).toEqual(counts);
    });
  // Two were redeemed, and the payment of a third one was refused.
  const counts = { claims: 3, codes: 3, payments: 2 };
  await addUpTo(counts);
  await scene.claimed(scene.asMerchant, await scene.gift());
  await addUpTo({ ...counts, claims: 4 });
  await addUpTo({ ...counts, claims: 4 });
  const sums = allSums.find(({ source }) => source === 'claim-sums');
  expect(await sums?.verify(database, { batchSize: 1_000, note: () => {} })).toEqual([]);
});

test('the balances begin with nothing and end with those of now', async () => {
  const { database } = scene.stack;
  const wallets = ['gift', 'airtime', 'reserved'] as const;
  const found = await balancesOver(database, scene.partner.id, wallets, days);
  const now = await partnerBalances(database, scene.partner.id);
  for (const wallet of wallets) {
    const line = found.filter((one) => one.wallet === wallet);
    expect([wallet, Number(line[0]?.balance)]).toEqual([wallet, 0]);
    expect([wallet, line.at(-1)?.balance]).toEqual([wallet, now[wallet]]);
  }
});

test('payments count as paid or refused', async () => {
  const { database } = scene.stack;
  const sumOf = async (payees: number | 'all') => {
    const found = await paymentsPerDay(database, payees, days);
    return [
      found.reduce((sum, { paid }) => sum + paid, 0),
      found.reduce((sum, { refused }) => sum + refused, 0),
    ];
  };
  expect(await sumOf(scene.merchant.id)).toEqual([2, 0]);
  expect(await sumOf(scene.refusing.id)).toEqual([0, 1]);
  expect(await sumOf('all')).toEqual([2, 1]);
});

test("a partner's overview shows its charts, each with a table", async () => {
  const { html } = await scene.asPerson.get('/portal');
  const ids = [...html.matchAll(/<svg class="chart"[^>]*aria-labelledby="([\w-]+)-title/g)];
  expect(ids.map(([, id]) => id)).toEqual([
    ...['vouchers', 'top-ups', 'balance-airtime', 'balance-gift', 'balance-reserved'],
    'topup-success',
  ]);
  for (const [, id] of ids) expect(html).toContain(`<details id="${id}-figures">`);
  // Two of three attempts were delivered.
  expect(html).toContain('66.7 % (2/3)');
  expect(textOf(html)).toContain('From the claim to the payment');
});

test("a merchant's overview shows payouts and the rate of payments", async () => {
  const { html } = await scene.asMerchantPerson.get('/portal');
  expect(html).toContain('100.0 % (2/2)');
  const refusing = await scene.people('merchant', scene.refusing.id);
  expect((await refusing.get('/portal')).html).toContain('0.0 % (0/1)');
});

test('people of the service see the same of all companies', async () => {
  const { client } = await staffClient(scene.stack);
  const { status, html } = await client.get('/support/figures');
  expect(status).toBe(200);
  expect(html.match(/<svg class="chart"/g)).toHaveLength(5);
  expect(html).toContain('66.7 % (2/3)');
  expect((await client.get('/support/figures?from=tomorrow')).status).toBe(422);
});
