import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { refuse } from '../../../src/domain/refusals.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { calls } from '../../../src/operations/workflow-calls.ts';
import { type Answer, merchantClient, newestCode } from '../../support/clients.ts';
import { makeMerchant, type TestMerchant } from '../../support/companies.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, type Client, done, type Gift, otherCode } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';

/** Wrong codes: for each company and voucher, over a voucher's life, and for a company's day (F50). */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    CALLER_WAIT_SECONDS: '25',
    CODE_ATTEMPTS_BEFORE_LONG_CODES: '7',
    CODE_ATTEMPTS_PER_COMPANY_AND_DAY: '6',
    CODE_ATTEMPT_PAUSE_SECONDS: '1',
  });
});
afterAll(() => scene?.stop());

async function newMerchant(
  options: Parameters<typeof makeMerchant>[1] = {},
): Promise<{ merchant: TestMerchant; client: Client }> {
  const merchant = await makeMerchant(scene.stack, options);
  return { merchant, client: await merchantClient(scene.stack, merchant) };
}

const openGift = () => scene.gift({ isRestricted: false });

async function guess(client: Client, gift: Gift, code: string, times: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  let wrong = code;
  for (let attempt = 1; attempt <= times; attempt += 1) {
    wrong = otherCode(wrong);
    answers.push(await redeem(client, gift, { verificationCode: wrong }));
  }
  return answers;
}

const codesOf = (answers: readonly Answer[]) => answers.map(({ body }) => body.statusCode);

const wrongCodesOf = async ({ id }: Gift): Promise<number> => {
  const { wrong_codes } = await scene.stack.database
    .selectFrom('vouchers')
    .select('wrong_codes')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return wrong_codes;
};

const countsOf = ({ kind, id }: Company) =>
  scene.stack.database
    .selectFrom('company_daily_counts')
    .select(['wrong_codes', 'wrong_codes_spent_at', 'next_turn_at'])
    .where('company_kind', '=', kind)
    .where('company_id', '=', id)
    .executeTakeFirstOrThrow();

test.concurrent('a stranger’s wrong codes keep no other company from claiming and redeeming', async () => {
  const { client: stranger } = await newMerchant();
  const { merchant, client } = await newMerchant();
  const gift = await openGift();
  const answers = await guess(stranger, gift, await scene.claimed(stranger, gift), 6);
  expect(codesOf(answers)).toEqual([4035, 4035, 4035, 4035, 4035, 429]);
  expect((await stranger.post(CLAIM, { voucherCode: gift.voucherCode })).status).toBe(429);
  done(await redeem(client, gift, { verificationCode: await scene.claimed(client, gift) }));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
});

test.concurrent('a right code clears the count of its company, and not the stranger’s', async () => {
  const { client: stranger } = await newMerchant();
  const { client } = await newMerchant();
  const gift = await openGift();
  await guess(stranger, gift, await scene.claimed(stranger, gift), 5);
  await scene.redeemed(client, gift, { amount: 20 });
  expect((await stranger.post(CLAIM, { voucherCode: gift.voucherCode })).status).toBe(429);
  expect(await wrongCodesOf(gift)).toBe(5);
});

test.concurrent('after too many wrong codes over its life a voucher’s codes have eight digits', async () => {
  const gift = await openGift();
  const { client: first } = await newMerchant();
  const { client: second } = await newMerchant();
  const { client: third } = await newMerchant();
  await guess(first, gift, await scene.claimed(first, gift), 4);
  const short = await scene.claimed(second, gift);
  expect(short).toMatch(/^\d{6}$/);
  await guess(second, gift, short, 3);
  expect(await wrongCodesOf(gift)).toBe(7);
  // A code of six digits is compared no more, not even the right one.
  const refused = await redeem(second, gift, { verificationCode: short });
  expectRefusal(refused, 'merchant', 4034, { reason: 'claim-not-found', says: 'the next code is' });
  expect(await wrongCodesOf(gift)).toBe(7);
  const long = await scene.claimed(third, gift);
  expect(long).toMatch(/^\d{8}$/);
  done(await redeem(third, gift, { verificationCode: long }));
  expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
});

test.concurrent('the same guess at another claim’s code counts anew, under the same key too', async () => {
  const { client } = await newMerchant();
  const gift = await openGift();
  const guesses = ['111111', '222222'];
  for (let round = 1; round <= 2; round += 1) {
    const code = await scene.claimed(client, gift);
    for (const verificationCode of guesses) {
      expect(verificationCode).not.toBe(code);
      const request = { verificationCode, idempotencyKey: `alternate ${gift.id}` };
      expect((await redeem(client, gift, request)).body.statusCode).toBe(4035);
    }
  }
  expect(await wrongCodesOf(gift)).toBe(4);
});

test('each wrong code is counted once, also where nothing else of its request stays', async () => {
  const { merchant, client } = await newMerchant();
  const gift = await openGift();
  const code = await scene.claimed(client, gift);
  const mend = await breakStatement(scene.stack.database, {
    table: 'operations',
    on: 'update',
    when: "new.status = 'REFUSED'",
  });
  const request = { verificationCode: otherCode(code), idempotencyKey: randomUUID() };
  const broken = await redeem(client, gift, request);
  await mend();
  expect(broken.body.statusCode).toBe(5004);
  expect(await wrongCodesOf(gift)).toBe(1);
  // The same request once more is the same guess.
  expect((await redeem(client, gift, request)).body.statusCode).toBe(4035);
  expect(await wrongCodesOf(gift)).toBe(1);
  expect((await countsOf({ kind: 'merchant', id: merchant.id })).wrong_codes).toBe(1);
});

describe('a company that has spent its wrong codes of the day', () => {
  let slowed: Awaited<ReturnType<typeof newMerchant>>;
  let gifts: Gift[];
  beforeAll(async () => {
    slowed = await newMerchant();
    gifts = await Promise.all(Array.from({ length: 6 }, openGift));
    const [one, two] = gifts as [Gift, Gift];
    await guess(slowed.client, one, await scene.claimed(slowed.client, one), 3);
    await guess(slowed.client, two, await scene.claimed(slowed.client, two), 3);
  });

  test('is in the list of alarms from that moment on', async () => {
    const counts = await countsOf({ kind: 'merchant', id: slowed.merchant.id });
    expect(counts.wrong_codes).toBe(6);
    expect(counts.wrong_codes_spent_at).toBeInstanceOf(Date);
  });

  test('compares one code after the other, refuses a turn too far away, and all others go on at once', async () => {
    const { client } = slowed;
    const open = gifts.slice(2);
    const codes = await Promise.all(open.map((gift) => scene.claimed(client, gift)));
    const redeemOpen = (place: number) =>
      redeem(client, open[place] as Gift, { verificationCode: codes[place] });
    const startedAt = performance.now();
    for (const answer of await Promise.all([0, 1, 2].map(redeemOpen))) done(answer);
    // Turns at 0, 1 and 2 seconds.
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);

    const setNextTurn = (at: ReturnType<typeof sql>) =>
      sql`update company_daily_counts set next_turn_at = ${at}
        where company_kind = 'merchant' and company_id = ${slowed.merchant.id}`.execute(
        scene.stack.database,
      );
    await setNextTurn(sql`now() + interval '1 hour'`);
    expectRefusal(await redeemOpen(3), 'merchant', 429, {
      reason: 'too-many-requests',
      says: 'run one at a time',
      headers: { 'Retry-After': '25' },
    });
    const { merchant, client: other } = await newMerchant();
    const gift = await openGift();
    await guess(other, gift, await scene.claimed(other, gift), 1);
    done(await redeem(other, gift, { verificationCode: await scene.claimed(other, gift) }));
    const counts = await countsOf({ kind: 'merchant', id: merchant.id });
    expect(counts).toMatchObject({ wrong_codes: 1, next_turn_at: null });
    await setNextTurn(sql`now()`);
    done(await redeemOpen(3));
  });

  test('goes on at once with another budget, or on another day', async () => {
    const { merchant, client } = slowed;
    const { database } = scene.stack;
    const fast = async () => {
      const gift = await openGift();
      const verificationCode = await scene.claimed(client, gift);
      await sql`update company_daily_counts set next_turn_at = now() + interval '1 hour'`.execute(
        database,
      );
      return redeem(client, gift, { verificationCode });
    };
    expect((await fast()).status).toBe(429);
    const setBudget = (wrong_codes_per_day: number | null) =>
      database
        .updateTable('merchants')
        .set({ wrong_codes_per_day })
        .where('id', '=', merchant.id)
        .execute();
    await setBudget(7);
    done(await fast());
    await setBudget(null);
    expect((await fast()).status).toBe(429);
    await sql`update company_daily_counts set day = day - 1`.execute(database);
    done(await fast());
  });
});

test('a redemption without a code, or of an anonymous voucher, waits for no turn', async () => {
  const { client } = await newMerchant();
  const gift = await openGift();
  await guess(client, gift, await scene.claimed(client, gift), 5);
  const other = await openGift();
  await guess(client, other, await scene.claimed(client, other), 1);
  await sql`update company_daily_counts set next_turn_at = now() + interval '1 hour'`.execute(
    scene.stack.database,
  );
  done(await redeem(client, await scene.gift({ owner: null, isRestricted: false })));
  expect((await redeem(client, other)).body.statusCode).toBe(4033);
  expect(await newestCode(scene.stack, other.owner ?? '')).toMatch(/^\d{6}$/);
});

test('a repeated redemption that is being paid is no guess: it waits for no turn, and for no look-up', async () => {
  const { database, api } = scene.stack;
  const { merchant, client } = await newMerchant({ payoutSuffix: '014' });
  const gift = await openGift();
  const request = {
    verificationCode: await scene.claimed(client, gift),
    idempotencyKey: randomUUID(),
  };
  const first = redeem(client, gift, request);
  await until(async () => expect((await scene.voucher(gift)).status).toBe('REDEEM_PROCESSING'));
  // Its caller has waited long enough, and its company has sent too many wrong codes since.
  await sql`update operations set created_at = created_at - interval '1 hour'
    where status = 'RUNNING' and company_kind = 'merchant' and company_id = ${merchant.id}`.execute(
    database,
  );
  await sql`update company_daily_counts
    set wrong_codes = 6, next_turn_at = now() + interval '1 hour'
    where company_kind = 'merchant' and company_id = ${merchant.id}`.execute(database);
  const tooMany = refuse('too-many-requests', { retryAfterSeconds: 60 });
  const guesses = vi.spyOn(api.services, 'guesses');
  guesses.mockReturnValue(async ({ refused }) => refused(tooMany));
  const asked = vi.spyOn(calls.redeem, 'send');
  const again = redeem(client, gift, request);
  // Refused, it would ask nothing.
  await Promise.race([again, until(() => expect(asked).toHaveBeenCalled())]);
  guesses.mockRestore();
  asked.mockRestore();
  await scene.settlePayout(merchant, 'completed');
  expect(done(await again).body).toEqual(done(await first).body);
});
