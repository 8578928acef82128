import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, type Client, done, type Gift } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** The fee is not rounded away by many small parts, and the whole rest can always be redeemed. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    REDEMPTION_MINIMUM: '5',
    PARTIAL_REDEMPTIONS_PER_VOUCHER: '2',
  });
});
afterAll(() => scene?.stop());

const claim = (client: Client, { voucherCode }: Gift, amount: number | string) =>
  client.post(CLAIM, { voucherCode, amount });

const tooSmall = {
  reason: 'amount-too-small',
  says: 'at least 5.00 and at most 97.56, or the whole balance of 100.00 can be redeemed',
} as const;

test('a part below the smallest is refused at the claim', async () => {
  const { merchant, client } = await scene.payee('partner');
  const gift = await scene.gift({ merchant });
  const before = await scene.holdings();
  const answer = await claim(client, gift, '4.99');
  expectRefusal(answer, 'partner', 400, tooSmall);
  expect(await scene.holdings()).toEqual(before);
  expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toEqual([]);
});

test('a part whose fee is rounded away is refused at an anonymous redemption', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant, owner: null });
  const before = await scene.holdings();
  const answer = await redeem(client, gift, { amount: '0.19' });
  expectRefusal(answer, 'merchant', 400, tooSmall);
  expect(await scene.holdings()).toEqual(before);
  done(await redeem(client, gift, { amount: 5 }));
});

const exhausted = {
  reason: 'parts-exhausted',
  says: /only the whole balance of \d+\.\d\d can be redeemed/,
} as const;

test('only the whole rest is left after all parts of a claimed voucher', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  for (let part = 1; part <= 2; part += 1) await scene.redeemed(client, gift, { amount: 10 });
  expectRefusal(await claim(client, gift, 10), 'merchant', 400, exhausted);
  await scene.redeemed(client, gift);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
});

test('only the whole rest is left after all parts of an anonymous voucher', async () => {
  const { merchant, client } = await scene.payee('partner');
  const gift = await scene.gift({ merchant, owner: null });
  for (let part = 1; part <= 2; part += 1) done(await redeem(client, gift, { amount: 10 + part }));
  expectRefusal(await redeem(client, gift, { amount: 10 }), 'partner', 400, exhausted);
  done(await redeem(client, gift));
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
});

test('a rest below the smallest part is redeemed as a whole', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant, owner: null });
  done(await redeem(client, gift, { amount: '95' }));
  const { remaining } = await scene.voucher(gift);
  expect(Number(remaining)).toBe(2.62);
  done(await redeem(client, gift, { amount: '2.62' }));
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
});

test('a payment that was refused counts as no part', async () => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '003' });
  const gift = await scene.gift({ merchant, owner: null });
  for (let part = 1; part <= 3; part += 1)
    expect((await redeem(client, gift, { amount: 10 + part })).body.statusCode).toBe(5031);
});
