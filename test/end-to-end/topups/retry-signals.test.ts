import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { AIRTIME, idOf, sale, setTopupScene, type TopupScene } from './topup-scene.ts';

/** Retries of one run: as many as there are, and by the signal, which keeps to the limit of repairs. */
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

it('the signal makes one more attempt below the limit', async () => {
  const id = await failed(49.99);
  await (await scene.workflowOf(id)).signal('retry');
  await until(async () => expect((await scene.show(id)).attempts).toHaveLength(2));
  await scene.untilStatus(id, 'FAILED');
});

it('the signal from the limit on is refused with the way of two people, and others may still retry', async () => {
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

it('the signal makes the next attempt where the run began for one that was made before', async () => {
  const id = await failed(49.99);
  expect((await scene.retry(id)).status).toBe(424);
  await (await scene.workflowOf(id)).terminate('lost');
  await scene.startAgain(id);
  const handle = await scene.workflowOf(id);
  await until(async () => expect(await detailsOf(handle)).toContain('**The retry was refused**'));
  // It takes signals once it waits: the pause before that is the first one.
  await until(async () => expect(await scene.pausesOf(id)).toHaveLength(2));
  await handle.signal('retry');
  await until(async () => expect((await scene.show(id)).attempts).toHaveLength(3));
  await scene.untilStatus(id, 'FAILED');
});

it('retries are made however many there are, and no run is ended for what it has become', async () => {
  const id = await failed(49.99);
  const workflowId = await scene.workflowIdOf(id);
  const runOf = (runId?: string) =>
    scene.stack.temporal.client.workflow.getHandle(workflowId, runId).describe();
  const runs = new Set<string>();
  // More references than a search attribute of Temporal can have.
  for (let made = 0; made < 60; made += 1) {
    expect((await scene.retry(id)).status).toBe(424);
    runs.add((await runOf()).runId);
  }
  expect((await scene.show(id)).attempts).toHaveLength(61);
  const statuses = (await Promise.all([...runs].map(runOf))).map(({ status }) => status.name);
  expect(['COMPLETED', 'RUNNING']).toContain(statuses.pop());
  expect(new Set(statuses)).toEqual(new Set(['COMPLETED']));
});
