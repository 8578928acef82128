import { afterAll, beforeAll, expect, it } from 'vitest';
import { topUpStart } from '../../../src/runtime/temporal/workflow-starts.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { type Commands, commandsOn } from '../../admin/scene.ts';
import { until } from '../../support/until.ts';
import { numberSettingsOf } from '../privacy/stored-numbers.ts';
import { idOf, PACKAGE, sale, setTopupScene, type TopupScene } from './topup-scene.ts';

/** Retries that an operator writes into the database, and a worker carries out. */
let scene: TopupScene;
let commands: Commands;

beforeAll(async () => {
  scene = await setTopupScene({ SUPPORT_RETRY_SIGNAL: 'off', TOPUP_RETRY_WINDOW_SECONDS: '2' });
  commands = commandsOn({
    DATABASE_URL: scene.stack.urlFor('operator'),
    ...numberSettingsOf(scene.stack),
  });
});
afterAll(() => scene?.stack.stop());

const retry = (id: number, ...words: string[]) =>
  commands.admin(['retry', 'top-up', String(id), '--note', 'ticket 4711', ...words]);

it('makes one more attempt to the number of before', async () => {
  const id = await scene.failedTopUp();
  const { code, out, err } = await retry(id);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Attempt 2 of top-up ${id}`);
  await until(async () => expect((await scene.show(id)).attempts).toHaveLength(2));
  await scene.untilStatus(id, 'FAILED');
});

/** What operators have asked of workers. */
const commandsTo = (id: number) =>
  scene.stack.database
    .selectFrom('operator_commands')
    .select(['attempt', 'msisdn'])
    .where('topup_id', '=', id)
    .execute();

it('makes it after the workflow has ended, too', async () => {
  const id = await scene.failedTopUp();
  await (await scene.workflowOf(id)).result();
  expect((await retry(id)).code).toBe(0);
  await until(async () => expect((await scene.show(id)).attempts).toHaveLength(2));
  const audited = await scene.stack.database
    .selectFrom('audit_log')
    .select(['action', 'details'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(audited).toMatchObject({
    action: 'retry top-up',
    details: { topUp: id, attempt: 2, note: 'ticket 4711' },
  });
  await scene.untilStatus(id, 'FAILED');
});

it('is a repair to another number, and above the limit of repairs', async () => {
  const id = await scene.failedTopUp();
  const number = scene.number('000');
  const other = await retry(id, '--msisdn', number);
  expect([other.code, other.err]).toEqual([
    1,
    expect.stringContaining(`"repair retry-top-up ${id} --msisdn … --why …"`),
  ]);
  expect(other.err).not.toContain(number.slice(4));
  const strict = commandsOn({
    DATABASE_URL: scene.stack.urlFor('operator'),
    ...numberSettingsOf(scene.stack),
    REPAIR_CONFIRM_FROM: '50',
  });
  const large = await strict.admin(['retry', 'top-up', String(id), '--note', 'ticket 4711']);
  expect([large.code, large.err]).toEqual([
    1,
    expect.stringContaining('/support for the repair retry-top-up ("Retry the top-up")'),
  ]);
  expect(await commandsTo(id)).toEqual([]);
});

it('of a package is judged by its price of now, also as a repair', async () => {
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
  const above = expect.stringContaining(
    'It is about ETB 20,000.00 and reaches REPAIR_CONFIRM_FROM',
  );
  const dear = await retry(id);
  expect([dear.code, dear.err]).toEqual([1, above]);
  const repair = ['repair', 'retry-top-up', String(id), '--why', 'Ticket 4711'];
  const asked = await commands.admin(repair);
  expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('Two people are needed')]);
  expect(await commandsTo(id)).toEqual([]);
});

it('is refused for what was delivered', async () => {
  const id = idOf(await scene.topUp(scene.number('000')));
  await scene.untilStatus(id, 'SUCCESS');
  const again = await retry(id);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('it is SUCCESS')]);
});

it('is refused for what is not there', async () => {
  const { code, err } = await retry(2_000_000_000);
  expect([code, err]).toEqual([1, expect.stringContaining('There is no top-up 2000000000')]);
});

it('is no authority for another attempt, number or top-up', async () => {
  const id = await scene.failedTopUp();
  const other = await scene.failedTopUp();
  const { database, temporal, config } = scene.stack;
  const { id: commandId } = await database
    .insertInto('operator_commands')
    .values({
      actor: 'operator',
      kind: 'retry-topup',
      topup_id: id,
      attempt: 3,
      msisdn: null,
      taken_at: new Date(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const before = await scene.wallet();
  for (const transactionId of [id, other]) {
    const command = {
      operationId: `${transactionId}`.padStart(32, 'f'),
      requestId: '9b2cf6ba-6c92-4b7e-8d7c-0a8a4c3c1d11',
      requestDigest: 'digest',
      company: {
        kind: 'partner',
        id: scene.partner.id,
        credential: { operatorCommandId: Number(commandId) },
      },
      transactionId,
      attempt: 2,
      msisdn: scene.number('000'),
    } as const;
    const start = topUpStart(await scene.operationOf(transactionId), {
      begin: { kind: 'retry', command },
      timing: { ...workflowTiming(config), retryWindowMs: 1 },
    });
    const handle = await temporal.client.workflow.start('topUp', {
      ...start,
      workflowId: `copy-${transactionId}`,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
    });
    expect(await handle.result()).toEqual({ ended: 'failed', attempts: 1 });
  }
  expect(await scene.wallet()).toBe(before);
});
