import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { claimAnswer, claimWords } from '../../http/fields/claim-answer.ts';
import { voucherCodeField } from '../../http/fields/request-fields.ts';
import { claimedAmountField } from '../../http/fields/voucher-fields.ts';
import { claimOnce, claimReasons } from '../../operations/voucher-operations.ts';

/** Sends the owner of a voucher a verification code (specification 4.1). */
export const initiateClaim = endpoint({
  method: 'POST',
  path: '/topup-transactions/initiate-claim',
  operation: 'initiate-claim',
  summary: 'Send a verification code to the voucher owner',
  description:
    'Starts a redemption of a voucher that is bound to a phone number. Without `amount` the ' +
    'whole balance is claimed. A new claim replaces an earlier one.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  guessLimit: 'voucher-code',
  body: z.object({ voucherCode: voucherCodeField, amount: claimedAmountField }),
  answer: claimAnswer,
  reasons: ['account-suspended', ...claimReasons],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const { result, replayed } = await claimOnce(services, {
      company,
      lookUpVoucher,
      key,
      content: body,
      voucherCode: body.voucherCode,
      amount: body.amount,
    });
    if (!result.ok) return { ...result, replayed };
    const { message, text } = claimWords(result);
    return reply(text, { message, replayed });
  },
});
