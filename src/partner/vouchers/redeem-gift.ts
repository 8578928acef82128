import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { idField, voucherCodeField } from '../../http/fields/request-fields.ts';
import {
  redeemedFields,
  redemptionFields,
  SERVICE_FEE_RULE,
} from '../../http/fields/voucher-fields.ts';
import {
  redeemOnce,
  redemptionReasons,
  runningReference,
} from '../../operations/voucher-operations.ts';

/** Redeems a voucher: the merchant is paid through mobile money (specification 4.1). */
export const redeemGift = endpoint({
  method: 'POST',
  path: '/topup-transactions/redeem-gift',
  operation: 'redeem-gift',
  summary: 'Redeem a voucher',
  description:
    `Pays the merchant by mobile money. ${SERVICE_FEE_RULE} A voucher bound to a phone number needs ` +
    'the verification code of a claim; an anonymous one takes an optional `amount`.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  guessLimit: 'voucher-code',
  body: z.object({
    voucherCode: voucherCodeField,
    ...redemptionFields,
    merchantId: idField
      .nullish()
      .meta({ description: 'Merchant that is paid, where it is not the one of the generation' }),
  }),
  answer: z.object(redeemedFields),
  reasons: ['account-suspended', ...redemptionReasons, 'redemption-unknown'],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const { result, replayed } = await redeemOnce(services, {
      ...body,
      company,
      lookUpVoucher,
      key,
      content: body,
    });
    if (result.ok) {
      return reply(
        { response: 'The voucher was redeemed', referenceNumber: result.providerReference },
        { message: 'Voucher redeemed', replayed },
      );
    }
    const isRunning =
      result.reason === 'still-processing' || result.reason === 'redemption-in-progress';
    if (!isRunning) return { ...result, replayed };
    const referenceNumber = await runningReference(services, body.voucherCode);
    return { ...result, data: { referenceNumber } };
  },
});
