import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../support/clients.ts';
import { backUp } from '../../support/restore.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { newKey, setTopupScene, type TopupScene } from '../topups/topup-scene.ts';

/**
 * The database is restored to a moment before a hold, and the provider remembers what it did since:
 * the same request must end as the provider says, and never be paid twice.
 */
let gifts: RedemptionScene;
let topups: TopupScene;
beforeAll(async () => {
  [gifts, topups] = await Promise.all([
    // The outcome of one request stays open.
    setRedemptionScene({ CALLER_WAIT_SECONDS: '15' }),
    setTopupScene(),
  ]);
});
afterAll(async () => {
  await gifts?.stop();
  await topups?.stack.stop();
});

const referenceOf = async (answer: Answer) => {
  expect(answer.body.statusCode).toBe(200);
  return answer.body.data.referenceNumber;
};

describe('a redemption', () => {
  test.each(['000', '005'])('that was paid (%s) is not paid again', async (payoutSuffix) => {
    const { merchant, client } = await gifts.payee('merchant', { payoutSuffix });
    const gift = await gifts.gift({ merchant });
    const verificationCode = await gifts.claimed(client, gift);
    const request = { verificationCode, idempotencyKey: randomUUID() };
    const restore = await backUp(gifts.stack.database);
    const before = await referenceOf(await redeem(client, gift, request));
    await restore();

    expect(await referenceOf(await redeem(client, gift, request))).toBe(before);
    expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
    expect(await gifts.postedRedemptions(gift)).toHaveLength(1);
  });

  test('of a partner without a key is known by its claim', async () => {
    const { merchant } = await gifts.payee('partner');
    const gift = await gifts.gift({ merchant });
    const verificationCode = await gifts.claimed(gifts.asPartner, gift);
    const restore = await backUp(gifts.stack.database);
    const before = await referenceOf(await redeem(gifts.asPartner, gift, { verificationCode }));
    await restore();

    const again = await redeem(gifts.asPartner, gift, { verificationCode });
    expect(await referenceOf(again)).toBe(before);
    expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  });

  test('of an anonymous voucher without a key is known by its turn', async () => {
    const { merchant } = await gifts.payee('partner');
    const gift = await gifts.gift({ merchant, owner: null });
    const send = () => redeem(gifts.asPartner, gift, { amount: 40 });
    const first = await referenceOf(await send());
    const restore = await backUp(gifts.stack.database);
    const before = await referenceOf(await send());
    expect(before).not.toBe(first);
    await restore();

    expect(await referenceOf(await send())).toBe(before);
    expect(gifts.amountsPaidTo(merchant)).toEqual(['40.00 completed', '40.00 completed']);
  });

  test('that the provider had failed is refused again, and not paid', async () => {
    const { merchant, client } = await gifts.payee('merchant', { payoutSuffix: '007' });
    const gift = await gifts.gift({ merchant });
    const verificationCode = await gifts.claimed(client, gift);
    const request = { verificationCode, idempotencyKey: randomUUID() };
    const restore = await backUp(gifts.stack.database);
    expect((await redeem(client, gift, request)).body.statusCode).toBe(5031);
    await restore();

    expect((await redeem(client, gift, request)).body.statusCode).toBe(5031);
    expect(gifts.amountsPaidTo(merchant)).toEqual(['97.50 failed']);
    expect(await gifts.voucher(gift)).toMatchObject({ status: 'ACTIVE', held: '0.000000' });
  });

  test('whose amount or payee the provider knows otherwise stays on hold and calls a person at once', async () => {
    const { merchant, client } = await gifts.payee('partner');
    const other = await gifts.payee('partner');
    const changes = [{ amount: 50 }, { amount: 40, merchantId: other.merchant.id }];
    const paid = await Promise.all(
      changes.map(async (changed) => {
        const gift = await gifts.gift({ merchant, owner: null, isRestricted: false });
        return { gift, changed };
      }),
    );
    const restore = await backUp(gifts.stack.database);
    for (const { gift } of paid) await referenceOf(await redeem(client, gift, { amount: 40 }));
    await restore();

    const asked = paid.map(({ gift, changed }) => redeem(client, gift, changed));
    for (const { gift } of paid) {
      await until(async () => expect(await callsPersonFor(gift.id)).toBe(true));
      expect(await gifts.voucher(gift)).toMatchObject({ status: 'REDEEM_PROCESSING' });
    }
    expect(gifts.amountsPaidTo(merchant)).toEqual(['40.00 completed', '40.00 completed']);
    expect(gifts.amountsPaidTo(other.merchant)).toEqual([]);
    for (const answer of asked) expect((await answer).status).toBe(409);
  });

  async function callsPersonFor(voucherId: number): Promise<boolean> {
    const { database, temporal } = gifts.stack;
    const { operation_id } = await database
      .selectFrom('vouchers')
      .select('operation_id')
      .where('id', '=', voucherId)
      .executeTakeFirstOrThrow();
    return callsPerson(
      temporal.client.workflow.getHandle(`redeem-voucher:unclaimed-${operation_id}`),
    );
  }
});

describe('a top-up', () => {
  test.each([
    ['000', 'SUCCESS', 50],
    ['006', 'FAILED', 0],
  ] as const)('%s that was %s is not sent again', async (suffix, status, charged) => {
    const msisdn = topups.number(suffix);
    const key = newKey();
    const restore = await backUp(topups.stack.database);
    const wallet = await topups.wallet();
    expect((await topups.topup(msisdn, key)).body.data.status).toBe(status);
    await restore();

    expect((await topups.topup(msisdn, key)).body.data.status).toBe(status);
    expect(await topups.delivered(msisdn)).toHaveLength(1);
    expect(await topups.wallet()).toBe(wallet - charged);
  });

  test('another one under its number stays on hold', async () => {
    const id = await topups.failedTopup();
    const [first, second] = [topups.number('000'), topups.number('000')];
    const restore = await backUp(topups.stack.database);
    expect((await topups.retry(id, first, newKey())).body.data.status).toBe('SUCCESS');
    await restore();

    // Its caller would wait for as long as callers may: the outcome stays open.
    topups.retry(id, second, newKey()).catch(() => undefined);
    await topups.untilStatus(id, 'UNKNOWN');
    expect((await topups.show(id)).message).toContain('another number');
    expect(await topups.delivered(second)).toEqual([]);
  });
});
