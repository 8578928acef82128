import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/domain/refusals.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  CLAIM,
  type Client,
  type Gift,
  type GiftScene,
  newOwner,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';

const both: readonly Surface[] = ['partner', 'merchant'];

const clientOf = (scene: GiftScene, surface: Surface): Client =>
  surface === 'partner' ? scene.asPartner : scene.asMerchant;

const wrongCodeStatus = { partner: 403, merchant: 4035 } as const;

const redeem = (client: Client, { voucherCode }: Gift, verificationCode: string) =>
  client.post(REDEEM, { voucherCode, verificationCode });

const claim = (client: Client, { voucherCode }: Gift) => client.post(CLAIM, { voucherCode });

describe('wrong verification codes', () => {
  let scene: GiftScene;
  beforeAll(async () => {
    scene = await setGiftScene();
  });
  afterAll(() => scene?.stop());

  async function tryWrongly(surface: Surface, gift: Gift, wrongCode: string, times: number) {
    for (let attempt = 1; attempt <= times; attempt += 1) {
      const answer = await redeem(clientOf(scene, surface), gift, wrongCode);
      expectRefusal(answer, surface, wrongCodeStatus[surface], {
        reason: 'verification-code-incorrect',
      });
    }
  }

  const exhausted = {
    reason: 'attempts-exhausted',
    headers: { 'Retry-After': /^8[56]\d{3}$/ },
  } as const;

  test.each(both)(
    'five of them on the %s API end the tries, also with the right code',
    async (surface) => {
      const client = clientOf(scene, surface);
      const gift = await scene.gift();
      const code = await scene.claimed(client, gift);
      await tryWrongly(surface, gift, otherCode(code), 5);
      const before = await scene.holdings();
      expectRefusal(await redeem(client, gift, otherCode(code)), surface, 429, exhausted);
      expectRefusal(await redeem(client, gift, code), surface, 429, exhausted);
      expect(await scene.holdings()).toEqual(before);
      expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
    },
  );

  test.each(both)(
    'count over a new claim on the %s API, which then is refused',
    async (surface) => {
      const client = clientOf(scene, surface);
      const gift = await scene.gift();
      await tryWrongly(surface, gift, otherCode(await scene.claimed(client, gift)), 3);
      const code = await scene.claimed(client, gift);
      await tryWrongly(surface, gift, otherCode(code), 2);
      expectRefusal(await redeem(client, gift, code), surface, 429, exhausted);
      expectRefusal(await claim(client, gift), surface, 429, exhausted);
    },
  );

  test('count for each company alone', async () => {
    const gift = await scene.gift();
    await tryWrongly('partner', gift, otherCode(await scene.claimed(scene.asPartner, gift)), 5);
    expectRefusal(await claim(scene.asPartner, gift), 'partner', 429, exhausted);
    const code = await scene.claimed(scene.asMerchant, gift);
    await tryWrongly('merchant', gift, otherCode(code), 4);
    expect((await redeem(scene.asMerchant, gift, code)).status).toBe(200);
  });

  test('are not those that came with another owner’s number and the right code', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asPartner, gift);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const { voucherCode } = gift;
      const request = { voucherCode, verificationCode: code, msisdn: newOwner() };
      expectRefusal(await scene.asPartner.post(REDEEM, request), 'partner', 403, {
        reason: 'msisdn-not-owner',
      });
    }
    expect((await redeem(scene.asPartner, gift, code)).status).toBe(200);
  });

  test('are forgotten after the right one', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const first = await scene.claimed(scene.asMerchant, gift, { amount: 100 });
    await tryWrongly('merchant', gift, otherCode(first), 4);
    expect((await redeem(scene.asMerchant, gift, first)).status).toBe(200);
    const second = await scene.claimed(scene.asMerchant, gift, { amount: 100 });
    await tryWrongly('merchant', gift, otherCode(second), 4);
    expect((await redeem(scene.asMerchant, gift, second)).status).toBe(200);
  });

  test('are forgotten after a day', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asMerchant, gift);
    await tryWrongly('merchant', gift, otherCode(code), 5);
    await scene.stack.database
      .updateTable('verification_attempts')
      .set({ created_at: sql<Date>`created_at - interval '1 day'` })
      .where('voucher_id', '=', gift.id)
      .execute();
    expect((await redeem(scene.asMerchant, gift, code)).status).toBe(200);
  });

  test('that come at the same moment are not more than five either', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asMerchant, gift);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => redeem(scene.asMerchant, gift, otherCode(code))),
    );
    const statusCodes = answers.map(({ body }) => body.statusCode).sort((a, b) => a - b);
    expect(statusCodes).toEqual([...Array(7).fill(429), ...Array(5).fill(4035)]);
    expect((await redeem(scene.asMerchant, gift, code)).status).toBe(429);
  });
});

describe('messages', () => {
  let scene: GiftScene;
  beforeAll(async () => {
    scene = await setGiftScene({
      MESSAGE_COOLDOWN_SECONDS: '30',
      MESSAGES_PER_NUMBER_AND_DAY: '2',
    });
  });
  afterAll(() => scene?.stop());

  test.each(both)('of one voucher keep 30 seconds between them on the %s API', async (surface) => {
    const client = clientOf(scene, surface);
    const gift = await scene.gift();
    const code = await scene.claimed(client, gift);
    const before = await scene.holdings();
    expectRefusal(await claim(client, gift), surface, 429, {
      reason: 'message-too-soon',
      headers: { 'Retry-After': /^(2\d|30)$/ },
    });
    expect(await scene.holdings()).toEqual(before);
    expect((await redeem(client, gift, code)).status).toBe(200);
  });

  test.each(both)('to one number are two a day here on the %s API', async (surface) => {
    const client = clientOf(scene, surface);
    const owner = newOwner();
    for (const gift of [await scene.gift({ owner }), await scene.gift({ owner })])
      await scene.claimed(client, gift);
    const third = await scene.gift({ owner });
    expectRefusal(await claim(client, third), surface, 429, {
      reason: 'messages-exhausted',
      headers: { 'Retry-After': /^\d{1,5}$/ },
    });
    expect(await scene.voucher(third)).toMatchObject({ status: 'ACTIVE' });
    const { length } = scene.stack.sandbox.books.messages(owner);
    expect(length).toBe(2);
  });

  test('that were refused do not count', async () => {
    const gift = await scene.gift({ owner: newOwner('006') });
    for (let attempt = 1; attempt <= 3; attempt += 1)
      expect((await claim(scene.asMerchant, gift)).body.statusCode).toBe(5003);
  });
});
