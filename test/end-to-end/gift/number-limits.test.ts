import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../support/clients.ts';
import { deposit } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { sale } from '../topups/topup-scene.ts';
import { GENERATE, type GiftScene, REDEEM, setGiftScene } from './gift-scene.ts';

let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene({
    VOUCHERS_PER_NUMBER_AND_DAY: '3',
    REDEMPTIONS_PER_NUMBER_AND_DAY: '2',
    TOPUPS_PER_NUMBER_AND_DAY: '2',
  });
  await makeTopupProducts(scene.stack, scene.partner);
  await deposit(scene.stack, scene.partner.id, '100000', 'airtime');
});
afterAll(() => scene?.stop());

let numbers = 0;
/** A number that the sandbox serves in every way. */
function freshNumber(): string {
  numbers += 1;
  return `+2519112${String(numbers).padStart(2, '0')}050`;
}

const key = () => ({ 'Idempotency-Key': randomUUID() });

const generate = (msisdn: string | null): Promise<Answer> =>
  scene.asPartner.post(
    GENERATE,
    {
      denominationId: scene.partner.denominations[100],
      merchantId: scene.merchant.id,
      msisdn,
    },
    key(),
  );

const topup = (msisdn: string): Promise<Answer> =>
  scene.asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale }, key());

const refused = (answer: Answer, surface: 'partner' | 'merchant' = 'partner') => {
  expectRefusal(answer, surface, 429, { reason: 'number-limit-reached' });
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
};

test('a number is given as many vouchers a day as the setting says, also at the same moment', async () => {
  const msisdn = freshNumber();
  const answers = await Promise.all(Array.from({ length: 12 }, () => generate(msisdn)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  for (const answer of answers) if (answer.status !== 200) refused(answer);
  expect((await generate(freshNumber())).status).toBe(200);
  const anonymous = await Promise.all(Array.from({ length: 4 }, () => generate(null)));
  expect(anonymous.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('as many top-ups, of which failed ones and retries count', async () => {
  const msisdn = freshNumber();
  expect([(await topup(msisdn)).status, (await topup(msisdn)).status]).toEqual([200, 200]);
  refused(await topup(msisdn));
  const failing = `+251911300${'002'}`;
  const failed = await topup(failing);
  expect(failed.status).toBe(424);
  const retry = () =>
    scene.asPartner.post(
      '/topup-transactions/retry-topup',
      { transactionId: failed.body.data.transactionId, msisdn: failing },
      key(),
    );
  expect((await retry()).status).toBe(424);
  refused(await retry());
});

test('as many redemptions; a refused one takes nothing and leaves the claim', async () => {
  const msisdn = freshNumber();
  const redeemed: Answer[] = [];
  const before: unknown[] = [];
  for (let index = 0; index < 3; index += 1) {
    const gift = await scene.gift({ owner: msisdn });
    const verificationCode = await scene.claimed(scene.asMerchant, gift);
    before.push(await scene.holdings());
    redeemed.push(
      await scene.asMerchant.post(REDEEM, { voucherCode: gift.voucherCode, verificationCode }),
    );
  }
  expect(redeemed.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
  refused(redeemed[2] as Answer, 'merchant');
  expect(await scene.holdings()).toEqual(before[2]);
});

test('the day before does not count, and numbers are not in the table', async () => {
  const msisdn = freshNumber();
  for (const status of [200, 200, 200, 429]) expect((await generate(msisdn)).status).toBe(status);
  const { rows } = await sql<{ text: string }>`
    select row_to_json(counted)::text as text from number_daily_counts as counted`.execute(
    scene.stack.database,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ text }) => text).join()).not.toContain(msisdn.slice(1));
  await sql`update number_daily_counts set day = day - 1`.execute(scene.stack.database);
  expect((await generate(msisdn)).status).toBe(200);
});
