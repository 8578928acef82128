import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { doneLate } from '../../positions/placements.ts';
import { type Answer, partnerClient, wasReplayed } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { stoppedAt } from '../../support/database-locks.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  AIRTIME,
  idOf,
  newKey,
  PACKAGE,
  sale,
  setTopupScene,
  type TopupScene,
} from '../topups/topup-scene.ts';

/** Fifty duplicates of each kind of top-up at once: one effect, one answer. */
let scene: TopupScene;
let products: TopupProducts;
let asPartner: Awaited<ReturnType<typeof partnerClient>>;
beforeAll(async () => {
  scene = await setTopupScene({ CALLER_WAIT_SECONDS: '25' });
  products = await makeTopupProducts(scene.stack, scene.partner);
  asPartner = await partnerClient(scene.stack, scene.partner);
});
afterAll(() => scene?.stack.stop());

const TIMES = 20;

async function twenty(send: () => Promise<Answer>): Promise<Answer> {
  const answers = await Promise.all(Array.from({ length: TIMES }, send));
  const [first] = answers;
  const bodies = new Set(answers.map(({ body }) => JSON.stringify(body)));
  expect([...bodies]).toEqual([JSON.stringify(first?.body)]);
  return first as Answer;
}

test('airtime', async () => {
  const [msisdn, key, before] = [scene.number('050'), newKey(), await scene.wallet()];
  const first = await twenty(() => scene.topup(msisdn, key));
  expect(first.body.data.status).toBe('SUCCESS');
  expect(await scene.wallet()).toBe(before - 50);
  expect(await scene.delivered(msisdn)).toHaveLength(1);
  expect(wasReplayed(await scene.topup(msisdn, key))).toBe(true);
});

test('a package', async () => {
  const [msisdn, key, before] = [scene.number('050'), newKey(), await scene.wallet()];
  const first = await twenty(() =>
    asPartner.post(PACKAGE, { productId: products.ethioPackage, msisdn, ...sale }, key),
  );
  expect(first.body.data.status).toBe('SUCCESS');
  expect(await scene.wallet()).toBe(before - 15);
  expect(await scene.delivered(msisdn)).toHaveLength(1);
});

test('a retry', async () => {
  const transactionId = await scene.failedTopup();
  const [msisdn, key, before] = [scene.number('050'), newKey(), await scene.wallet()];
  const first = await twenty(() => scene.retry(transactionId, msisdn, key));
  expect(first.body.data.status).toBe('SUCCESS');
  expect(await scene.wallet()).toBe(before - 50);
  expect(await scene.delivered(msisdn)).toHaveLength(1);
  expect((await scene.show(transactionId)).attempts).toHaveLength(2);
});

test('one that fails is failed once, and its answer kept', async () => {
  const [msisdn, key, before] = [scene.number('006'), newKey(), await scene.wallet()];
  const first = await twenty(() => scene.topup(msisdn, key));
  expect(first.status).toBe(424);
  expect(await scene.wallet()).toBe(before);
  const again = await scene.topup(msisdn, key);
  expect([again.body, wasReplayed(again)]).toEqual([first.body, true]);
  const other = { amount: 60, msisdn, ...sale };
  expect((await asPartner.post(AIRTIME, other, key)).status).toBe(422);
});

/** A request under a key, as often as it is called. */
const requests: Record<string, () => Promise<() => Promise<Answer>>> = {
  async 'top-up'() {
    const [msisdn, key] = [scene.number('050'), newKey()];
    return () => scene.topup(msisdn, key);
  },
  async retry() {
    const [id, key] = [await scene.failedTopup(), newKey()];
    return () => scene.retry(id, undefined, key);
  },
};

test.each(Object.entries(requests))(
  'the duplicate of a refused %s is refused for the same reason',
  async (_what, arrange) => {
    const { database, api } = scene.stack;
    const send = await arrange();
    const setProducts = (status: 'ACTIVE' | 'INACTIVE') =>
      database.updateTable('products').set({ status }).execute();
    await setProducts('INACTIVE');
    const waits = vi.spyOn(api.services.waits, 'untilSettled');
    const oneWaits = () => until(() => expect(waits).toHaveBeenCalled());
    const answers = await stoppedAt(database, 'products', [send, send], oneWaits);
    waits.mockRestore();
    await setProducts('ACTIVE');
    for (const answer of answers)
      expectRefusal(answer, 'partner', 404, { reason: 'product-not-accessible' });
  },
);

test('a failure that is told again does not invite to retry what was delivered since', async () => {
  const [msisdn, key] = [scene.number('002'), newKey()];
  const first = await scene.topup(msisdn, key);
  expect([first.status, first.body.message]).toEqual([
    424,
    expect.stringMatching(/can be retried/),
  ]);
  const transactionId = idOf(first);
  const operationId = await scene.operationOf(transactionId);
  await doneLate(scene.stack.database, operationId);
  const again = await scene.topup(msisdn, key);
  expect([again.status, wasReplayed(again)]).toEqual([424, true]);
  expect(again.body).toEqual({
    ...first.body,
    data: { ...first.body.data, reason: 'topup-delivered-since' },
    message: expect.stringMatching(
      /^This attempt failed, and the top-up was delivered since: do not/,
    ),
  });
  expect((await scene.retry(transactionId, msisdn, newKey())).status).toBe(409);
});

test('a failure that is told again says that a retry is under way, and that it was delivered', async () => {
  const [msisdn, key] = [scene.number('002'), newKey()];
  const transactionId = idOf(await scene.topup(msisdn, key));
  const retried = scene.number('014');
  const retry = scene.retry(transactionId, retried, newKey());
  await scene.untilStatus(transactionId, 'UNKNOWN');
  const meanwhile = await scene.topup(msisdn, key);
  expect([meanwhile.status, meanwhile.body.message]).toEqual([
    424,
    expect.stringMatching(/^This attempt failed, and another one is being processed/),
  ]);
  await scene.settle(transactionId, 'completed');
  await scene.untilStatus(transactionId, 'SUCCESS');
  const afterwards = await scene.topup(msisdn, key);
  expect([afterwards.status, afterwards.body.message]).toEqual([
    424,
    expect.stringMatching(/delivered since/),
  ]);
  expect((await retry).body.data.status).toBe('SUCCESS');
});

test('a retry that fails after an earlier attempt was delivered late says so at once', async () => {
  const transactionId = await scene.failedTopup();
  const operationId = await scene.operationOf(transactionId);
  const retry = scene.retry(transactionId, scene.number('014'), newKey());
  await scene.untilStatus(transactionId, 'UNKNOWN');
  await doneLate(scene.stack.database, operationId);
  await scene.settle(transactionId, 'failed');
  const answer = await retry;
  expect([answer.status, wasReplayed(answer), answer.body.message]).toEqual([
    424,
    false,
    expect.stringMatching(/^This attempt failed, and the top-up was delivered since: do not/),
  ]);
  expect((await scene.show(transactionId)).status).toBe('SUCCESS');
});

test('the key of one endpoint or partner is another one elsewhere', async () => {
  const key = newKey();
  const msisdn = scene.number('050');
  expect((await scene.topup(msisdn, key)).status).toBe(200);
  const bundle = { productId: products.ethioPackage, msisdn, ...sale };
  const bought = await asPartner.post(PACKAGE, bundle, key);
  expect([bought.status, wasReplayed(bought)]).toEqual([200, false]);
  expect(await scene.delivered(msisdn)).toHaveLength(2);
  const other = await partnerClient(scene.stack, await makePartner(scene.stack));
  expect((await other.post(PACKAGE, bundle, key)).status).toBe(404);
});

test('while the first is processing, duplicates say so; then all get its result', async () => {
  const [msisdn, key, before] = [scene.number('012'), newKey(), await scene.wallet()];
  const answers = await Promise.all(Array.from({ length: 5 }, () => scene.topup(msisdn, key)));
  for (const { status } of answers) expect(status).toBe(200);
  const ids = new Set(answers.map(({ body }) => body.data.transactionId));
  expect(ids.size).toBe(1);
  await scene.untilStatus([...ids][0], 'SUCCESS');
  const final = await scene.topup(msisdn, key);
  expect(final.body.data).toMatchObject({ transactionId: [...ids][0], status: 'SUCCESS' });
  expect(await scene.wallet()).toBe(before - 50);
  expect(await scene.delivered(msisdn)).toHaveLength(1);
});
