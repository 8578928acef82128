import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../src/local/processes.ts';
import { sandboxSettings } from '../../../src/local/start/backing-services.ts';
import {
  type RedemptionScene,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { idOf, sale } from '../../end-to-end/topups/topup-scene.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';

/** What `npm start` tells the providers of its sandbox: where to report, under which secrets. */
let scene: RedemptionScene;

beforeAll(async () => {
  const PORT = await freePort();
  const given = { PORT } as Parameters<typeof sandboxSettings>[0];
  const all = Object.entries(sandboxSettings(given, {} as Parameters<typeof sandboxSettings>[1]));
  const callbacks = all.filter(([name]) => /^CALLBACK_/.test(name));
  scene = await setRedemptionScene({
    ...Object.fromEntries(callbacks),
    PORT: String(PORT),
    // Nothing but a callback makes a workflow ask a provider during the test.
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '3600',
  });
});
afterAll(() => scene?.stop());

test('a callback of its mobile money ends a payment, under its secret alone', async () => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '011' });
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift);
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  const withoutSecret = await fetch(`${scene.stack.url}/callbacks/gsma`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect(withoutSecret.status).toBe(404);
});

test('a callback of its airtime ends a top-up', async () => {
  const { stack, partner, asPartner } = scene;
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  const answer = await asPartner.post('/topup-transactions/airtime-topup', {
    amount: 50,
    msisdn: '+251910000011',
    ...sale,
  });
  await until(async () =>
    expect(
      await stack.database
        .selectFrom('topups')
        .select('status')
        .where('id', '=', idOf(answer))
        .executeTakeFirstOrThrow(),
    ).toEqual({ status: 'SUCCESS' }),
  );
});
