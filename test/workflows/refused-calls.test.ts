import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  generateBulkId,
  redeemVoucherWithoutClaimId,
  resendMessageId,
} from '../../workflows/workflow-ids.ts';
import { newOwner } from '../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  setRedemptionScene,
} from '../end-to-end/gift/redemption-scene.ts';
import { setTopupScene, type TopupScene } from '../end-to-end/topups/topup-scene.ts';
import { breakStatement, hideTable } from '../support/database-faults.ts';
import { until } from '../support/until.ts';
import { callsPerson } from './called-person.ts';
import { detailsOf } from './details-of.ts';
import { ended } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/**
 * Calls to providers and the look at a case, of which the database refuses a step: each calls a person,
 * and goes on when the right is there, and nothing is done twice. Recorded like those of
 * scenarios.test.ts.
 */
const settings = { PAYLOAD_KEYS: TEST_PAYLOAD_KEYS, CALLER_WAIT_SECONDS: '20' };
const NOTICE = '**The database refuses a step of this workflow, and a person is needed**';
const CALL_NOTICE = '**The database refuses a step of the call, and a person is needed**';
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

const handleIn = ({ stack }: Pick<RedemptionScene, 'stack'>, workflowId: string) =>
  stack.temporal.client.workflow.getHandle(workflowId);
type Handle = ReturnType<typeof handleIn>;

async function untilPersonIsCalled(handle: Handle, notice: string): Promise<void> {
  await until(async () => expect(await callsPerson(handle)).toBe(true));
  expect(await detailsOf(handle)).toContain(notice);
}

async function expectNobodyNeeded(handle: Handle): Promise<void> {
  expect(await callsPerson(handle)).toBe(false);
  expect(await detailsOf(handle)).not.toContain('The database refuses');
}

describe('a payment', () => {
  it('that was made stays on hold until the provider is asked, and is made once', async () => {
    const { database, sandbox } = gifts.stack;
    const { merchant, client } = await gifts.payee('partner', { payoutSuffix: '008' });
    const mend = await breakStatement(database, {
      table: 'placements',
      on: 'update',
      when: 'new.silent_since is not null and old.silent_since is null',
      code: '42501',
    });
    const gift = await gifts.gift({ owner: null, merchant });
    const redeeming = redeem(client, gift);
    await gifts.untilPaidTo(merchant);
    // From now on the provider refuses every call without doing it, as it would a repetition.
    sandbox.faults.set('gsma', { ...sandbox.faults.of('gsma'), answers: 'not-authorised' });
    const { operation_id } = await database
      .selectFrom('vouchers')
      .select('operation_id')
      .where('id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const handle = handleIn(gifts, redeemVoucherWithoutClaimId(operation_id));
    await untilPersonIsCalled(handle, CALL_NOTICE);
    expect(await gifts.transfersOf(gift)).toEqual(['hold 100.00']);
    await mend();
    // The provider still does not say it, which needs nobody yet.
    await until(async () => expectNobodyNeeded(handle));
    sandbox.faults.clear();
    await handle.signal('providerNudge');
    expect((await redeeming).status).toBe(200);
    expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await ended(gifts.stack, handle.workflowId, 'payment-refused-by-database')).toEqual({
      ended: 'redeemed',
    });
    expect(await detailsOf(handle)).toMatch(/^\*\*Paid\*\*/);
  });
});

describe('a top-up', () => {
  it('whose outcome cannot be asked for', async () => {
    const mend = await hideTable(topups.stack.database, 'repairs');
    const id = await topups.openTopup();
    const handle = await topups.workflowOf(id);
    const { runId } = await handle.describe();
    await untilPersonIsCalled(handle, CALL_NOTICE);
    await mend();
    await until(async () => expectNobodyNeeded(handle));
    await topups.settle(id, 'completed');
    await handle.signal('providerNudge');
    await topups.untilStatus(id, 'SUCCESS');
    expect(await ended(topups.stack, handle.workflowId, undefined, runId)).toEqual({
      ended: 'delivered',
      attempts: 1,
    });
  });
});

describe('a message', () => {
  it('with a code, that is sent again', async () => {
    const { database } = gifts.stack;
    const gift = await gifts.gift();
    await gifts.claimed(gifts.asMerchant, gift);
    const mend = await breakStatement(database, {
      table: 'messages',
      on: 'update',
      when: "new.status = 'SENDING'",
      code: '42501',
    });
    const sending = gifts.asPartner.post(`/vouchers/${gift.id}/resend`, {});
    const { id } = await until(() =>
      database
        .selectFrom('operations')
        .select('id')
        .where('kind', '=', 'resend-message')
        .executeTakeFirstOrThrow(),
    );
    const handle = handleIn(gifts, resendMessageId(id));
    await untilPersonIsCalled(handle, NOTICE);
    await mend();
    expect((await sending).status).toBe(200);
    expect(gifts.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(2);
    expect(
      await ended(gifts.stack, handle.workflowId, 'message-refused-by-database'),
    ).toMatchObject({ result: { ok: true } });
    await expectNobodyNeeded(handle);
  });
});

it('a case that nobody can read is found', async () => {
  const { database, config, temporal } = topups.stack;
  const mend = await hideTable(database, 'cases');
  const workflowId = `case-${randomUUID()}`;
  const handle = await temporal.client.workflow.start('followCase', {
    workflowId,
    taskQueue: config.temporal.temporalTaskQueue,
    args: [{ name: { kind: 'case', id: 2_000_000_000 }, intervalMs: 600_000 }],
  });
  await untilPersonIsCalled(handle, NOTICE);
  await mend();
  await handle.signal('lookAgain');
  expect(await ended(topups.stack, workflowId, 'follow-case-refused-by-database')).toEqual({
    ended: 'settled',
  });
  await expectNobodyNeeded(handle);
});

it('a bulk order whose lines cannot be booked', async () => {
  const { database } = gifts.stack;
  const mend = await breakStatement(database, {
    table: 'bulk_orders',
    on: 'update',
    code: '42501',
  });
  const { body } = await gifts.asPartner.post('/vouchers/bulk', {
    lines: [
      {
        denominationId: gifts.partner.denominations[100],
        merchantId: gifts.merchant.id,
        msisdn: newOwner(),
        reference: randomUUID(),
      },
    ],
  });
  const { id } = body.data.bulkOrder;
  const { operation_id } = await database
    .selectFrom('bulk_orders')
    .select('operation_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const handle = handleIn(gifts, generateBulkId(id, operation_id));
  await untilPersonIsCalled(handle, NOTICE);
  await mend();
  expect(await ended(gifts.stack, handle.workflowId)).toEqual({
    lines: 1,
    generated: 1,
    refused: 0,
    cancelled: 0,
  });
  await expectNobodyNeeded(handle);
});
