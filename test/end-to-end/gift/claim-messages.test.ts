import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, newestCode } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { CLAIM, done, type Gift, newOwner, REDEEM, settled } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** What a claim answers about its message while nobody knows whether it was sent. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '2' });
});
afterAll(() => scene?.stop());

const claim = ({ voucherCode }: Gift) => settled(scene.asMerchant, CLAIM, { voucherCode });

const SENT = ['Verification code sent', 'A verification code was sent to the owner of the voucher'];
const BEING_SENT = [
  'Verification code being sent',
  'The verification code is being sent to the owner of the voucher; if it does not arrive, claim again',
];

/** What the answer to a merchant's claim that stands says. */
const wordsOf = (answer: Answer) => {
  const { message, data } = done(answer).body;
  return [message, data.message];
};

const messagesTo = ({ owner }: Gift) => scene.stack.sandbox.books.messages(owner ?? '');

describe.concurrent('the message of a claim', () => {
  test.each([
    ['002', 'InvalidPhoneNumber', 'REFUSED'],
    // The reason is our account: it does not count against the number of the owner.
    ['019', 'InvalidSenderId', 'CANCELLED'],
  ])(
    'that is refused (%s) takes the claim back and says why: %s',
    async (suffix, words, status) => {
      const gift = await scene.gift({ owner: newOwner(suffix) });
      const { body } = await claim(gift);
      expect(body).toMatchObject({ success: false, statusCode: 5003, data: null });
      expect(body.message).toContain(words);
      const message = await scene.stack.database
        .selectFrom('messages')
        .select('status')
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
      expect(message.status).toBe(status);
      expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
      expect(messagesTo(gift)).toHaveLength(0);
    },
  );

  test('that is slow keeps its caller no longer than callers wait; its code is good', async () => {
    const gift = await scene.gift({ owner: newOwner('300') });
    const idempotencyKey = randomUUID();
    const request = { idempotencyKey, voucherCode: gift.voucherCode };
    expect(wordsOf(await settled(scene.asMerchant, CLAIM, request))).toEqual(BEING_SENT);
    expect(messagesTo(gift)).toHaveLength(0);
    await until(() => expect(messagesTo(gift)).toHaveLength(1));
    // Under its key a claim keeps its answer.
    expect(wordsOf(await settled(scene.asMerchant, CLAIM, request))).toEqual(BEING_SENT);
    const verificationCode = await newestCode(scene.stack, gift.owner ?? '');
    done(
      await settled(scene.asMerchant, REDEEM, { voucherCode: gift.voucherCode, verificationCode }),
    );
  });

  test('that is refused after its caller was answered gives the voucher back', async () => {
    const gift = await scene.gift({ owner: newOwner('306') });
    done(await claim(gift));
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });
    await scene.untilStatus(gift, 'ACTIVE');
    const late = await redeem(scene.asMerchant, gift, { verificationCode: '123456' });
    expect(late.body.statusCode).toBe(4034);
  });
});

test('a claim whose code the provider took says that it was sent, as answers of older claims do', async () => {
  const gift = await scene.gift();
  const request = { idempotencyKey: randomUUID(), voucherCode: gift.voucherCode };
  const answer = await settled(scene.asMerchant, CLAIM, request);
  expect(wordsOf(answer)).toEqual(SENT);
  const { outcome } = await scene.stack.database
    .selectFrom('operations')
    .select('outcome')
    .where('kind', '=', 'initiate-claim')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  expect(outcome).toEqual({ ok: true });
  expect((await scene.asMerchant.post(CLAIM, request)).body).toEqual(answer.body);
  const { voucherCode } = await scene.gift();
  const { body } = done(await settled(scene.asPartner, CLAIM, { voucherCode }));
  expect([body.message, body.data]).toEqual(SENT);
});

describe('the text of a message', () => {
  test('holds the code, the amount and the place, and nothing that redeems without it', async () => {
    const gift = await scene.gift({ denomination: 500 });
    await scene.claimed(scene.asMerchant, gift, { amount: 99.5 });
    const [message] = messagesTo(gift);
    expect(message?.text).toMatch(/^\d{6} is your code to redeem ETB 99\.50 /);
    expect(message?.text).toContain('Test Merchant');
    expect(message?.text).toContain('5 min');
    expect(message?.text).not.toContain(gift.voucherCode);
    expect(message?.text).not.toContain(gift.voucherCode.replaceAll('-', ''));
  });

  test('names no place where the partner claims, because it may choose one at redemption', async () => {
    const gift = await scene.gift();
    await scene.claimed(scene.asPartner, gift);
    expect(messagesTo(gift)[0]?.text).not.toContain('Test Merchant');
  });
});
