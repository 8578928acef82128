import { afterAll, beforeAll, expect, test } from 'vitest';
import { partnerClient } from '../../support/clients.ts';
import { makeKey, makePartner } from '../../support/companies.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, GENERATE, type GiftScene, REDEEM, setGiftScene } from '../gift/gift-scene.ts';

/** A process that may act on what it knows of access for two seconds. */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene({ ACCESS_CACHE_SECONDS: '2' });
});
afterAll(() => scene?.stop());

test('no money of a partner moves that was suspended in between', async () => {
  const partner = await makePartner(scene.stack);
  const client = await partnerClient(scene.stack, partner);
  const claimed = await scene.gift({ partner });
  const verificationCode = await scene.claimed(client, claimed);
  const unclaimed = await scene.gift({ partner });
  const anonymous = await scene.gift({ partner, owner: null });
  const before = await scene.holdings();
  const requests: readonly (readonly [string, Record<string, unknown>])[] = [
    [
      GENERATE,
      { denominationId: partner.denominations[100], merchantId: scene.merchant.id, msisdn: null },
    ],
    [CLAIM, { voucherCode: unclaimed.voucherCode }],
    [REDEEM, { voucherCode: claimed.voucherCode, verificationCode }],
    [REDEEM, { voucherCode: anonymous.voucherCode }],
  ];
  expect((await client.get('/test')).status).toBe(200);
  await scene.stack.database
    .updateTable('partners')
    .set({ status: 'SUSPENDED' })
    .where('id', '=', partner.id)
    .execute();
  const answers = await Promise.all(requests.map(([path, body]) => client.post(path, body)));
  expect(await scene.holdings()).toEqual(before);
  for (const answer of answers)
    expectRefusal(answer, 'partner', 403, { reason: 'account-suspended' });
});

test('a new key, and a new token after all were revoked, work while older access is remembered', async () => {
  const { stack } = scene;
  const partner = await makePartner(stack);
  const company = { kind: 'partner', id: partner.id } as const;
  const remembered = await partnerClient(stack, partner);
  expect((await remembered.get('/test')).status).toBe(200);
  const apiKey = await makeKey(stack, company);
  const renewed = await partnerClient(stack, { ...partner, apiKey });
  expect((await renewed.get('/test')).status).toBe(200);

  await stack.database
    .updateTable('partners')
    .set((row) => ({ token_version: row('token_version', '+', 1) }))
    .where('id', '=', partner.id)
    .execute();
  const again = await partnerClient(stack, { ...partner, apiKey });
  expect((await again.get('/test')).status).toBe(200);
  expect((await renewed.get('/test')).status).toBe(401);
});
