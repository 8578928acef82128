import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { providerOf } from '../../../src/db/positions/placements.ts';
import { addRoute } from '../../../src/db/providers.ts';
import type { ProviderName } from '../../../src/domain/providers.ts';
import { dtOneOfSettings } from '../../../src/providers/of-settings.ts';
import type { ProviderFault } from '../../../src/sandbox/faults.ts';
import { commandsOn } from '../../admin/scene.ts';
import { placementsOf } from '../../positions/placements.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { reconciled } from '../faults/reconciled.ts';
import { idOf, setTopupScene, type TopupScene } from './topup-scene.ts';

/** DT One is asked first and Reloadly second, both of the sandbox, with faults of a whole provider. */
let scene: TopupScene;

beforeAll(async () => {
  scene = await setTopupScene({ PAYMENT_INQUIRY_INTERVAL_SECONDS: '1' });
  const always = {
    operator: null,
    partner_id: null,
    merchant_id: null,
    amount_from: null,
    amount_to: null,
  };
  for (const [provider, position] of [
    ['dt-one', 1],
    ['reloadly', 2],
  ] as const)
    await scene.stack.database
      .transaction()
      .execute((transaction) =>
        addRoute(transaction, { kind: 'topup-airtime', provider, position, ...always }),
      );
});
afterAll(() => scene?.stack.stop());

const airtime = { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '50' } as const;

const setFault = async (provider: ProviderName, body: Partial<ProviderFault>) => {
  const url = `${scene.stack.sandbox.url}/faults/${provider}`;
  expect((await call(url, { method: 'PUT', body })).status).toBe(200);
};

beforeEach(async () => {
  await setFault('dt-one', {});
  await setFault('reloadly', {});
});

const attemptsOf = (id: number) =>
  scene.stack.database
    .selectFrom('topup_attempts')
    .select('status')
    .select(providerOf(sql.ref('topup_attempts.operation_id')).as('provider'))
    .where('topup_id', '=', id)
    .execute();

const failoversOf = async (id: number) =>
  (await placementsOf(scene.stack.database, await scene.operationOf(id)))
    .slice(0, -1)
    .map(({ provider }) => provider);

it('a top-up that the first provider did not take is sent once, by the second one', async () => {
  await setFault('dt-one', { answers: 'not-authorised' });
  const msisdn = scene.number('000');
  const answer = await scene.topup(msisdn);
  expect(answer.body).toMatchObject({ success: true, data: { status: 'SUCCESS' } });
  expect(await scene.delivered(msisdn)).toMatchObject([
    { provider: 'reloadly', status: 'completed' },
  ]);
  const id = idOf(answer);
  expect(await attemptsOf(id)).toEqual([{ provider: 'reloadly', status: 'POSTED' }]);
  expect(await failoversOf(id)).toEqual(['dt-one']);

  const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
  const { out } = await operator.admin(`top-up show ${id}`);
  expect(out).toMatch(/was not taken by DT One[\s\S]*was delivered by Reloadly/);

  const { workflow_id } = await scene.stack.database
    .selectFrom('topups')
    .select('workflow_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const handle = scene.stack.temporal.client.workflow.getHandle(workflow_id ?? '');
  await until(async () => {
    const details = await detailsOf(handle);
    expect(details).toMatch(
      /\*\*Delivered\*\*: .+, our reference \S+ at reloadly\. Provider's reference/,
    );
    expect(details).toMatch(/dt-one did nothing: .+\. reloadly was asked next\./);
  });
});

it('a top-up that the first provider delivered after all is asked of it when it calls back', async () => {
  await setFault('dt-one', { answers: 'not-authorised' });
  const msisdn = scene.number('000');
  const id = idOf(await scene.topup(msisdn));
  await setFault('dt-one', {});
  const { reference } = await scene.stack.database
    .selectFrom('topup_attempts')
    .select('reference')
    .where('topup_id', '=', id)
    .executeTakeFirstOrThrow();
  // It answered 401, and let the request through later all the same.
  const order = { reference, msisdn, product: airtime } as const;
  expect(await dtOneOfSettings(scene.stack.config)?.send(order)).toMatchObject({
    kind: 'delivered',
  });
  expect(await scene.delivered(msisdn)).toHaveLength(2);
  const called = await call(`${scene.stack.url}/callbacks/dt-one`, {
    method: 'POST',
    body: { external_id: reference },
  });
  expect(called.status).toBe(200);
  expect(await reconciled(scene.stack)).toContain(
    'Two providers did one order, ETB 50.00, at dt-one',
  );
});

it('a top-up whose outcome at the first provider is unknown is sent by nobody else', async () => {
  await setFault('dt-one', { dropsAnswers: true });
  const msisdn = scene.number('000');
  const answer = scene.topup(msisdn);
  const id = await scene.idOfUnknown(msisdn);
  await setFault('dt-one', {});
  await answer;
  await scene.untilStatus(id, 'SUCCESS');
  expect(await scene.delivered(msisdn)).toMatchObject([{ provider: 'dt-one' }]);
  expect(await failoversOf(id)).toEqual([]);
});

it('a top-up that neither provider takes fails, and its money is back', async () => {
  await setFault('dt-one', { answers: 'not-authorised' });
  await setFault('reloadly', { answers: 'not-authorised' });
  const [msisdn, before] = [scene.number('000'), await scene.wallet()];
  const answer = await scene.topup(msisdn);
  expect(answer.body).toMatchObject({ success: false, data: { status: 'FAILED' } });
  expect(await scene.delivered(msisdn)).toEqual([]);
  expect(await scene.wallet()).toBe(before);
});
