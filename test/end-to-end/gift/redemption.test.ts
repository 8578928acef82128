import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/domain/refusals.ts';
import { merchantClient } from '../../support/clients.ts';
import type { TestMerchant } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { done, type GiftOptions, newOwner } from './gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from './redemption-scene.ts';

const RDM = /^RDM-[0-9A-F]{16}$/;

let scene: RedemptionScene;

beforeAll(async () => {
  scene = await setRedemptionScene();
});
afterAll(() => scene?.stop());

describe('a redemption pays', () => {
  const cases: readonly {
    readonly title: string;
    readonly on: Surface;
    readonly gift: GiftOptions;
    readonly feePercent?: string;
    /** One redemption after the other; undefined is the whole balance. */
    readonly amounts: readonly (number | string | undefined)[];
    readonly paid: readonly string[];
    readonly fees: readonly string[];
    readonly left: string;
  }[] = [
    {
      title: 'a whole balance less the fee',
      on: 'merchant',
      gift: {},
      amounts: [undefined],
      paid: ['97.50'],
      fees: ['2.50'],
      left: '0',
    },
    {
      title: 'an amount equal to the balance like the whole of it',
      on: 'partner',
      gift: {},
      amounts: ['100.00'],
      paid: ['97.50'],
      fees: ['2.50'],
      left: '0',
    },
    {
      title: 'a part, its fee out of the rest, and then the whole rest',
      on: 'partner',
      gift: { denomination: 500 },
      amounts: [100, undefined],
      paid: ['100.00', '387.56'],
      fees: ['2.50', '9.94'],
      left: '0',
    },
    {
      title: 'a part whose fee is exactly the rest',
      on: 'merchant',
      gift: {},
      amounts: ['97.56'],
      paid: ['97.56'],
      fees: ['2.44'],
      left: '0',
    },
    {
      title: 'everything where the merchant pays no fee',
      on: 'merchant',
      gift: {},
      feePercent: '0',
      amounts: [30, undefined],
      paid: ['30.00', '70.00'],
      fees: ['0', '0'],
      left: '0',
    },
    {
      title: 'an anonymous voucher’s whole balance',
      on: 'merchant',
      gift: { owner: null },
      amounts: [undefined],
      paid: ['97.50'],
      fees: ['2.50'],
      left: '0',
    },
    {
      title: 'an amount of an anonymous voucher',
      on: 'merchant',
      gift: { owner: null, denomination: 500 },
      amounts: [99.99, '0.5'],
      paid: ['99.99', '0.50'],
      fees: ['2.50', '0.01'],
      left: '397.00',
    },
  ];

  test.each(cases.map((one) => [one.title, one.on, one] as const))(
    '%s, on the %s API',
    async (_title, surface, { gift: options, amounts, paid, fees, left, feePercent = '2.5' }) => {
      const { merchant, client } = await scene.payee(surface, {
        service_fee_percent: feePercent,
      });
      const before = await scene.balances();
      const gift = await scene.gift({ merchant, ...options });
      const generated = await scene.balances();
      const price = before.eMoneyWalletBalance - generated.eMoneyWalletBalance;
      expect(generated.reservedBalance - before.reservedBalance).toBeCloseTo(price, 6);

      for (const amount of amounts) {
        const extra = amount === undefined ? {} : { amount };
        const { data } = (await scene.redeemed(client, gift, extra)).body;
        expect(data.response).toBe('The voucher was redeemed');
        expect(data.referenceNumber).toMatch(/^MM[0-9A-F]{12}$/);
        if (surface === 'merchant') expect(data.platformReferenceNumber).toMatch(RDM);
        const { books } = scene.stack.sandbox;
        expect(books.findPayout('transactionReference', data.referenceNumber)).toMatchObject({
          to: merchant.payoutNumber,
          currency: 'ETB',
        });
      }

      expect(scene.amountsPaidTo(merchant).reverse()).toEqual(
        paid.map((sum) => `${sum} completed`),
      );
      const posted = await scene.postedRedemptions(gift);
      expect(posted.map((row) => Number(row.to_merchant))).toEqual(paid.map(Number));
      expect(posted.map((row) => Number(row.service_fee))).toEqual(fees.map(Number));
      const { status, remaining } = await scene.voucher(gift);
      expect([status, Number(remaining)]).toEqual([
        Number(left) > 0 ? 'ACTIVE' : 'REDEEMED',
        Number(left),
      ]);
      const { reservedBalance, eMoneyWalletBalance } = await scene.balances();
      expect(eMoneyWalletBalance).toBe(generated.eMoneyWalletBalance);
      expect(reservedBalance - before.reservedBalance).toBeCloseTo(Number(left), 6);
    },
  );

  test('the detail of the voucher shows what is left and the fee on it', async () => {
    const { merchant } = await scene.payee('merchant');
    const client = await merchantClient(scene.stack, merchant);
    const gift = await scene.gift({ merchant, denomination: 500 });
    await scene.redeemed(client, gift, { amount: 100 });
    const { body } = await client.get(`/topup-transactions/${gift.voucherCode}`);
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      statusCode: 200,
      data: {
        voucher: {
          id: gift.id,
          code: gift.voucherCode,
          serialNumber: expect.stringMatching(/^\d{18}$/),
          amount: '500.000000',
          remainingBalance: '397.500000',
          status: 'ACTIVE',
          expirationDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
        serviceFee: '9.940000',
      },
    });
  });
});

describe.concurrent('a redemption at another merchant', () => {
  const elsewhere = () => scene.payee('merchant', { service_fee_percent: '10' });

  test('is made by the partner with its merchantId, at that merchant’s fee', async () => {
    const { merchant } = await elsewhere();
    const gift = await scene.gift({ isRestricted: false });
    const verificationCode = await scene.claimed(scene.asPartner, gift);
    done(await redeem(scene.asPartner, gift, { verificationCode, merchantId: merchant.id }));
    expect(scene.amountsPaidTo(merchant)).toEqual(['90.00 completed']);
  });

  test('is made by the partner without a code when the voucher is anonymous', async () => {
    const { merchant } = await elsewhere();
    const gift = await scene.gift({ isRestricted: false, owner: null });
    done(await redeem(scene.asPartner, gift, { merchantId: String(merchant.id), amount: 50 }));
    expect(scene.amountsPaidTo(merchant)).toEqual(['50.00 completed']);
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE', remaining: '45.000000' });
  });

  test('is made by that merchant itself', async () => {
    const { merchant, client } = await elsewhere();
    const gift = await scene.gift({ isRestricted: false });
    await scene.redeemed(client, gift);
    expect(scene.amountsPaidTo(merchant)).toEqual(['90.00 completed']);
  });

  test('is made by the partner with the merchantId of the voucher’s own merchant', async () => {
    const { merchant } = await elsewhere();
    const gift = await scene.gift({ merchant, owner: null });
    done(await redeem(scene.asPartner, gift, { merchantId: merchant.id }));
    expect(scene.amountsPaidTo(merchant)).toEqual(['90.00 completed']);
  });
});

describe.concurrent('a redemption after a new claim', () => {
  test('takes the new code and not the old one', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const old = await scene.claimed(client, gift);
    const code = await scene.claimed(client, gift, { amount: 40 });
    if (old !== code) {
      const refused = await redeem(client, gift, { verificationCode: old });
      expect(refused.body.statusCode).toBe(4035);
    }
    done(await redeem(client, gift, { verificationCode: code }));
    expect(scene.amountsPaidTo(merchant)).toEqual(['40.00 completed']);
  });

  test('of the partner takes no code of the merchant’s', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const old = await scene.claimed(client, gift);
    const code = await scene.claimed(scene.asPartner, gift);
    expect((await redeem(client, gift, { verificationCode: old })).body.statusCode).toBe(4034);
    expect((await redeem(client, gift, { verificationCode: code })).body.statusCode).toBe(4034);
    done(await redeem(scene.asPartner, gift, { verificationCode: code }));
  });

  test('takes the fee of the moment where the partner’s claim left the merchant open', async () => {
    const { merchant } = await scene.payee('partner');
    const gift = await scene.gift({ merchant, isRestricted: false });
    const verificationCode = await scene.claimed(scene.asPartner, gift);
    await setFee(merchant, '50');
    done(await redeem(scene.asPartner, gift, { verificationCode }));
    expect(scene.amountsPaidTo(merchant)).toEqual(['50.00 completed']);
  });

  const setFee = ({ id }: TestMerchant, percent: string) =>
    scene.stack.database
      .updateTable('merchants')
      .set({ service_fee_percent: percent })
      .where('id', '=', id)
      .execute();
});

describe.concurrent('a redemption is confirmed by SMS', () => {
  const confirmations = (msisdn: string) =>
    scene.stack.sandbox.books.messages(msisdn).filter(({ text }) => text.includes('was used'));

  const untilConfirmed = (msisdn: string) =>
    until(() => expect(confirmations(msisdn)).toHaveLength(1));

  test('to the owner, with what was used, paid and kept as the fee, and what is left', async () => {
    const gift = await scene.gift({ denomination: 500 });
    await scene.redeemed(scene.asMerchant, gift, { amount: 100 });
    await untilConfirmed(gift.owner ?? '');
    const [confirmation] = confirmations(gift.owner ?? '');
    expect(confirmation?.text).toMatch(
      new RegExp(
        '^ETB 102\\.50 of your gift voucher was used: ETB 100\\.00 paid to Test Merchant, ' +
          'ETB 2\\.50 service fee\\. Remaining: ETB 397\\.50\\. Reference RDM-[0-9A-F]{16}\\.$',
      ),
    );
    expect(confirmation?.text).not.toContain(gift.voucherCode);
  });

  test('to the number that the redemption of an anonymous voucher names', async () => {
    const msisdn = newOwner();
    const gift = await scene.gift({ owner: null });
    done(await redeem(scene.asPartner, gift, { msisdn: msisdn.replace('+251', '0') }));
    await untilConfirmed(msisdn);
  });

  test('but stays as it is when the message is refused', async () => {
    const msisdn = newOwner('003');
    const gift = await scene.gift({ owner: null });
    done(await redeem(scene.asPartner, gift, { msisdn }));
    await until(async () => {
      const { status } = await scene.stack.database
        .selectFrom('messages')
        .select('status')
        .where('voucher_id', '=', gift.id)
        .executeTakeFirstOrThrow();
      expect(status).toBe('REFUSED');
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEMED' });
  });
});
