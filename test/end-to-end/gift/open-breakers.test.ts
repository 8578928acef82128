import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRoute } from '../../../src/db/providers.ts';
import { allProviders } from '../../../src/domain/providers.ts';
import { freePort } from '../../../src/local/processes.ts';
import type { ProviderFault } from '../../../src/sandbox/faults.ts';
import { commandsOn } from '../../admin/scene.ts';
import { call } from '../../support/clients.ts';
import { deposit, makeMerchant, type TestMerchant } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { CLAIM, type GiftScene, newOwner, REDEEM, setGiftScene } from './gift-scene.ts';

/** Longer than a busy machine takes for a few calls. */
const BREAKER_SECONDS = 30;

const ROUTES = {
  sms: ['africas-talking', 'smpp'],
  payout: ['mpesa', 'gsma'],
  'topup-airtime': ['reloadly', 'dt-one'],
} as const;

let scene: GiftScene;
let merchant: TestMerchant;

beforeAll(async () => {
  const port = await freePort();
  scene = await setGiftScene({
    PORT: String(port),
    CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`,
    // One call without an answer opens a breaker.
    PROVIDER_BREAKER_CALLS: '2',
    PROVIDER_BREAKER_SECONDS: String(BREAKER_SECONDS),
    PROVIDER_STATE_SECONDS: '0.05',
  });
  const { stack, partner } = scene;
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '10000', 'airtime');
  // M-Pesa carries whole birr.
  merchant = await makeMerchant(stack, { service_fee_percent: '0' });
  await stack.database.transaction().execute(async (transaction) => {
    for (const kind of ['sms', 'payout', 'topup-airtime'] as const)
      for (const [index, provider] of ROUTES[kind].entries())
        await addRoute(transaction, { kind, provider, position: index + 1 });
  });
});
afterAll(() => scene?.stop());

const topup = () =>
  scene.asPartner.post('/topup-transactions/airtime-topup', {
    amount: 50,
    msisdn: newOwner('000'),
    exchangeRate: 57.2,
    currency: 'USD',
    originatingCountry: 'US',
  });

const redeem = async (voucherCode: string) =>
  scene.asPartner.post(REDEEM, { voucherCode, amount: 40 });

const setFaults = async (fault: Partial<ProviderFault>) => {
  for (const provider of allProviders)
    await call(`${scene.stack.sandbox.url}/faults/${provider}`, { method: 'PUT', body: fault });
};

/** All money, all that could hold some, and what providers have taken. */
async function holdings() {
  const { rows } = await sql`
    select (select count(*) from ledger_transfers) as transfers,
      (select count(*) from redemptions) as redemptions,
      (select count(*) from topup_attempts) as attempts`.execute(scene.stack.database);
  const { body: books } = await call(`${scene.stack.sandbox.url}/books`);
  return { counts: rows, ...(await scene.holdings()), books };
}

test('where the breakers of all providers of a kind are open, 503 comes at once, and nothing moves', async () => {
  const gift = await scene.gift({ owner: null, merchant });
  const claimable = await scene.gift({ merchant });
  // None of them does anything, and each one leads to the next.
  await setFaults({ answers: 'not-authorised' });
  const claim = () => scene.asPartner.post(CLAIM, { voucherCode: claimable.voucherCode });
  for (const answer of [await redeem(gift.voucherCode), await topup(), await claim()])
    expect(answer.body.success).toBe(false);
  // The breakers are open although the providers work again.
  await call(`${scene.stack.sandbox.url}/faults`, { method: 'DELETE' });

  const before = await holdings();
  for (const answer of [await redeem(gift.voucherCode), await topup()]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('5');
    expect(answer.body).toMatchObject({
      success: false,
      message: expect.stringContaining('the provider is out of order'),
    });
  }
  expect(await holdings()).toEqual(before);
  const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
  await until(async () => {
    const states: { provider: string; state: string; takesCalls: boolean }[] =
      await operator.json('providers list-states');
    for (const provider of Object.values(ROUTES).flat())
      expect(states).toContainEqual(
        expect.objectContaining({ provider, state: 'open', takesCalls: false }),
      );
  });

  // A breaker lets a call try after its time.
  await until(async () => expect((await redeem(gift.voucherCode)).status).toBe(200));
  await until(async () => expect((await topup()).status).toBe(200));
});

test('providers that ask for fewer calls are asked again at once', async () => {
  const gift = await scene.gift({ owner: null, merchant });
  await setFaults({ answers: 'too-many-requests' });
  for (const answer of [await redeem(gift.voucherCode), await topup()])
    expect(answer.body.success).toBe(false);
  await call(`${scene.stack.sandbox.url}/faults`, { method: 'DELETE' });
  for (const answer of [await redeem(gift.voucherCode), await topup()])
    expect(answer.status).toBe(200);
});
