import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/clients.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { makeCuttableWay } from '../faults/provider-outage.ts';
import { idOf, newKey, setTopupScene, type TopupScene } from './topup-scene.ts';

/** Faults of top-ups that were found once and must not come back. */
let scene: TopupScene;
let way: Awaited<ReturnType<typeof makeCuttableWay>>;
beforeAll(async () => {
  way = await makeCuttableWay();
  scene = await setTopupScene({
    CALLER_WAIT_SECONDS: '1',
    AIRTIME_URL: `${way.url}/dt-one/v1`,
    MOBILE_PREFIXES: 'ETHIO_TELECOM=0791',
  });
  way.setTarget(scene.stack.sandbox.url);
});
afterAll(async () => {
  await scene?.stack.stop();
  await way?.cut();
});

/** How many calls to the provider a top-up's newest workflow has made. */
const callsOf = async (id: number): Promise<number> =>
  (await scene.eventsOf(id)).filter((event) => event.activityTaskCompletedEventAttributes).length;

it('a number of a prefix that a setting adds is topped up by its operator, and no other', async () => {
  const added = await scene.endedTopup('0791000000');
  expect(added).toMatchObject({ status: 200, body: { data: { status: 'SUCCESS' } } });
  expect(await scene.delivered('+251791000000')).toMatchObject([{ status: 'completed' }]);
  expect((await scene.topup('0792000000', newKey())).status).toBe(400);
});

it('a lost workflow asks before it gives up: what the provider delivered is not given back', async () => {
  const msisdn = scene.number('014');
  const headers = newKey();
  const before = await scene.wallet();
  const id = idOf(await scene.topup(msisdn, headers));
  await scene.untilStatus(id, 'UNKNOWN');
  await (await scene.workflowOf(id)).terminate('lost');
  await scene.settle(id, 'completed');

  await way.cut();
  const repeated = await scene.topup(msisdn, headers);
  // Long enough for three calls that provably do not arrive.
  await until(async () => expect(await callsOf(id)).toBeGreaterThanOrEqual(3));
  await way.restore();
  expect([repeated.status, idOf(repeated)]).toEqual([200, id]);
  expect(repeated.body.data.status).toBeUndefined();
  await scene.untilStatus(id, 'SUCCESS');
  expect((await scene.show(id)).attempts).toMatchObject([{ status: 'SUCCESS' }]);
  expect(await scene.wallet()).toBe(before - 50);
  expect(await scene.delivered(msisdn)).toHaveLength(1);
});

describe('retries', () => {
  it('wanted while the outcome is unknown are not kept for later', async () => {
    const id = await scene.openTopup();
    await (await scene.workflowOf(id)).signal('retry');
    await scene.settle(id, 'failed');
    await scene.untilStatus(id, 'FAILED');
    // It waits for a retry, for as long as the window is open: nothing else is that long.
    const { topupRetryWindowSeconds: window } = scene.stack.config.topups;
    await until(async () => expect((await scene.pausesOf(id)).at(-1)).toBe(window));
    expect((await scene.show(id)).attempts).toMatchObject([{ status: 'FAILED' }]);
  });

  it('at once to different numbers: one is made, the other refused', async () => {
    const id = await scene.failedTopup();
    const targets = [scene.number('200'), scene.number('200')];
    const requests = targets.map((msisdn) => {
      const headers = newKey();
      return () => scene.retry(id, msisdn, headers);
    });
    await scene.atTheSameMoment(id, requests);
    // Callers wait a short time only: either may first be told as accepted.
    await until(async () => expect(await scene.runningOperations()).toEqual([]));
    const answers = await Promise.all(requests.map((request) => request()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await scene.show(id)).attempts).toHaveLength(2);
    for (const [index, msisdn] of targets.entries())
      expect(await scene.delivered(msisdn)).toHaveLength(answers[index]?.status === 200 ? 1 : 0);
  });

  it.each([
    ['both to another number', () => Array<string>(2).fill(scene.number('202'))],
    ['both to the same number, which one of them names', (failed: string) => [failed, undefined]],
  ])('that joined another one find its answer under their own keys: %s', async (_, targetsOf) => {
    const failed = scene.number('002');
    const id = await scene.failedTopup(failed);
    const requests = targetsOf(failed).map((msisdn) => {
      const headers = newKey();
      return () => scene.retry(id, msisdn, headers);
    });
    await scene.atTheSameMoment(id, requests);
    // Callers wait a short time only: the first answers may be that it is under way.
    await until(async () => {
      const { status, attempts } = await scene.show(id);
      expect([status, attempts.length]).toEqual(['FAILED', 2]);
    });
    const answers = await Promise.all(requests.map((request) => request()));
    expect(answers.map(({ status }) => status)).toEqual([424, 424]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    for (const { headers } of answers) expect(headers.get('idempotent-replayed')).toBe('true');
    expect((await scene.show(id)).attempts).toHaveLength(2);
  });

  it('repeated under their own key while they run join themselves', async () => {
    const id = await scene.failedTopup();
    const msisdn = scene.number('014');
    const headers = newKey();
    const first = await scene.retry(id, msisdn, headers);
    expect(first.status).toBe(200);
    const again = await scene.retry(id, msisdn, headers);
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    await scene.settle(id, 'completed');
    await scene.untilStatus(id, 'SUCCESS');
    expect((await scene.retry(id, msisdn, headers)).body.data.status).toBe('SUCCESS');
    expect((await scene.show(id)).attempts).toHaveLength(2);
  });

  it('of airtime use the product that has replaced the one of the attempt before', async () => {
    const id = await scene.failedTopup();
    const { database } = scene.stack;
    const products = database.updateTable('products').where('kind', '=', 'AIRTIME');
    await products.set({ status: 'INACTIVE' }).execute();
    await makeTopupProducts(scene.stack, scene.partner);
    expect((await scene.retry(id, scene.number('050'))).status).toBe(200);
    await scene.untilStatus(id, 'SUCCESS');
  });

  it('that deliver end the workflow at once', async () => {
    const id = await scene.failedTopup();
    expect((await scene.retry(id, scene.number('000'))).status).toBe(200);
    const result = await (await scene.workflowOf(id)).result();
    expect(result).toEqual({ ended: 'delivered', attempts: 2 });
  });
});

it('a flood of callbacks neither fills the history of a top-up nor delays its inquiries', async () => {
  const id = await scene.openTopup();
  const { ourReference } = (await scene.show(id)).attempts[0];
  const before = (await scene.eventsOf(id)).length;
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      call(`${scene.stack.url}/callbacks/airtime`, { body: { external_id: ourReference } }),
    ),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  const events = await scene.eventsOf(id);
  const nudges = events.filter((event) => event.workflowExecutionSignaledEventAttributes);
  expect(nudges.length).toBeLessThanOrEqual(20);
  // A signal and a workflow task that follows it are four events, an inquiry is some more.
  expect(events.length - before).toBeLessThan(200);
  await scene.settle(id, 'completed');
  await scene.untilStatus(id, 'SUCCESS');
  // A pause that is over doubles the next one, and a callback does not.
  const over = (await scene.eventsOf(id)).filter((event) => event.timerFiredEventAttributes).length;
  const { paymentInquiryIntervalSeconds: interval, paymentAlarmSeconds } =
    scene.stack.config.topups;
  const pauses = (await scene.pausesOf(id)).filter((seconds) => seconds !== paymentAlarmSeconds);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(interval * 2 ** over);
});
