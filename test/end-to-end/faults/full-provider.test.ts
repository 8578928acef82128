import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { CLAIM, type Gift, type GiftScene, setGiftScene } from '../gift/gift-scene.ts';
import { type CuttableWay, makeCuttableWay } from './provider-outage.ts';

/** A provider with one place, at which a call hangs: the next one waits in vain for its turn. */
let scene: GiftScene;
let way: CuttableWay;
beforeAll(async () => {
  way = await makeCuttableWay();
  scene = await setGiftScene({
    SMS_URL: `${way.url}/africas-talking`,
    PROVIDER_CALLS: '1',
    CALLER_WAIT_SECONDS: '20',
  });
  way.setTarget(scene.stack.sandbox.url);
});
afterAll(async () => {
  await scene?.stop();
  await way?.close();
});

const claim = ({ id, voucherCode }: Gift) =>
  scene.asMerchant.post(CLAIM, { idempotencyKey: `claim-${id}`, voucherCode });

/** The activities of a claim's workflow, without those that run within its tasks. */
async function stepsOf({ id }: Gift): Promise<string[]> {
  const { database, temporal } = scene.stack;
  const { workflow_id: workflowId } = await database
    .selectFrom('voucher_claims')
    .select('workflow_id')
    .where('voucher_id', '=', id)
    .executeTakeFirstOrThrow();
  const { events } = await temporal.client.workflow.getHandle(workflowId ?? '').fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: step }) => step?.activityType?.name ?? [],
  );
}

test('a claim that waits for a place in vain is refused in its first step', async () => {
  const [hanging, waiting] = [await scene.gift(), await scene.gift()];
  way.hang();
  const hung = claim(hanging);
  await until(async () => expect(await stepsOf(hanging)).toEqual(['sendMessage']));

  expect((await claim(waiting)).body.statusCode).toBe(5003);
  expect(await stepsOf(waiting)).toEqual([]);

  way.flow();
  expect((await hung).status).toBe(200);
});
