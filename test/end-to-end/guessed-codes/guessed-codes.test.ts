import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../../../src/api.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import type { Answer } from '../../support/clients.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import {
  CLAIM,
  type Client,
  done,
  type Gift,
  newOwner,
  otherCode,
  repeated,
} from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';

/** Five wrong codes a voucher, company and day, however they are sent (invariant I11). */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
});
afterAll(() => scene?.stop());

const exhausted = {
  reason: 'attempts-exhausted',
  headers: { 'Retry-After': /^8[56]\d{3}$/ },
} as const;

const wrongCodesOf = async ({ id }: Gift): Promise<number> => {
  const rows = await scene.stack.database
    .selectFrom('verification_attempts')
    .select('id')
    .where('voucher_id', '=', id)
    .execute();
  return rows.length;
};

const compared = (answers: readonly Answer[]): number =>
  answers.filter(({ body }) => [4035, 403].includes(body.statusCode)).length;

test('thirty guesses at the same moment are five', async () => {
  const gift = await scene.gift();
  const code = await scene.claimed(scene.asMerchant, gift);
  const guesses = Array.from({ length: 30 }, (_, index) =>
    String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0'),
  );
  // A few keys with ever other codes, as well as keys of their own.
  const answers = await Promise.all(
    guesses.map((verificationCode, index) =>
      redeem(scene.asMerchant, gift, {
        verificationCode,
        ...(index % 2 ? { idempotencyKey: `guess ${gift.id} ${index % 7}` } : {}),
      }),
    ),
  );
  expect(compared(answers)).toBeLessThanOrEqual(5);
  expect(await wrongCodesOf(gift)).toBe(5);
  expect(answers.filter(({ status }) => status === 200)).toEqual([]);
  // The redemptions of one voucher take turns: the last of many may still be waiting for its own.
  const right = await repeated(() =>
    redeem(scene.asMerchant, gift, { verificationCode: code, idempotencyKey: 'the right one' }),
  );
  expectRefusal(right, 'merchant', 429, exhausted);
});

test('guesses over new claims are five together, for each company', async () => {
  const gift = await scene.gift();
  const guess = (client: Client, verificationCode: string) =>
    redeem(client, gift, { verificationCode });
  const answers: Answer[] = [];
  const { asPartner, asMerchant } = scene;
  for (const client of [asPartner, asMerchant, asPartner, asMerchant, asPartner]) {
    const code = await scene.claimed(client, gift);
    // Two different ones: the same guess twice, without a key, is one request.
    const wrong = [otherCode(code), otherCode(otherCode(code))];
    answers.push(...(await Promise.all(wrong.map((one) => guess(client, one)))));
  }
  expect(await wrongCodesOf(gift)).toBe(9);
  expect(compared(answers)).toBe(9);
  const { voucherCode } = gift;
  expectRefusal(await asPartner.post(CLAIM, { voucherCode }), 'partner', 429, exhausted);
  done(await asMerchant.post(CLAIM, { voucherCode }));
});

test('are counted in the database: another process of the API knows them', async () => {
  const { stack, asPartner } = scene;
  const gift = await scene.gift();
  const code = await scene.claimed(asPartner, gift);
  for (let attempt = 1; attempt <= 4; attempt += 1)
    await redeem(asPartner, gift, { verificationCode: otherCode(code) });
  const logger = createLogger('silent', 'test');
  const api = await startApi(stack.config, stack.temporal, { logger, eager: true });
  const there = `http://127.0.0.1:${api.port}/api/v1/client/topup-transactions/redeem-gift`;
  const guessThere = (verificationCode: string) =>
    fetch(there, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'x-api-token': asPartner.token },
      body: JSON.stringify({ voucherCode: gift.voucherCode, verificationCode }),
    });
  expect((await guessThere(otherCode(code))).status).toBe(403);
  expect((await guessThere(code)).status).toBe(429);
  await api.stop();
  expectRefusal(
    await redeem(asPartner, gift, { verificationCode: code }),
    'partner',
    429,
    exhausted,
  );
});

test('a right code among wrong ones redeems once and clears the count', async () => {
  const gift = await scene.gift({ denomination: 500 });
  const code = await scene.claimed(scene.asMerchant, gift, { amount: 100 });
  const codes = [otherCode(code), code, otherCode(code), code, otherCode(code)];
  const answers = await Promise.all(
    codes.map((verificationCode) => redeem(scene.asMerchant, gift, { verificationCode })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  // Those that came after it found no claim to compare with.
  expect(await wrongCodesOf(gift)).toBeLessThanOrEqual(3);
  const next = await scene.claimed(scene.asMerchant, gift, { amount: 100 });
  done(await redeem(scene.asMerchant, gift, { verificationCode: next }));
  expect(await wrongCodesOf(gift)).toBe(0);
});

test('another number than the owner’s costs no attempt, and is only named to who has the code', async () => {
  const gift = await scene.gift();
  for (const client of [scene.asPartner, scene.asMerchant]) {
    const surface = client === scene.asPartner ? 'partner' : 'merchant';
    const statusCode = surface === 'partner' ? 403 : 4035;
    const verificationCode = await scene.claimed(client, gift);
    const before = await wrongCodesOf(gift);
    const msisdn = newOwner();
    for (let times = 0; times < 3; times += 1) {
      const answer = await redeem(client, gift, { verificationCode, msisdn });
      expectRefusal(answer, surface, statusCode, { reason: 'msisdn-not-owner' });
    }
    expect(await wrongCodesOf(gift)).toBe(before);
    const wrong = { verificationCode: otherCode(verificationCode), msisdn };
    const guess = await redeem(client, gift, wrong);
    expectRefusal(guess, surface, statusCode, { reason: 'verification-code-incorrect' });
    expect(await wrongCodesOf(gift)).toBe(before + 1);
  }
});
