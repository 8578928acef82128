import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLAIM, type Client, done } from '../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../end-to-end/gift/redemption-scene.ts';
import { setTopupScene, type TopupScene } from '../end-to-end/topups/topup-scene.ts';
import { doneLate } from '../positions/placements.ts';
import { newestCode } from '../support/clients.ts';
import { breakStatement, hideTable } from '../support/database-faults.ts';
import { until } from '../support/until.ts';
import { callsPerson } from './called-person.ts';
import { detailsOf } from './details-of.ts';
import { ended } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/**
 * Small steps that the database refuses for lack of a right: each calls a person, keeps nothing else
 * waiting, and goes on when the right is there. Recorded like those of scenarios.test.ts.
 */
const settings = { PAYLOAD_KEYS: TEST_PAYLOAD_KEYS, CALLER_WAIT_SECONDS: '20' };
const NOTICE = '**The database refuses a step of this workflow, and a person is needed**';
let gifts: RedemptionScene;
let topups: TopupScene;

beforeAll(async () => {
  gifts = await setRedemptionScene(settings);
  topups = await setTopupScene({ ...settings, TOPUP_RETRY_WINDOW_SECONDS: '5' });
});
afterAll(async () => {
  await gifts?.stop();
  await topups?.stack.stop();
});

it('the answer of a claim', async () => {
  const { database, temporal } = gifts.stack;
  const mend = await breakStatement(database, {
    table: 'operations',
    on: 'update',
    when: "new.kind = 'initiate-claim' and new.status = 'SUCCEEDED'",
    code: '42501',
  });
  const gift = await gifts.gift();
  const client: Client = gifts.asMerchant;
  const claiming = client.post(CLAIM, { voucherCode: gift.voucherCode });
  const { workflow_id } = await until(() =>
    database
      .selectFrom('voucher_claims')
      .select('workflow_id')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow(),
  );
  const handle = temporal.client.workflow.getHandle(workflow_id ?? '');
  await until(async () => expect(await callsPerson(handle)).toBe(true));
  expect(await detailsOf(handle)).toContain(NOTICE);
  await mend();
  expect((await claiming).status).toBe(200);
  expect(await detailsOf(handle)).toMatch(/^\*\*Claimed\*\*/);
  expect(await callsPerson(handle)).toBe(false);
  // One code was sent, however often the step was tried.
  const { messages } = await database
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  expect(Number(messages)).toBe(1);
  const verificationCode = await newestCode(gifts.stack, gift.owner ?? '');
  done(await redeem(client, gift, { verificationCode }));
  expect(await ended(gifts.stack, handle.workflowId, 'claim-answer-refused-by-database')).toEqual({
    ended: 'redeemed',
  });
});

it('the answer of a retry that another one forestalled; the money goes on', async () => {
  const id = await topups.failedTopup();
  const mend = await breakStatement(topups.stack.database, {
    table: 'topup_retries',
    on: 'delete',
    code: '42501',
  });
  const handle = await topups.workflowOf(id);
  const answers = topups.atTheSameMoment(
    id,
    [topups.number('000'), topups.number('000')].map((msisdn) => () => topups.retry(id, msisdn)),
  );
  // The other retry is delivered and booked meanwhile.
  await topups.untilStatus(id, 'SUCCESS');
  await until(async () => expect(await callsPerson(handle)).toBe(true));
  expect(await detailsOf(handle)).toContain(NOTICE);
  expect(await detailsOf(handle)).toContain(`**Delivered**: top-up ${id}`);
  await mend();
  expect((await answers).map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await ended(topups.stack, handle.workflowId, 'top-up-answer-refused-by-database')).toEqual(
    { ended: 'delivered', attempts: 2 },
  );
  expect(await detailsOf(handle)).toMatch(/^\*\*Delivered\*\*/);
  expect(await callsPerson(handle)).toBe(false);
  expect(await topups.runningOperations()).toEqual([]);
});

it('the look at a top-up that was delivered late', async () => {
  const { database } = topups.stack;
  const id = await topups.failedTopup();
  const operationId = await topups.operationOf(id);
  const handle = await topups.workflowOf(id);
  await doneLate(database, operationId);
  const mend = await hideTable(database, 'topups');
  await handle.signal('providerNudge');
  await until(async () => expect(await callsPerson(handle)).toBe(true));
  expect(await detailsOf(handle)).toContain(NOTICE);
  await mend();
  expect(await ended(topups.stack, handle.workflowId)).toEqual({
    ended: 'delivered',
    attempts: 1,
  });
  expect(await detailsOf(handle)).not.toContain(NOTICE);
  expect(await callsPerson(handle)).toBe(false);
});
