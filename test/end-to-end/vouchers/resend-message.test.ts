import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, newestCode } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { done, type Gift, newOwner } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    CALLER_WAIT_SECONDS: '25',
    MESSAGES_PER_NUMBER_AND_DAY: '4',
  });
});
afterAll(() => scene?.stop());

const resend = ({ id }: Gift, key: string = randomUUID()): Promise<Answer> =>
  scene.asPartner.post(`/vouchers/${id}/resend`, undefined, { 'Idempotency-Key': key });

const textsTo = async (msisdn: string): Promise<string[]> => {
  const url = `${scene.stack.sandbox.url}/messages?to=${encodeURIComponent(msisdn)}`;
  const { body } = await call(url, { headers: { Accept: 'application/json' } });
  return body.map(({ text }: { text: string }) => text);
};

const messagesOf = ({ id }: Gift) =>
  scene.stack.database
    .selectFrom('messages')
    .select(['id', 'kind', 'status', 'claim_id'])
    .where('voucher_id', '=', id)
    .orderBy('id')
    .execute();

/** As if the provider had said this of the newest message. */
const setNewest = async (gift: Gift, status: 'UNKNOWN' | 'REFUSED' | 'QUEUED') => {
  const newest = (await messagesOf(gift)).at(-1);
  await scene.stack.database
    .updateTable('messages')
    .set({ status, settled_at: status === 'QUEUED' ? null : sql<Date>`now()` })
    .where('id', '=', newest?.id ?? 0)
    .execute();
};

describe.concurrent('the code of an open claim', () => {
  it('is not sent again while its payment is under way', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '014' });
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const waiting = redeem(client, gift, { verificationCode });
    await scene.untilPaidTo(merchant);
    expect((await resend(gift)).status).toBe(404);
    expect(await textsTo(gift.owner ?? '')).toHaveLength(1);
    await scene.settlePayout(merchant, 'completed');
    done(await waiting);
  });

  it('that may not have been sent says that it is being sent', async () => {
    const gift = await scene.gift({ owner: newOwner('008') });
    await scene.claimed(scene.asMerchant, gift);
    const key = randomUUID();
    expect(done(await resend(gift, key)).body.message).toBe('Message being sent');
    expect(done(await resend(gift, key)).body.message).toBe('Message being sent');
    expect((await messagesOf(gift)).at(-1)?.status).toBe('UNKNOWN');
  });

  it('is sent again, the same, as a message of its own, and pays', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asMerchant, gift);
    const key = randomUUID();
    const answer = done(await resend(gift, key));
    expect(answer.body.data).toEqual({ id: gift.id, kind: 'VERIFICATION_CODE' });
    expect(answer.body.message).toBe('Message sent');
    expect(await newestCode(scene.stack, gift.owner ?? '')).toBe(code);
    expect(await textsTo(gift.owner ?? '')).toHaveLength(2);
    const again = done(await resend(gift, key));
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await textsTo(gift.owner ?? '')).toHaveLength(2);
    const [first, second] = await messagesOf(gift);
    expect(second).toMatchObject({ status: 'SENT', claim_id: null });
    const recorded = await scene.stack.database
      .selectFrom('message_resends')
      .select(['message_id', 'original_id'])
      .where('message_id', '=', second?.id ?? 0)
      .execute();
    expect(recorded).toEqual([{ message_id: second?.id, original_id: first?.id }]);
    done(await redeem(scene.asMerchant, gift, { verificationCode: code }));
    const { code_ciphertext } = await scene.stack.database
      .selectFrom('voucher_claims')
      .select('code_ciphertext')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(code_ciphertext).toBeNull();
  });

  it('counts among the messages of its number', async () => {
    const gift = await scene.gift();
    await scene.claimed(scene.asMerchant, gift);
    for (const _ of [1, 2, 3]) done(await resend(gift));
    const refused = await resend(gift);
    expect(refused.status).toBe(429);
    expect(refused.body.message).toMatch(/^Too many messages/);
    expect(await textsTo(gift.owner ?? '')).toHaveLength(4);
  });

  it('that the provider refuses leaves the claim as it is', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asMerchant, gift);
    const refusing = newOwner('002');
    await scene.stack.database
      .updateTable('messages')
      .set({ msisdn: scene.stack.api.services.numbers.store(refusing) })
      .where('voucher_id', '=', gift.id)
      .execute();
    const answer = await resend(gift);
    expect(answer.body.statusCode).toBe(503);
    expect((await messagesOf(gift)).map(({ status }) => status)).toEqual(['SENT', 'REFUSED']);
    done(await redeem(scene.asMerchant, gift, { verificationCode: code }));
  });

  it('is not sent while the first message is still on its way', async () => {
    const gift = await scene.gift();
    await scene.claimed(scene.asMerchant, gift);
    await setNewest(gift, 'QUEUED');
    expect((await resend(gift)).status).toBe(429);
    expect(await messagesOf(gift)).toHaveLength(1);
  });

  it('waits for the pause between two messages', async () => {
    const slow = await setRedemptionScene({ MESSAGE_COOLDOWN_SECONDS: '30' });
    const gift = await slow.gift();
    await slow.claimed(slow.asMerchant, gift);
    const refused = await slow.asPartner.post(`/vouchers/${gift.id}/resend`, undefined);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(20);
    await slow.stop();
  });
});

describe.concurrent('a confirmation', () => {
  it.each(['UNKNOWN', 'REFUSED'] as const)('that was %s is sent again', async (status) => {
    const gift = await scene.gift();
    await scene.redeemed(scene.asMerchant, gift);
    await until(async () => expect((await messagesOf(gift)).at(-1)?.status).toBe('SENT'));
    await setNewest(gift, status);
    expect(done(await resend(gift)).body.data.kind).toBe('REDEMPTION_CONFIRMATION');
    const [newest, before] = await textsTo(gift.owner ?? '');
    expect(newest).toBe(before);
    const refused = await resend(gift);
    expect([refused.status, refused.body.message]).toEqual([
      404,
      expect.stringMatching(/misses no message/),
    ]);
  });

  it('that the provider accepted is not', async () => {
    const gift = await scene.gift();
    await scene.redeemed(scene.asMerchant, gift);
    await until(async () => expect((await messagesOf(gift)).at(-1)?.status).toBe('SENT'));
    expect((await resend(gift)).status).toBe(404);
    expect(await messagesOf(gift)).toHaveLength(2);
  });
});

describe.concurrent('is refused', () => {
  it('where nothing was sent', async () => {
    const gift = await scene.gift();
    expect((await resend(gift)).body.statusCode).toBe(404);
    expect(await messagesOf(gift)).toEqual([]);
  });

  it('for a voucher of another partner, as for none', async () => {
    const other = await makePartner(scene.stack, { giftWallet: '1000' });
    const gift = await scene.gift({ partner: other });
    await scene.claimed(scene.asMerchant, gift);
    const [strange, none] = await Promise.all([resend(gift), resend({ ...gift, id: 999_999 })]);
    expect(strange?.status).toBe(404);
    expect(strange?.body).toEqual(none?.body);
    expect(await messagesOf(gift)).toHaveLength(1);
  });
});

it.each([
  ['QUEUED', 'CANCELLED'],
  ['SENDING', 'UNKNOWN'],
] as const)(
  'a message that its workflow left behind %s ends %s, and is not sent',
  async (left, status) => {
    const gift = await scene.gift();
    await scene.claimed(scene.asMerchant, gift);
    done(await resend(gift));
    const newest = (await messagesOf(gift)).at(-1);
    const past = sql<Date>`now() - interval '1 hour'`;
    await scene.stack.database
      .updateTable('messages')
      .set({ status: left, settled_at: null, created_at: past, due_at: past })
      .where('id', '=', newest?.id ?? 0)
      .execute();
    await until(async () => expect((await messagesOf(gift)).at(-1)?.status).toBe(status));
    expect(await textsTo(gift.owner ?? '')).toHaveLength(2);
  },
);
