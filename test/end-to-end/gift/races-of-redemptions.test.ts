import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, partnerClient } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { atOnce } from '../idempotency/at-once.ts';
import { CLAIM, type Client, done, GENERATE, type Gift, REDEEM } from './gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from './redemption-scene.ts';

/** Callers who want the same money at the same moment (F30, F34); each race is run several times. */
let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
});
afterAll(() => scene?.stop());

const rounds = [1, 2, 3] as const;
const CALLERS = 50;

const succeeded = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);

const codesOfLosers = (answers: readonly Answer[]): number[] => [
  ...new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.statusCode)),
];

/** What a gift's redemptions took from it, and what was paid for it. */
async function booked(gift: Gift) {
  const posted = await scene.postedRedemptions(gift);
  const sum = (values: readonly string[]) => values.reduce((total, one) => total + Number(one), 0);
  return {
    count: posted.length,
    toMerchants: sum(posted.map(({ to_merchant }) => to_merchant)),
    fees: sum(posted.map(({ service_fee }) => service_fee)),
  };
}

const messagesTo = ({ owner }: Gift) => scene.stack.sandbox.books.messages(owner ?? '');

test.each(rounds)(
  'parts of an anonymous voucher are never more than all of it (%i)',
  async (round) => {
    const merchant = await makeMerchant(scene.stack);
    const gift = await scene.gift({ owner: null, denomination: 500, isRestricted: false });
    const amounts = Array.from({ length: CALLERS }, (_, index) => 20 + ((index * 37 + round) % 90));
    const answers = await atOnce(
      round,
      amounts.map((amount, index) => (): Promise<Answer> => {
        const { voucherCode } = gift;
        return index % 2
          ? scene.asMerchant.post(REDEEM, { voucherCode, amount })
          : scene.asPartner.post(REDEEM, { voucherCode, amount, merchantId: merchant.id });
      }),
    );
    const { count, toMerchants, fees } = await booked(gift);
    expect(count).toBeGreaterThan(0);
    // Two callers of the partner with one amount and no key are one request.
    expect(succeeded(answers).length).toBeGreaterThanOrEqual(count);
    expect(toMerchants + fees).toBeLessThanOrEqual(500);
    const voucher = await scene.voucher(gift);
    expect(Number(voucher.remaining)).toBeCloseTo(500 - toMerchants - fees, 6);
    expect(Number(voucher.held)).toBe(0);
    const allowed = [4091, 4092, 4044, 4096, 4032, 403, 404, 409];
    expect(codesOfLosers(answers).filter((code) => !allowed.includes(code))).toEqual([]);
  },
);

test.each(rounds)('the right code under fifty keys redeems once (%i)', async (round) => {
  const { client } = await scene.payee('merchant');
  const gift = await scene.gift({ isRestricted: false });
  const part = round === 1 ? {} : { amount: 10 * round };
  const verificationCode = await scene.claimed(client, gift, part);
  const { voucherCode } = gift;
  const answers = await atOnce(
    round,
    Array.from(
      { length: CALLERS },
      () => () => client.post(REDEEM, { voucherCode, verificationCode }),
    ),
  );
  expect(succeeded(answers)).toHaveLength(1);
  expect((await booked(gift)).count).toBe(1);
  expect(codesOfLosers(answers).filter((code) => ![4092, 4032, 4034].includes(code))).toEqual([]);
});

test.each(rounds)('of three claims at once one code is good (%i)', async (round) => {
  const gift = await scene.gift();
  const { voucherCode } = gift;
  const claims = await atOnce(
    round,
    [scene.asMerchant, scene.asMerchant, scene.asMerchant].map(
      (client: Client) => () => client.post(CLAIM, { voucherCode }),
    ),
  );
  expect(succeeded(claims).length).toBeGreaterThan(0);
  const codes = messagesTo(gift).map(({ text }) => text.slice(0, 6));
  const answers: Answer[] = [];
  for (const verificationCode of codes.toReversed())
    answers.push(await scene.asMerchant.post(REDEEM, { voucherCode, verificationCode }));
  expect(succeeded(answers)).toHaveLength(1);
  expect(codesOfLosers(answers).filter((code) => ![4035, 4032].includes(code))).toEqual([]);
  expect((await booked(gift)).count).toBe(1);
});

test.each(rounds)(
  'a new claim and a redemption by the old code: one comes first (%i)',
  async (round) => {
    const gift = await scene.gift();
    const { voucherCode } = gift;
    const old = await scene.claimed(scene.asMerchant, gift);
    const [claim, redemption] = await atOnce(round, [
      () => scene.asMerchant.post(CLAIM, { voucherCode }),
      () => scene.asMerchant.post(REDEEM, { voucherCode, verificationCode: old }),
    ]);
    if (redemption?.status === 200) {
      expect([4092, 4042]).toContain(claim?.body.statusCode);
      expect((await booked(gift)).count).toBe(1);
      return;
    }
    // The new claim came first: the old code is dead, the new one good.
    expect([4035, 4034]).toContain(redemption?.body.statusCode);
    done(claim as Answer);
    expect((await booked(gift)).count).toBe(0);
    const verificationCode = messagesTo(gift)[0]?.text.slice(0, 6);
    done(await scene.asMerchant.post(REDEEM, { voucherCode, verificationCode }));
  },
);

test.each(rounds)('as many vouchers are generated as the wallet pays for (%i)', async (round) => {
  const partner = await makePartner(scene.stack, { giftWallet: '750' });
  const client = await partnerClient(scene.stack, partner);
  const answers = await atOnce(
    round,
    Array.from(
      { length: 20 },
      () => () =>
        client.post(GENERATE, {
          denominationId: partner.denominations[100],
          merchantId: scene.merchant.id,
          msisdn: null,
        }),
    ),
  );
  expect(succeeded(answers)).toHaveLength(7);
  expect(codesOfLosers(answers)).toEqual([405]);
  const { body } = await client.get('/info/get-current-balance');
  expect(body.data).toMatchObject({ eMoneyWalletBalance: 50, reservedBalance: 700 });
});
