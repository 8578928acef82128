import { afterAll, beforeAll, expect, it } from 'vitest';
import { topupStart } from '../../../src/runtime/temporal/workflow-starts.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { type Commands, commandsOn } from '../../admin/scene.ts';
import { numberSettingsOf } from '../privacy/stored-numbers.ts';
import { idOf, PACKAGE, sale, setTopupScene, type TopupScene } from '../topups/topup-scene.ts';
import { createRepairDesk } from './repair-desk.ts';

/** Retries that are asked for on the command line, and that a worker makes. */
let scene: TopupScene;
let desk: Awaited<ReturnType<typeof createRepairDesk>>;
let commands: Commands;

beforeAll(async () => {
  scene = await setTopupScene({ SUPPORT_RETRY_SIGNAL: 'off', TOPUP_RETRY_WINDOW_SECONDS: '2' });
  desk = await createRepairDesk(scene.stack);
  commands = commandsOn({
    DATABASE_URL: scene.stack.urlFor('operator'),
    ...numberSettingsOf(scene.stack),
  });
});
afterAll(() => scene?.stack.stop());

const retry = (id: number, ...words: string[]) => [
  ...['top-up', 'retry', String(id), '--facts', 'attempt=2', '--why', 'Ticket 4711'],
  ...words,
];

it('makes one more attempt to the number of before', async () => {
  const id = await scene.failedTopup();
  const { repair } = await commands.json(retry(id));
  expect(await desk.ended(repair)).toMatchObject({ state: 'REFUSED' });
  expect((await scene.show(id)).attempts).toHaveLength(2);
  await scene.untilStatus(id, 'FAILED');
});

it('makes it after the workflow has ended, too', async () => {
  const id = await scene.failedTopup();
  await (await scene.workflowOf(id)).result();
  const { repair } = await commands.json(retry(id, '--msisdn', scene.number('000')));
  expect(await desk.ended(repair)).toMatchObject({ state: 'DONE' });
  expect((await scene.show(id)).attempts).toHaveLength(2);
  const audited = await scene.stack.database
    .selectFrom('audit_log')
    .select(['action', 'details'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(audited).toMatchObject({ action: 'retry top up', details: { why: 'Ticket 4711' } });
});

it('is refused from the limit of repairs on', async () => {
  const id = await scene.failedTopup();
  const strict = commandsOn({
    DATABASE_URL: scene.stack.urlFor('operator'),
    ...numberSettingsOf(scene.stack),
    REPAIR_CONFIRM_FROM: '50',
  });
  const { code, err } = await strict.admin(retry(id));
  expect([code, err]).toEqual([1, expect.stringContaining('Two people are needed')]);
  expect((await scene.show(id)).attempts).toHaveLength(1);
});

it('of a package is judged by its price of now', async () => {
  const productId = scene.products.ethioPackage;
  const id = idOf(
    await scene.asPartner.post(PACKAGE, { productId, msisdn: scene.number('002'), ...sale }),
  );
  await scene.untilStatus(id, 'FAILED');
  await scene.stack.database
    .updateTable('products')
    .set({ price_amount: '20000' })
    .where('id', '=', productId)
    .execute();
  const { code, err } = await commands.admin(retry(id));
  expect([code, err]).toEqual([1, expect.stringContaining('Two people are needed')]);
  expect((await scene.show(id)).attempts).toHaveLength(1);
});

it('of a package is not made at a higher price than the second person has seen', async () => {
  const productId = scene.products.ethioPackage;
  const setPrice = (price: string) =>
    scene.stack.database
      .updateTable('products')
      .set({ price_amount: price })
      .where('id', '=', productId)
      .execute();
  await setPrice('20');
  const id = idOf(
    await scene.asPartner.post(PACKAGE, { productId, msisdn: scene.number('002'), ...sale }),
  );
  await scene.untilStatus(id, 'FAILED');
  const asked = await desk.asked('retry-top-up', id, {}, { isByTwo: true });
  await setPrice('21');
  expect(await desk.confirm(asked.id, await desk.staff('SUPERVISOR'))).toBe(true);
  const { state, result } = await desk.ended(asked.id);
  expect([state, result]).toEqual(['REFUSED', expect.stringContaining('It has changed')]);
  expect((await scene.show(id)).attempts).toHaveLength(1);
});

it('is refused for what was delivered', async () => {
  const id = idOf(await scene.topup(scene.number('000')));
  await scene.untilStatus(id, 'SUCCESS');
  const again = await commands.admin(retry(id));
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('It was delivered')]);
});

it('is refused for what is not there', async () => {
  const { code, err } = await commands.admin(retry(2_000_000_000));
  expect([code, err]).toEqual([1, expect.stringContaining('There is no top-up 2000000000')]);
});

it('is no authority for another attempt, number or top-up', async () => {
  const id = await scene.failedTopup();
  const other = await scene.failedTopup();
  const { temporal, config } = scene.stack;
  const asked = await desk.asked('retry-top-up', id, {}, { isByTwo: true });
  await running(asked.id);
  const before = await scene.wallet();
  const wrong = [
    { transactionId: other, attempt: 2, msisdn: null },
    { transactionId: id, attempt: 3, msisdn: null },
    { transactionId: id, attempt: 2, msisdn: scene.number('000') },
  ];
  for (const [index, retried] of wrong.entries()) {
    const command = {
      operationId: `${index}`.padStart(32, 'f'),
      requestId: '9b2cf6ba-6c92-4b7e-8d7c-0a8a4c3c1d11',
      requestDigest: 'digest',
      company: { kind: 'partner', id: scene.partner.id, credential: { repairId: asked.id } },
      ...retried,
    } as const;
    const { workflow, options } = topupStart(await scene.operationOf(retried.transactionId), {
      begin: { kind: 'retry', command },
      timing: { ...workflowTiming(config), retryWindowMs: 1 },
    });
    const handle = await temporal.client.workflow.start(workflow, {
      ...options,
      workflowId: `copy-${index}`,
      taskQueue: config.temporal.temporalTaskQueue,
    });
    expect(await handle.result()).toEqual({ ended: 'failed', attempts: 1 });
  }
  expect(await scene.wallet()).toBe(before);
});

/** A repair that has its authority, and that no workflow carries out: it began a moment ago. */
const running = (id: number) =>
  scene.stack.database
    .updateTable('repairs')
    .set({
      state: 'RUNNING',
      needs_confirmation: false,
      changed_at: new Date(Date.now() + 3_600_000),
    })
    .where('id', '=', id)
    .execute();
