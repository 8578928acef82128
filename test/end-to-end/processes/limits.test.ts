import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/domain/refusals.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  CLAIM,
  type Client,
  type Gift,
  type GiftScene,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';

/** By both APIs; guessed-codes.test.ts and message-caps.test.ts have what comes at the same moment. */
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
});

describe('messages', () => {
  let scene: GiftScene;
  beforeAll(async () => {
    scene = await setGiftScene({ MESSAGE_COOLDOWN_SECONDS: '30' });
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
});
