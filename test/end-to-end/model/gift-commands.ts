import type { AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import { asFirstTold } from '../../../chaos/clients/outcome.ts';
import { CLAIM, GENERATE, newOwner, REDEEM } from '../gift/gift-scene.ts';
import { compareWallets } from './compare.ts';
import { type By, claim, generate, type Model, type ModelVoucher, redeem } from './model.ts';
import { expectCode, inEtb, type RealService, type RealVoucher } from './real-service.ts';

export type ModelCommand = AsyncCommand<Model, RealService>;

/** A voucher of the model and the real one; `place` is any number. */
export function voucherAt(model: Model, real: RealService, place: number) {
  const index = place % model.vouchers.length;
  return {
    voucher: model.vouchers[index] as ModelVoucher,
    realVoucher: real.vouchers[index] as RealVoucher,
  };
}

export const hasVouchers = ({ vouchers }: Readonly<Model>): boolean => vouchers.length > 0;

/** A command from what it is called, when it may run, and what it does. */
export const command = (
  name: string,
  isPossible: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: RealService) => Promise<void>,
): ModelCommand => ({
  check: isPossible,
  async run(model, real) {
    await run(model, real);
    await compareWallets(model, real);
  },
  toString: () => name,
});

export const generateCommand = (options: {
  denomination: '100' | '500' | '1000';
  merchant: 0 | 1;
  isAnonymous: boolean;
  isRestricted: boolean;
}): ModelCommand =>
  command(
    `generate ${JSON.stringify(options)}`,
    () => true,
    async (model, real) => {
      const { denomination, merchant, isAnonymous, isRestricted } = options;
      const owner = isAnonymous ? null : newOwner();
      const amount = Number(denomination) * 100;
      const expected = generate(model, { isAnonymous, isRestricted, merchant, amount });
      const answer = await real.post('partner', GENERATE, {
        denominationId: real.partner.denominations[denomination],
        merchantId: real.merchants[merchant]?.id,
        msisdn: owner,
        isRestricted,
      });
      expectCode(answer, expected);
      if (expected !== 200) return;
      const { id, voucherCode } = answer.body.data.voucher;
      real.vouchers.push({ id: Number(id), voucherCode, owner });
    },
  );

export const claimCommand = (options: {
  place: number;
  by: By;
  cents: number | undefined;
}): ModelCommand =>
  command(`claim ${JSON.stringify(options)}`, hasVouchers, async (model, real) => {
    const { voucher, realVoucher } = voucherAt(model, real, options.place);
    const expected = claim(voucher, options.by, options.cents);
    const { voucherCode } = realVoucher;
    const amount = options.cents === undefined ? {} : { amount: inEtb(options.cents) };
    expectCode(await real.post(options.by, CLAIM, { voucherCode, ...amount }), expected);
  });

export const redeemCommand = (options: {
  place: number;
  by: By;
  code: 'right' | 'wrong' | 'missing';
  cents: number | undefined;
}): ModelCommand =>
  command(`redeem ${JSON.stringify(options)}`, hasVouchers, async (model, real) => {
    const { place, by, code, cents } = options;
    const { voucher, realVoucher } = voucherAt(model, real, place);
    const expected = redeem(model, voucher, { by, code, amount: cents });
    const { voucherCode, owner } = realVoucher;
    const answer = await real.post(by, REDEEM, {
      voucherCode,
      ...(owner === null && cents !== undefined ? { amount: inEtb(cents) } : {}),
      ...(owner === null || code === 'missing'
        ? {}
        : {
            verificationCode: await (code === 'right'
              ? real.rightCode(realVoucher)
              : real.wrongCode(realVoucher)),
          }),
    });
    expectCode(answer, expected);
  });

/** The usual way of a gift: the company that claims it redeems it. */
export const claimAndRedeemCommand = (
  options: Parameters<typeof redeemCommand>[0],
): ModelCommand => {
  const steps = [claimCommand(options), redeemCommand(options)];
  return {
    check: hasVouchers,
    async run(model, real) {
      for (const step of steps) await step.run(model, real);
    },
    toString: () => steps.join(', then '),
  };
};

/** The voucher's own merchant looks at it. */
export const showVoucherCommand = (place: number): ModelCommand =>
  command(`show voucher ${place}`, hasVouchers, async (model, real) => {
    const { voucher, realVoucher } = voucherAt(model, real, place);
    const path = `/topup-transactions/${encodeURIComponent(realVoucher.voucherCode)}`;
    const { body } = await real.merchantClientOf(voucher.merchant).get(path);
    if (body.statusCode === 4041 && voucher.status === 'CANCELLED') return;
    expect(body.data.voucher).toMatchObject({
      status: voucher.status,
      remainingBalance: `${inEtb(voucher.remaining)}0000`,
    });
  });

const told = (body: unknown): string => asFirstTold(JSON.stringify(body));

/**
 * What was answered for good is answered again, to the byte but for the message of a failed top-up that was delivered
 * since, and moves nothing.
 */
export const repeatCommand = (place: number): ModelCommand =>
  command(
    `repeat ${place}`,
    () => true,
    async (_model, real) => {
      const earlier = real.answered[place % Math.max(1, real.answered.length)];
      if (!earlier) return;
      const answer = await earlier.repeat();
      expect(answer.status).toBe(earlier.status);
      expect(told(answer.body)).toBe(told(earlier.body));
      expect(answer.headers.get('Idempotent-Replayed')).toBe('true');
    },
  );
