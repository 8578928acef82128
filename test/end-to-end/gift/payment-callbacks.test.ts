import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atProvider } from '../../positions/placements.ts';
import { makeSpoilingWay } from '../../support/spoiling-way.ts';
import { reconciled } from '../faults/reconciled.ts';
import { type Gift, REDEEM } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** The sandbox's mobile money calls back, as a GSMA provider does. */
const SECRET = 'a-path-that-nobody-guesses';

let scene: RedemptionScene;
let toProvider: Awaited<ReturnType<typeof makeSpoilingWay>>;
let toService: Awaited<ReturnType<typeof makeSpoilingWay>>;
beforeAll(async () => {
  toProvider = await makeSpoilingWay();
  toService = await makeSpoilingWay();
  scene = await setRedemptionScene({
    MOBILE_MONEY_URL: `${toProvider.url}/gsma/v1.2/mm`,
    MOBILE_MONEY_TOKEN_URL: undefined,
    CALLBACK_URL: `${toService.url}/callbacks/`,
    CALLBACK_SECRETS: `gsma=${SECRET},mpesa=${SECRET}`,
    // Nothing but a nudge makes a workflow ask the provider during the test.
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '3600',
  });
  toProvider.setTarget(scene.stack.sandbox.url);
  toService.setTarget(scene.stack.url);
});
afterAll(async () => {
  await scene?.stop();
  await toProvider?.close();
  await toService?.close();
});

const rowOf = (gift: Gift) =>
  scene.stack.database
    .selectFrom('redemptions')
    .select(['status', 'payment_reference', 'is_done'])
    .select(atProvider('redemptions.operation_id'))
    .where('voucher_id', '=', gift.id)
    .executeTakeFirst();

const callBack = (path: string, reference?: string, body: object = {}) =>
  fetch(`${scene.stack.url}/callbacks/gsma${path}`, {
    method: 'PUT',
    headers: {
      'Content-Type': 'application/json',
      ...(reference === undefined ? {} : { 'X-CorrelationID': reference }),
    },
    body: JSON.stringify(body),
  });

test.each([
  ['before the answer to the sending', '010'],
  ['twice', '011'],
])('a callback that comes %s ends the payment at once', async (_how, payoutSuffix) => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift);
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  expect(await scene.postedRedemptions(gift)).toHaveLength(1);
});

test('a callback with an error object ends the payment as refused', async () => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
  const gift = await scene.gift({ merchant, owner: null });
  const answer = redeem(client, gift);
  await scene.untilPaidTo(merchant);
  await expect.poll(async () => (await rowOf(gift))?.silent_since).toBeInstanceOf(Date);
  await scene.settlePayout(merchant, 'failed');
  expect((await answer).body.statusCode).toBe(5031);
  expect(await scene.transfersOf(gift)).toEqual(['hold 100.00', 'void 100.00']);
});

test('a callback is a nudge under its secret path alone, and its body is not believed', async () => {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
  const gift = await scene.gift({ merchant, owner: null });
  const answer = redeem(client, gift);
  await expect.poll(async () => (await rowOf(gift))?.silent_since).toBeInstanceOf(Date);
  const reference = (await rowOf(gift))?.payment_reference;
  for (const path of ['', '/another-path-altogether', `/${SECRET}x`])
    expect((await callBack(path, reference)).status).toBe(404);
  const forged = { transactionReference: 'MM1', transactionStatus: 'completed' };
  const accepted = await callBack(`/${SECRET}`, reference?.toUpperCase(), forged);
  expect({ status: accepted.status, body: await accepted.text() }).toEqual({
    status: 204,
    body: '',
  });
  expect((await rowOf(gift))?.status).toBe('HELD');
  await scene.settlePayout(merchant, 'completed');
  expect((await answer).status).toBe(200);
  expect(await scene.transfersOf(gift)).toEqual([
    'hold 100.00',
    'post-payment 97.50',
    'post-service-fee 2.50',
  ]);
});

test('a callback about nothing of ours changes nothing', async () => {
  for (const reference of [randomUUID(), 'no reference', undefined])
    expect((await callBack(`/${SECRET}`, reference)).status).toBe(204);
});

test('a callback before an answer that decides changes nothing', async () => {
  const { merchant, client } = await scene.payee('partner', { payoutSuffix: '000' });
  const gift = await scene.gift({ merchant, owner: null });
  let answer = () => {};
  const sent = new Promise<void>((resolve) => {
    toProvider.spoilWith(({ status, body }, response) => {
      answer = () => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
      resolve();
    });
  });
  const waiting = client.post(REDEEM, { voucherCode: gift.voucherCode });
  await sent;
  toProvider.spoilWith(undefined);
  const reference = (await rowOf(gift))?.payment_reference;
  expect((await callBack(`/${SECRET}`, reference)).status).toBe(204);
  answer();
  expect((await waiting).status).toBe(200);
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  expect(await scene.postedRedemptions(gift)).toHaveLength(1);
});

test('a callback about a reversal after success leads to suspense', async () => {
  const { merchant, client } = await scene.payee('merchant');
  const gift = await scene.gift({ merchant });
  await scene.redeemed(client, gift);
  await scene.settlePayout(merchant, 'reversed');
  await expect
    .poll(async () => {
      const { ask_at: at = null } = (await rowOf(gift)) ?? {};
      return at !== null && at.getTime() <= Date.now();
    })
    .toBe(true);
  expect(await reconciled(scene.stack)).toContain('A provider took it back');
  expect((await rowOf(gift))?.is_done).toBe(false);
});
