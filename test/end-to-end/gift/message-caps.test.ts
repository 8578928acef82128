import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { isNumber } from '../privacy/stored-numbers.ts';
import { CLAIM, type Client, done, type Gift, newOwner } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

/** How many messages a number can be made to get, also by requests at the same moment (F52). */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    CALLER_WAIT_SECONDS: '25',
    MESSAGE_COOLDOWN_SECONDS: '30',
    MESSAGES_PER_NUMBER_AND_DAY: '3',
    REFUSED_MESSAGES_PER_NUMBER_AND_HOUR: '2',
    // The provider refuses some tests while it serves others.
    PROVIDER_BREAKER_CALLS: '1000',
  });
});
afterAll(() => scene?.stop());

const claim = (client: Client, { voucherCode }: Gift) => client.post(CLAIM, { voucherCode });

const messagesTo = (number: string) => scene.stack.sandbox.books.messages(number);

const statusCodes = (answers: readonly { body: { statusCode: number } }[]) =>
  answers.map(({ body }) => body.statusCode).sort((a, b) => a - b);

const times = <Value>(count: number, make: () => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, make));

describe.concurrent('claims at the same moment', () => {
  test('of one voucher send one message', async () => {
    const gift = await scene.gift();
    const answers = await times(8, () => claim(scene.asMerchant, gift));
    expect(statusCodes(answers)).toEqual([200, ...Array(7).fill(429)]);
    expect(messagesTo(gift.owner ?? '')).toHaveLength(1);
  });

  test('of many vouchers of one number send it no more than its cap', async () => {
    const owner = newOwner();
    const gifts = await times(6, () => scene.gift({ owner }));
    const answers = await Promise.all(
      gifts.map((gift, index) => claim(index % 2 ? scene.asMerchant : scene.asPartner, gift)),
    );
    expect(statusCodes(answers)).toEqual([...Array(3).fill(200), ...Array(3).fill(429)]);
    expect(messagesTo(owner)).toHaveLength(3);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('Retry-After')).toMatch(/^8[56]\d{3}$/);
  });
});

describe.concurrent('messages that the provider refuses', () => {
  test('may be tried again at once, a few times an hour', async () => {
    const owner = newOwner('002');
    const gift = await scene.gift({ owner });
    for (let attempt = 1; attempt <= 2; attempt += 1)
      expect((await claim(scene.asMerchant, gift)).body.statusCode).toBe(5003);
    const refusal = {
      reason: 'messages-refused',
      headers: { 'Retry-After': /^3[45]\d\d$|^3600$/ },
    } as const;
    expectRefusal(await claim(scene.asMerchant, gift), 'merchant', 429, refusal);
    // The number is what waits, and not the voucher.
    const another = await scene.gift({ owner });
    expectRefusal(await claim(scene.asPartner, another), 'partner', 429, refusal);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', current_claim_id: null });
  });

  test('are not those that were never sent: they keep nobody waiting, however many', async () => {
    const owner = newOwner('018');
    const gift = await scene.gift({ owner });
    for (let attempt = 1; attempt <= 3; attempt += 1)
      expect((await claim(scene.asMerchant, gift)).body.statusCode).toBe(5003);
    const another = await scene.gift({ owner });
    expect((await claim(scene.asPartner, another)).body.statusCode).toBe(503);
    const statuses = await scene.stack.database
      .selectFrom('messages')
      .select('status')
      .where(isNumber(scene.stack, 'msisdn', owner))
      .execute();
    expect(statuses).toEqual(Array(4).fill({ status: 'CANCELLED' }));
  });
});

test.concurrent('confirmations of anonymous redemptions are capped for each number; the money goes on', async () => {
  const msisdn = newOwner();
  const gifts = await times(5, () => scene.gift({ owner: null }));
  const answers = await Promise.all(
    gifts.map((gift, index) =>
      redeem(index % 2 ? scene.asMerchant : scene.asPartner, gift, { amount: 10, msisdn }),
    ),
  );
  for (const answer of answers) done(answer);
  const { database } = scene.stack;
  const messages = await database
    .selectFrom('messages')
    .select(['status', 'provider_message'])
    .where(isNumber(scene.stack, 'msisdn', msisdn))
    .execute();
  const leftOut = messages.filter(({ status }) => status === 'CANCELLED');
  expect([messages.length, leftOut.length]).toEqual([5, 2]);
  for (const { provider_message } of leftOut) expect(provider_message).toContain('Left out');
  // The codes of a number are counted apart: it can still claim.
  done(await claim(scene.asMerchant, await scene.gift({ owner: msisdn })));
  const texts = () => messagesTo(msisdn).filter(({ text }) => text.includes('was used'));
  const sent = database
    .selectFrom('messages')
    .select(['status', 'provider_message'])
    .where(isNumber(scene.stack, 'msisdn', msisdn))
    .where('redemption_id', 'is not', null)
    .where('status', '<>', 'CANCELLED');
  await until(async () =>
    expect([texts().length, await sent.execute()]).toMatchObject([
      3,
      Array(3).fill({ status: 'SENT' }),
    ]),
  );
});
