import { Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import * as searchAttributes from '../../../workflows/search-attributes.ts';
import { checkBooksId, expireVouchersId, reconcileId } from '../../../workflows/workflow-ids.ts';
import { startOwnTemporal } from '../../harness/own-temporal.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';

const SOON = {
  TEMPORAL_UPKEEP_SECONDS: '0.3',
  RECONCILE_INTERVAL_SECONDS: '2',
  CALLER_WAIT_SECONDS: '8',
};

const namesOf = (taskQueue: string) =>
  [expireVouchersId, reconcileId, checkBooksId].map((idOf) => idOf(taskQueue));

/** A voucher whose redemption waits for its provider; its caller was told to ask again. */
async function heldRedemption(scene: RedemptionScene) {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
  const gift = await scene.gift({ merchant });
  const verificationCode = await scene.claimed(client, gift);
  const answer = await redeem(client, gift, { verificationCode });
  expect(answer.body.statusCode).toBe(4092);
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_PROCESSING' });
  return { merchant, gift };
}

it('Schedules that were deleted come back', async () => {
  const scene = await setRedemptionScene(SOON);
  const { client } = scene.stack.temporal;
  const handles = namesOf(scene.stack.config.temporal.temporalTaskQueue).map((id) =>
    client.schedule.getHandle(id),
  );
  const { gift, merchant } = await heldRedemption(scene);
  await Promise.all(handles.map((handle) => handle.delete()));
  await until(() => Promise.all(handles.map((handle) => handle.describe())));
  await scene.settlePayout(merchant, 'completed');
  await scene.untilStatus(gift, 'REDEEMED');
  await scene.stop();
});

it('a redemption is finished although Temporal lost everything while the service ran', async () => {
  const temporal = await startOwnTemporal();
  const scene = await setRedemptionScene({ ...SOON, TEMPORAL_ADDRESS: temporal.address });
  const { gift, merchant } = await heldRedemption(scene);
  await temporal.kill();
  const health = () => call(`${scene.stack.url}/health/ready`);
  await until(async () =>
    expect(await health()).toMatchObject({
      status: 200,
      body: {
        status: 'up',
        checks: { database: { status: 'up' }, temporal: { status: 'down' } },
      },
    }),
  );
  await temporal.startAgain('empty');

  await scene.settlePayout(merchant, 'completed');
  await until(async () => expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' }));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);

  const connection = await Connection.connect({ address: temporal.address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({
    namespace: 'default',
  });
  expect(Object.keys(customAttributes ?? {})).toEqual(
    expect.arrayContaining(Object.values(searchAttributes).map(({ name }) => name)),
  );
  await connection.close();
  // What is asked for now is done as ever.
  await until(async () => expect((await health()).status).toBe(200));
  await scene.redeemed(scene.asMerchant, await scene.gift());
  await scene.stop();
  await temporal.stop();
});
