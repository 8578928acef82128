import { z } from 'zod';
import { outcomeFor } from '../db/operations.js';
import { runningRedemption } from '../db/redemptions.js';
import { refuse } from '../domain/errors.js';
import { formatMoney } from '../domain/money.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import {
  amountField,
  idField,
  msisdnField,
  verificationCodeField,
  voucherCodeField,
} from '../http/fields.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { carryOut, identify } from '../http/operation.js';
import { findRequestedVoucher, verificationDigest } from '../http/redemption-request.js';

/** Redeems a voucher: the merchant is paid through mobile money (specification 4.1). */
export const redeemGift = endpoint({
  method: 'POST',
  path: '/topup-transactions/redeem-gift',
  operation: 'redeem-gift',
  summary: 'Redeem a voucher',
  description:
    'Transfers what was claimed, less the service fee, to the merchant. A voucher bound to a phone ' +
    'number needs the verification code of a claim; an anonymous one takes an optional `amount`.',
  access: 'token',
  body: z.object({
    voucherCode: voucherCodeField,
    verificationCode: verificationCodeField.nullish(),
    msisdn: msisdnField.nullish(),
    merchantId: idField.nullish(),
    amount: amountField.nullish(),
  }),
  answer: z.object({ response: z.string(), referenceNumber: z.string() }),
  reasons: [
    'voucher-not-found',
    'voucher-restricted',
    'merchant-not-found',
    'voucher-redeemed',
    'redemption-in-progress',
    'voucher-expired',
    'verification-code-missing',
    'claim-not-found',
    'attempts-exhausted',
    'verification-code-incorrect',
    'balance-insufficient',
    'amount-exceeds-balance',
    'balance-negative-after-fee',
    'payout-account-missing',
    'payment-refused',
    'message-not-queued',
    'key-reused',
    'still-processing',
  ],
  async handle({ services, company, body, headers }) {
    const key = idempotencyKeyOf(headers);
    if (!key.ok) return key;
    const amount = body.amount ? formatMoney(body.amount) : null;
    const identity = identify(services, {
      company,
      kind: 'redeem-gift',
      key: key.value,
      content: { ...body, amount },
    });
    const voucher = await findRequestedVoucher(services, company, body.voucherCode);
    const { result, replayed } = await carryOut(services, identity, async () => {
      if (!voucher) return outcomeFor(identity, refuse('voucher-not-found'));
      return services.workflows.redeem(voucher, {
        ...identity,
        voucherId: voucher.id,
        merchantId: body.merchantId ?? null,
        amount,
        verificationCodeDigest: verificationDigest(services, body.verificationCode, voucher),
        msisdn: body.msisdn ?? null,
      });
    });
    if (result.ok) {
      return reply(
        { response: 'The voucher was redeemed', referenceNumber: result.providerReference },
        { message: 'Voucher redeemed', replayed },
      );
    }
    const isRunning =
      result.reason === 'still-processing' || result.reason === 'redemption-in-progress';
    if (!isRunning || !voucher) return { ...result, replayed };
    const running = await runningRedemption(services.database, voucher.id);
    return { ...result, data: { referenceNumber: running?.platform_reference ?? null } };
  },
});
