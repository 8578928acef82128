import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { AIRTIME, idOf, sale, setTopupScene, type TopupScene } from './topup-scene.ts';

/** The signal `retry`, which anybody with access to Temporal can send, keeps to the limit of repairs. */
let scene: TopupScene;

beforeAll(async () => {
  scene = await setTopupScene({ REPAIR_CONFIRM_FROM: '50' });
});
afterAll(() => scene?.stack.stop());

async function failed(amount: number): Promise<number> {
  const id = idOf(
    await scene.asPartner.post(AIRTIME, { amount, msisdn: scene.number('002'), ...sale }),
  );
  await scene.untilStatus(id, 'FAILED');
  return id;
}

it('makes one more attempt below the limit', async () => {
  const id = await failed(49.99);
  await (await scene.workflowOf(id)).signal('retry');
  await until(async () => expect((await scene.show(id)).attempts).toHaveLength(2));
  await scene.untilStatus(id, 'FAILED');
});

it('from the limit on is refused with the way of two people, and others may still retry', async () => {
  const id = await failed(50);
  const before = await scene.wallet();
  const handle = await scene.workflowOf(id);
  await handle.signal('retry');
  await until(async () =>
    expect(await detailsOf(handle)).toMatch(
      /The retry was refused.*REPAIR_CONFIRM_FROM.*\/support/s,
    ),
  );
  expect(await scene.wallet()).toBe(before);
  expect((await scene.show(id)).attempts).toHaveLength(1);
  await scene.retry(id, scene.number('002'));
  await until(async () => expect((await scene.show(id)).attempts).toHaveLength(2));
  await scene.untilStatus(id, 'FAILED');
});
