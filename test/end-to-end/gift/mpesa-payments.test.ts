import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMpesaResult, mpesaResultsIn } from '../../../src/db/reconciliation.ts';
import type { FailpointName } from '../../../src/runtime/process/failpoint.ts';
import { askNow, atProvider } from '../../positions/placements.ts';
import { makeSpoilingWay, type Spoil } from '../../support/spoiling-way.ts';
import { until } from '../../support/until.ts';
import { reconciled } from '../faults/reconciled.ts';
import { CLAIM, type Gift } from './gift-scene.ts';
import {
  type RedemptionScene,
  redeem,
  redeemToEnd,
  setRedemptionScene,
} from './redemption-scene.ts';

/** Every payment of this service goes through M-Pesa, whose results arrive by callbacks only. */
const SECRET = 'results-of-the-sandbox';

let scene: RedemptionScene;
let toService: Awaited<ReturnType<typeof makeSpoilingWay>>;
/** The failpoint that fails once. */
let failing: FailpointName | undefined;
beforeAll(async () => {
  toService = await makeSpoilingWay();
  scene = await setRedemptionScene(
    {
      MOBILE_MONEY_PROVIDER: 'mpesa',
      CALLBACK_URL: `${toService.url}/callbacks`,
      PROVIDER_TIMEOUT_SECONDS: '3',
      // Two outcomes stay open.
      CALLER_WAIT_SECONDS: '2',
    },
    {
      failpoint: async (name) => {
        if (name !== failing) return;
        failing = undefined;
        throw new Error(`Failed at ${name}`);
      },
    },
  );
  toService.setTarget(scene.stack.url);
});
afterAll(async () => {
  await scene?.stop();
  await toService?.close();
});

const payoutsOf = async (gift: Gift) => {
  const { payment_reference: reference } = await rowOf(gift);
  return scene.stack.sandbox.books.payouts({ reference });
};

const rowOf = (gift: Gift) =>
  scene.stack.database
    .selectFrom('redemptions')
    .select(['status', 'payment_reference', 'is_done'])
    .select(atProvider('redemptions.operation_id'))
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();

describe('a payment of whole birr that M-Pesa', () => {
  test.concurrent.each([
    ['pays', '000'],
    ['pays, then drops the connection', '008'],
    ['tells of before it answers', '010'],
    ['never tells of', '012'],
  ])('%s is made once', async (_what, payoutSuffix) => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
    const gift = await scene.gift({ merchant });
    await scene.redeemed(client, gift, { amount: 40 });
    expect(await payoutsOf(gift)).toMatchObject([
      { provider: 'mpesa', amount: '40.00', status: 'completed' },
    ]);
    const row = await rowOf(gift);
    expect(row).toMatchObject({
      status: 'POSTED',
      provider_reference: expect.stringMatching(/^MM/),
    });
  });

  test.concurrent('accepts and declines moves nothing', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '006' });
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    // 2.5 percent of 1,000 leave whole birr.
    expect((await redeemToEnd(client, gift)).body.statusCode).toBe(5031);
    expect(await scene.transfersOf(gift)).toEqual(['hold 1000.00', 'void 1000.00']);
    expect((await payoutsOf(gift)).filter(({ status }) => status !== 'failed')).toEqual([]);
  });

  test.concurrent('answers with a 401 that is not its own stays on hold: it may have been paid', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '018' });
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    const answer = redeem(client, gift);
    await until(async () => expect((await rowOf(gift)).silent_since).toBeInstanceOf(Date));
    expect((await answer).status).toBe(409);
    expect(await rowOf(gift)).toMatchObject({ status: 'HELD' });
    expect(await scene.transfersOf(gift)).toEqual(['hold 1000.00']);
  });

  test.concurrent('cannot carry is refused before anything is held', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, owner: null });
    const { status } = await redeem(client, gift);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await scene.transfersOf(gift)).toEqual([]);
  });

  test.concurrent('cannot pay to, because the account is no number, is refused before anything is held', async () => {
    const payout = { key: 'accountid', value: '1000123400' };
    const { merchant, client } = await scene.payee('merchant', { payout });
    const [owned, uneven, anonymous] = [
      await scene.gift({ merchant, denomination: 1000 }),
      // Not the balance, but what is paid of it, is whole birr.
      await scene.giftOf(merchant, '102.56'),
      await scene.gift({ merchant, owner: null, denomination: 1000 }),
    ];
    const answers = [
      await client.post(CLAIM, { voucherCode: owned.voucherCode }),
      await client.post(CLAIM, { voucherCode: uneven.voucherCode }),
      await redeem(client, anonymous),
    ];
    for (const { body } of answers) {
      expect(body.statusCode).toBe(5031);
      expect(body.message).toContain('no provider pays to its accountid');
      expect(body.message).not.toContain('1000123400');
    }
    for (const gift of [owned, uneven, anonymous]) {
      expect(await scene.transfersOf(gift)).toEqual([]);
      expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', held: '0.000000' });
    }
  });
});

describe('a payment whose sending', () => {
  test.each<[string, FailpointName]>([
    ['failed after M-Pesa had accepted it is not sent again', 'redeem-paid'],
    ['failed before anything was sent is sent', 'redeem-paying'],
    ['was not reached, because its hold was taken over, is sent', 'redeem-hold-committed'],
  ])('%s', async (_what, failpoint) => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    failing = failpoint;
    expect((await redeemToEnd(client, gift)).status).toBe(200);
    expect(failing).toBeUndefined();
    expect(await payoutsOf(gift)).toMatchObject([{ amount: '975.00', status: 'completed' }]);
  });
});

describe('results', () => {
  const resultOf = (conversationId: string, code = 0) => ({
    Result: {
      ResultCode: code,
      ResultDesc: 'Forged',
      ConversationID: conversationId,
      TransactionID: 'FORGED',
    },
  });
  const callBack = (path: string, body: object = resultOf('AG_1')) =>
    fetch(`${scene.stack.url}/callbacks/mpesa/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const resultsOf = async (gift: Gift) =>
    scene.stack.database
      .selectFrom('mpesa_results')
      .select(['kind', 'conversation_id', 'description'])
      .where('reference', '=', (await rowOf(gift)).payment_reference)
      .execute();

  test('are taken under the secret path alone, once, and never move money by themselves', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    const answer = redeemToEnd(client, gift);
    await scene.untilPaidTo(merchant);
    const { payment_reference: reference } = await rowOf(gift);
    expect((await callBack(`another-path-of-callbacks/payment/${reference}`)).status).toBe(404);
    for (const path of [
      `${SECRET}/payment/${reference}`,
      `${SECRET}/payment/${reference}`,
      `${SECRET}/another/${reference}`,
      `${SECRET}/payment/${randomUUID()}`,
      `${SECRET}/payment/none`,
    ])
      expect((await callBack(path)).status).toBe(200);
    const stored = await resultsOf(gift);
    expect(stored.filter(({ description }) => description === 'Forged')).toEqual([
      { kind: 'payment', conversation_id: 'AG_1', description: 'Forged' },
    ]);
    // It was asked: M-Pesa says that the payment is pending.
    await expect
      .poll(async () => (await resultsOf(gift)).filter(({ kind }) => kind === 'inquiry').length)
      .toBeGreaterThan(0);
    expect((await rowOf(gift)).status).toBe('HELD');
    await scene.settlePayout(merchant, 'completed');
    expect((await answer).status).toBe(200);
    expect(await payoutsOf(gift)).toHaveLength(1);
  });

  /** A payment that has ended, and whether the next reconciliation asks about it. */
  async function endedPayment() {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    expect((await redeemToEnd(client, gift)).status).toBe(200);
    const { payment_reference: reference } = await rowOf(gift);
    const isDue = async () => ((await rowOf(gift)).ask_at?.getTime() ?? Infinity) <= Date.now();
    expect(await isDue()).toBe(false);
    return { gift, reference, isDue };
  }

  test('whose first callback was lost after they had been stored count when they are repeated', async () => {
    const { gift, reference, isDue } = await endedPayment();
    const stored = {
      kind: 'payment',
      reference,
      conversationId: 'AG_LOST',
      resultCode: '0',
      description: 'Forged',
      transactionStatus: null,
      receipt: null,
      difference: null,
      otherAmount: null,
    } as const;
    expect(await addMpesaResult(scene.stack.database, stored)).toBe(true);
    expect(await isDue()).toBe(false);
    const repeated = await callBack(`${SECRET}/payment/${reference}`, resultOf('AG_LOST'));
    expect(repeated.status).toBe(200);
    expect(await isDue()).toBe(true);
    expect(
      (await resultsOf(gift)).filter(({ conversation_id }) => conversation_id === 'AG_LOST'),
    ).toHaveLength(1);
  });

  test('of an inquiry count until one of ours has used them, and only against what is booked', async () => {
    const { reference, isDue } = await endedPayment();
    const says = async (conversationId: string, status: string) => {
      const { Result } = resultOf(conversationId);
      const ResultParameter = { Key: 'TransactionStatus', Value: status };
      const body = { Result: { ...Result, ResultParameters: { ResultParameter } } };
      expect((await callBack(`${SECRET}/inquiry/${reference}`, body)).status).toBe(200);
      return isDue();
    };
    const undue = () =>
      scene.stack.database
        .updateTable('placements')
        .set({ ask_at: null, doubted_at: null })
        .where('reference', '=', reference)
        .execute();
    expect(await says('AG_SAME', 'Completed')).toBe(false);
    expect(await says('AG_NEWS', 'Reversed')).toBe(true);
    await undue();
    expect(await says('AG_NEWS', 'Reversed')).toBe(true);
    await undue();
    await mpesaResultsIn(scene.stack.database).takeAnswers(reference);
    expect(await says('AG_NEWS', 'Reversed')).toBe(false);
  });

  test('that are all lost are made up for by later inquiries', async () => {
    const lose: Spoil = (_answer, response) => response.destroy();
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '000' });
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    scene.stack.sandbox.faults.set('mpesa', {
      ...scene.stack.sandbox.faults.of('mpesa'),
      losesCallbacks: true,
    });
    toService.spoilWith(lose);
    const answer = redeemToEnd(client, gift);
    await scene.untilPaidTo(merchant);
    await expect.poll(async () => (await rowOf(gift)).silent_since).toBeInstanceOf(Date);
    toService.spoilWith(undefined);
    scene.stack.sandbox.faults.clear();
    expect((await answer).status).toBe(200);
    expect(await payoutsOf(gift)).toMatchObject([{ status: 'completed' }]);
  });

  /** The nudges that the workflow of an anonymous voucher has got. */
  async function hintsOf({ id }: Gift): Promise<number> {
    const { database, temporal } = scene.stack;
    const { operation_id: operationId } = await database
      .selectFrom('vouchers')
      .select('operation_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const handle = temporal.client.workflow.getHandle(`redeem-voucher:unclaimed-${operationId}`);
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
  }

  test('that decide nothing make nobody ask again before the pause is over', async () => {
    const { faults } = scene.stack.sandbox;
    faults.set('mpesa', { ...faults.of('mpesa'), answers: 'unavailable' });
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    const answer = redeem(client, gift);
    await expect.poll(async () => (await rowOf(gift)).silent_since).toBeInstanceOf(Date);
    faults.clear();
    const inquiries = async () =>
      (await resultsOf(gift)).filter(({ kind }) => kind === 'inquiry').length;
    await expect.poll(inquiries).toBeGreaterThan(2);
    expect(await hintsOf(gift)).toBe(0);
    expect((await answer).body.statusCode).toBe(4092);
    expect(await payoutsOf(gift)).toEqual([]);
  });

  test('of a payment that M-Pesa takes back later are asked for, and lead to suspense', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant, owner: null, denomination: 1000 });
    expect((await redeemToEnd(client, gift)).status).toBe(200);
    await scene.settlePayout(merchant, 'reversed');
    await askNow(scene.stack.database, (await rowOf(gift)).payment_reference);
    expect(await reconciled(scene.stack)).toContain('A provider took it back');
    expect((await rowOf(gift)).is_done).toBe(false);
    // M-Pesa refuses a later inquiry: its callback about the payment is older than the reversal.
    const { payment_reference: reference } = await rowOf(gift);
    await callBack(`${SECRET}/inquiry/${reference}`, resultOf('AG_REFUSED', 21));
    await askNow(scene.stack.database, reference);
    await reconciled(scene.stack);
    expect((await rowOf(gift)).is_done).toBe(false);
  });
});
