import { afterAll, beforeAll, expect, it } from 'vitest';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { settleCase } from '../../positions/cases.ts';
import { askNow } from '../../positions/placements.ts';
import { reconciled } from '../faults/reconciled.ts';
import { CLAIM, settled } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** A refused payment that its provider has made after all, or of which it has something else. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene();
});
afterAll(() => scene?.stop());

/** A voucher whose payment to one merchant was refused, and is found otherwise; any merchant could redeem it. */
async function turned(owner: string | null | undefined, change: object) {
  const { database, sandbox } = scene.stack;
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '004' });
  const gift = await scene.gift({
    merchant,
    isRestricted: false,
    ...(owner === null && { owner }),
  });
  const verificationCode = owner === null ? undefined : await scene.claimed(client, gift);
  expect((await redeem(client, gift, { verificationCode })).status).toBe(503);
  const { reference } = await scene.untilPaidTo(merchant);
  Object.assign(sandbox.books.findPayout('reference', reference) ?? {}, change);
  await scene.settlePayout(merchant, 'completed');
  await askNow(database, reference);
  expect(await reconciled(scene.stack)).toContain(reference);
  return { gift, reference };
}

it.each([
  ['another content at the provider', { currency: 'USD' }, undefined],
  ['a payment after its refusal', {}, 'platform'],
  ['a payment of another amount after its refusal', { amount: '55.00' }, 'platform'],
] as const)(
  '%s keeps its voucher from being paid once more until a person has settled it',
  async (_what, change, by) => {
    const { gift, reference } = await turned(null, change);
    const { merchant, client } = await scene.payee('merchant');
    const refused = await redeem(client, gift);
    expect(refused.body).toMatchObject({
      statusCode: 4092,
      message: expect.stringContaining('ask support'),
    });
    expect(scene.payoutsTo(merchant)).toEqual([]);
    const { client: staff } = await staffClient(scene.stack);
    const page = () => staff.get(`/support/vouchers/${gift.id}`);
    expect((await page()).html).toContain('An operator settles');

    await settleCase(scene.stack, reference, by);
    expect((await redeem(client, gift)).status).toBe(200);
    expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  },
);

it('a payment after its refusal keeps its voucher from being cancelled until a person has settled it', async () => {
  const { gift, reference } = await turned(null, {});
  const cancel = () => scene.asPartner.post(`/vouchers/${gift.id}/cancel`, undefined);
  expect((await cancel()).body).toMatchObject({
    statusCode: 409,
    message: expect.stringContaining('ask support'),
    data: { reason: 'voucher-being-redeemed' },
  });
  expect((await scene.voucher(gift)).status).toBe('ACTIVE');

  await settleCase(scene.stack, reference, 'platform');
  expect((await cancel()).status).toBe(200);
});

it.each([
  ['another content at the provider', { currency: 'USD' }],
  ['a payment after its refusal', {}],
])('%s sends no code for another claim', async (_what, change) => {
  const { gift } = await turned(undefined, change);
  const { client } = await scene.payee('merchant');
  const before = scene.stack.sandbox.books.messages(gift.owner ?? '').length;
  const { body } = await settled(client, CLAIM, { voucherCode: gift.voucherCode });
  expect(body).toMatchObject({ statusCode: 4092 });
  expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(before);
});
