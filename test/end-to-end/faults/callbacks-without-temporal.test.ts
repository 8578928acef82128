import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OwnTemporal, startOwnTemporal } from '../../harness/own-temporal.ts';
import { atProvider } from '../../positions/placements.ts';
import { refusalData } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { makeSpoilingWay } from '../../support/spoiling-way.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { type Gift, REDEEM } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';
import { AIRTIME, sale } from '../topups/topup-scene.ts';

/** Providers call back while no workflow can be told. */
const SECRET = 'a-path-that-nobody-guesses';
const TOPPED_UP = '+251911778014';

let temporal: OwnTemporal;
beforeEach(async () => {
  temporal = await startOwnTemporal();
});
afterEach(() => temporal?.stop());

const rowOf = ({ stack }: RedemptionScene, gift: Gift) =>
  stack.database
    .selectFrom('redemptions')
    .select(['status', 'payment_reference'])
    .select(atProvider('redemptions.operation_id'))
    .where('voucher_id', '=', gift.id)
    .executeTakeFirst();

/** A payment of which only the provider knows the end, and its reference. */
async function openPayment(scene: RedemptionScene, denomination: 100 | 1000 = 100) {
  const { merchant, client } = await scene.payee('partner', { payoutSuffix: '014' });
  const gift = await scene.gift({ merchant, owner: null, denomination });
  // Its caller is told to ask again.
  expect((await client.post(REDEEM, { voucherCode: gift.voucherCode })).status).toBe(409);
  const row = await until(async () => {
    const found = await rowOf(scene, gift);
    expect(found?.silent_since).toBeInstanceOf(Date);
    return found;
  });
  return { merchant, gift, reference: row?.payment_reference ?? '' };
}

async function openTopup({ stack, partner, asPartner }: RedemptionScene): Promise<string> {
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  await asPartner.post(AIRTIME, { amount: 50, msisdn: TOPPED_UP, ...sale });
  return until(async () => {
    expect(await topupOf(stack)).toMatchObject({ status: 'UNKNOWN' });
    return (await topupOf(stack)).reference;
  });
}

const topupOf = ({ database }: RedemptionScene['stack']) =>
  database
    .selectFrom('topups')
    .innerJoin('topup_attempts', 'topup_attempts.topup_id', 'topups.id')
    .select(['topups.status', 'reference'])
    .executeTakeFirstOrThrow();

/** The callbacks of a GSMA provider and of DT One. */
const callbacksOf = (url: string, payment: string, topup: string) => ({
  payment: () =>
    fetch(`${url}/callbacks/gsma/${SECRET}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', 'X-CorrelationID': payment },
      body: '{}',
    }),
  'top-up': () =>
    fetch(`${url}/callbacks/airtime/${SECRET}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ external_id: topup }),
    }),
});

test('a callback that reaches no workflow is answered 503, and counts when it is repeated', async () => {
  const scene = await setRedemptionScene({
    TEMPORAL_ADDRESS: temporal.address,
    CALLER_WAIT_SECONDS: '2',
    CALLBACK_SECRETS: `gsma=${SECRET},dt-one=${SECRET},mpesa=${SECRET}`,
    // Nothing but a nudge makes a workflow ask the provider during the test.
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '3600',
  });
  const { stack } = scene;
  const { merchant, gift, reference } = await openPayment(scene);
  const topup = await openTopup(scene);
  const callbacks = callbacksOf(stack.url, reference, topup);

  await temporal.kill();
  await scene.settlePayout(merchant, 'completed');
  const settled = await fetch(`${stack.sandbox.url}/books/topups/${topup}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ status: 'completed' }),
  });
  expect(settled.status).toBe(200);
  // More than the limit of an hour: what reached no workflow does not count.
  const times = Array.from({ length: 25 }, (_, time) => time);
  for (const [name, callBack] of Object.entries(callbacks))
    for (const time of times) {
      const answer = await callBack();
      expect({ name, time, status: answer.status }).toEqual({ name, time, status: 503 });
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
      const body = await answer.text();
      expect(JSON.parse(body)).toMatchObject({
        success: false,
        statusCode: 503,
        data: refusalData('partner', 'unavailable'),
      });
      // Neither a stack nor the words of an error.
      expect(body).not.toMatch(/Error|\.[jt]s|workflow/i);
    }
  expect((await rowOf(scene, gift))?.status).toBe('HELD');
  expect((await topupOf(stack)).status).toBe('UNKNOWN');

  await temporal.startAgain('as it was');
  for (const callBack of Object.values(callbacks))
    await until(async () => expect((await callBack()).ok).toBe(true));
  await scene.untilStatus(gift, 'REDEEMED');
  await until(async () => expect((await topupOf(stack)).status).toBe('SUCCESS'));
  // Once more, after the end.
  for (const callBack of Object.values(callbacks)) expect((await callBack()).ok).toBe(true);
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  expect(await scene.transfersOf(gift)).toEqual([
    'hold 100.00',
    'post-payment 97.50',
    'post-service-fee 2.50',
  ]);
  expect(stack.sandbox.books.topups({ to: TOPPED_UP })).toHaveLength(1);
  await scene.stop();
});

test('a result of M-Pesa that reaches no workflow is kept, and its payment ends by inquiries', async () => {
  const toService = await makeSpoilingWay();
  const scene = await setRedemptionScene({
    TEMPORAL_ADDRESS: temporal.address,
    CALLER_WAIT_SECONDS: '2',
    MOBILE_MONEY_PROVIDER: 'mpesa',
    CALLBACK_URL: `${toService.url}/callbacks`,
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '0.5',
  });
  const { stack } = scene;
  toService.setTarget(stack.url);
  // 2.5 percent of 1,000 leave whole birr.
  const { merchant, gift, reference } = await openPayment(scene, 1000);
  await temporal.kill();
  const results = () =>
    stack.database
      .selectFrom('mpesa_results')
      .select('receipt')
      .where('reference', '=', reference)
      .where('kind', '=', 'payment')
      .execute();
  await scene.settlePayout(merchant, 'completed');
  await until(async () =>
    expect(await results()).toEqual([{ receipt: expect.stringMatching(/^MM/) }]),
  );
  await temporal.startAgain('as it was');
  await scene.untilStatus(gift, 'REDEEMED');
  expect(scene.amountsPaidTo(merchant)).toEqual(['975.00 completed']);
  expect((await scene.transfersOf(gift)).map((step) => step.split(' ')[0])).toEqual([
    'hold',
    'post-payment',
    'post-service-fee',
  ]);
  await scene.stop();
  await toService.close();
});
