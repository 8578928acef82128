import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/clients.ts';
import { RELOADLY_WEBHOOK_SECRET } from '../../support/stack.ts';
import { repeated } from '../gift/gift-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { newKey, PACKAGE, sale, setTopupScene, type TopupScene } from './topup-scene.ts';

let scene: TopupScene;
beforeAll(async () => {
  scene = await setTopupScene({
    AIRTIME_PROVIDER: 'reloadly',
    // Nobody sells packages.
    AIRTIME_URL: undefined,
    RELOADLY_SETTLE_SECONDS: '0.5',
    CALLER_WAIT_SECONDS: '1',
    // Nothing but a nudge makes a workflow ask the provider during the test.
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '3600',
  });
  const webhook = await fetch(`${scene.stack.sandbox.reloadlyUrl}/dashboard/webhook`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      url: `${scene.stack.url}/callbacks/reloadly`,
      secret: RELOADLY_WEBHOOK_SECRET,
    }),
  });
  expect(webhook.status).toBe(204);
});
afterEach(() => scene.stack.sandbox.faults.clear());
afterAll(() => scene?.stack.stop());

const booksOf = (msisdn: string) => scene.stack.sandbox.books.topups({ to: msisdn });

/** A callback as the provider signs it, unless the test gives another signature. */
function callBack(reference: string, { secret = RELOADLY_WEBHOOK_SECRET, isNested = false } = {}) {
  const topup = { customIdentifier: reference, status: 'SUCCESSFUL' };
  const body = {
    type: 'airtime_transaction.status',
    data: isNested ? { transaction: topup } : topup,
  };
  const timestamp = String(Date.now());
  const signature = createHmac('sha256', secret)
    .update(`${JSON.stringify(body)}:${timestamp}`)
    .digest('hex');
  const headers = {
    'X-Reloadly-Signature': signature,
    'X-Reloadly-Request-Timestamp': timestamp,
  };
  return call(`${scene.stack.url}/callbacks/reloadly`, { body, headers });
}

test('a package that no provider sells is refused, and costs nothing', async () => {
  const bundle = {
    productId: scene.products.ethioPackage,
    msisdn: scene.number('000'),
    ...sale,
  };
  const key = newKey();
  const refused = await repeated(
    () => scene.asPartner.post(PACKAGE, bundle, key),
    ({ status, body }) => status === 200 && body.data.status !== 'SUCCESS',
  );
  expect([refused.status, refused.body.message]).toEqual([
    404,
    'You have no access to this product: no provider sells this package',
  ]);
  const { data } = (await scene.asPartner.post('/quote', { kind: 'PACKAGE', ...bundle })).body;
  expect(data).toMatchObject({
    accepted: false,
    refusal: { statusCode: 404, message: refused.body.message },
  });
});

/** A top-up whose outcome nobody has told, and our reference of it. */
async function openTopup(msisdn: string) {
  scene.topup(msisdn).catch(() => undefined);
  const find = () =>
    scene.stack.database
      .selectFrom('topups')
      .innerJoin('topup_attempts', 'topup_attempts.topup_id', 'topups.id')
      .select(['topups.id', 'topup_attempts.reference', 'topups.status'])
      .where(isNumber(scene.stack, 'topups.msisdn', msisdn))
      .executeTakeFirst();
  await expect.poll(async () => (await find())?.status).toBe('UNKNOWN');
  const found = await find();
  if (!found) throw new Error('The top-up is gone');
  return found;
}

test('a top-up is delivered by Reloadly, whose callback wakes it', async () => {
  const msisdn = scene.number('014');
  const { id } = await openTopup(msisdn);
  await scene.settle(id, 'completed');
  await scene.untilStatus(id, 'SUCCESS');
  expect(booksOf(msisdn)).toMatchObject([
    { provider: 'reloadly', status: 'completed', amount: '50.00' },
  ]);
});

test('a callback counts only with the signature of its body', async () => {
  const msisdn = scene.number('014');
  const { id, reference } = await openTopup(msisdn);
  scene.stack.sandbox.faults.set('reloadly', {
    ...scene.stack.sandbox.faults.of('reloadly'),
    losesCallbacks: true,
  });
  await scene.settle(id, 'completed');
  const nowhere = await call(`${scene.stack.url}/callbacks/none`, { body: {} });
  const refused = await callBack(reference, { secret: 'the-webhook-secret-of-others' });
  expect([refused.status, refused.body]).toEqual([404, nowhere.body]);
  const unsigned = await call(`${scene.stack.url}/callbacks/reloadly`, {
    body: { data: { customIdentifier: reference } },
  });
  expect(unsigned.status).toBe(404);
  expect((await scene.show(id)).status).toBe('UNKNOWN');
  expect((await callBack(reference, { isNested: true })).status).toBe(200);
  await scene.untilStatus(id, 'SUCCESS');
});

test('an order that never arrived is sent again, but not before its sending is long over', async () => {
  scene.stack.sandbox.faults.set('reloadly', {
    ...scene.stack.sandbox.faults.of('reloadly'),
    answers: 'unavailable',
  });
  const msisdn = scene.number('000');
  const { id, reference } = await openTopup(msisdn);
  scene.stack.sandbox.faults.clear();
  await callBack(reference);
  await expect
    .poll(
      async () => {
        await callBack(reference);
        return (await scene.show(id)).status;
      },
      { interval: 300 },
    )
    .toBe('SUCCESS');
  expect(booksOf(msisdn)).toMatchObject([{ reference, status: 'completed' }]);
});

test('a refusal releases the hold', async () => {
  const before = await scene.wallet();
  const answer = await scene.endedTopup(scene.number('002'));
  expect(answer.body.message).toContain('Recipient phone number is not valid');
  expect(await scene.wallet()).toBe(before);
});
