import { z } from 'zod';
import { voucherList } from '../db/lists/vouchers.ts';
import { findVoucherDetail } from '../db/vouchers/vouchers.ts';
import { refuse } from '../domain/refusals.ts';
import { formatVoucherCode } from '../domain/vouchers/voucher.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply, replyOnce } from '../http/envelope.ts';
import {
  claimAnswer,
  claimedAmountField,
  claimWords,
  idAnswer,
  moneyAnswer,
  redeemedFields,
  redemptionFields,
  SERVICE_FEE_RULE,
  textAnswer,
} from '../http/fields/answer-fields.ts';
import { idField, voucherCodeField } from '../http/fields/request-fields.ts';
import { listEndpoint, listParameters } from '../http/lists/list-endpoint.ts';
import {
  claimOnce,
  claimReasons,
  redeemGiftOnce,
  redemptionReasons,
  runningReference,
} from '../operations/redemptions.ts';
import {
  cancelVoucherOnce,
  generateVoucherOnce,
  resendMessageOnce,
} from '../operations/vouchers.ts';
import {
  lacksMerchant,
  presentVoucher,
  presentVoucherDetail,
  voucherDetailSchema,
  voucherFields,
  voucherOf,
  voucherParams,
  voucherSchema,
  withMerchant,
} from './voucher-view.ts';

/** Cancels a voucher and returns its unused value (beyond the specification). */
export const cancelVoucherEndpoint = endpoint({
  method: 'POST',
  path: '/vouchers/:voucherId/cancel',
  operation: 'cancel-voucher',
  summary: 'Cancel a voucher',
  description:
    'Returns the remaining value of a voucher to the gift balance. A cancellation is final and ends ' +
    'an open claim. It is refused while a redemption is being paid. For a voucher that is cancelled ' +
    'already, the answer shows the value that its cancellation returned.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  params: voucherParams,
  answer: z.object({
    id: idAnswer('voucher'),
    status: z.literal('CANCELLED').meta({ description: 'Always CANCELLED' }),
    returnedAmount: moneyAnswer('What went back to the gift balance in ETB'),
  }),
  reasons: [
    'account-suspended',
    'voucher-id-not-found',
    'voucher-redeemed',
    'voucher-being-redeemed',
    'voucher-expired',
    'reserve-not-updated',
    'database-failed',
    'key-reused',
    'still-processing',
  ],
  async handle({ services, company, params, key }) {
    const { voucherId } = params;
    const cancelled = await cancelVoucherOnce(services, { company, key, voucherId });
    return replyOnce(cancelled, ({ returned }) =>
      reply(
        { id: voucherId, status: 'CANCELLED', returnedAmount: returned },
        { message: 'Voucher cancelled' },
      ),
    );
  },
});

const bodySchema = withMerchant(z.object(voucherFields));

/** Generates a gift voucher for a merchant and an owner (specification 4.1). */
export const generateVoucherEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/generate-voucher',
  operation: 'generate-voucher',
  summary: 'Generate a voucher',
  description:
    'Takes the denomination from the gift balance and answers a new voucher. `msisdn: null` ' +
    'makes an anonymous voucher, which is redeemed without a verification code. An ' +
    '`Idempotency-Key` makes the request safe to repeat.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  body: bodySchema,
  lacks: (body) => (lacksMerchant(body) ? 'merchant-unspecified' : undefined),
  answer: z.object({
    voucher: z
      .object({
        id: textAnswer('Identifier of the voucher, as text', '17'),
        voucherCode: textAnswer('Code of the voucher: give it to its owner', '7H3K-9M2P-QX4R-T6WV'),
        amount: moneyAnswer('Value of the voucher in ETB'),
      })
      .meta({ title: 'GeneratedVoucher', description: 'The new voucher' }),
  }),
  reasons: [
    'account-suspended',
    'merchant-unspecified',
    'country-not-served',
    'product-not-accessible',
    'denomination-not-found',
    'merchant-not-found',
    'price-not-defined',
    'money-insufficient',
    'daily-limit-reached',
    'number-limit-reached',
    'database-failed',
    'key-reused',
    'still-processing',
    'generation-unknown',
  ],
  async handle({ services, company, body, key }) {
    const generated = await generateVoucherOnce(services, {
      company,
      key,
      content: body,
      voucher: voucherOf(body),
    });
    return replyOnce(generated, ({ voucher: { id, amount, operation_id, code_ciphertext } }) => {
      const code = services.secretBox.open(code_ciphertext, `voucher ${operation_id}`);
      return reply(
        { voucher: { id: String(id), voucherCode: formatVoucherCode(code), amount } },
        { message: 'Voucher generated' },
      );
    });
  },
});

/** Sends the owner of a voucher a verification code (specification 4.1). */
export const partnerInitiateClaimEndpoint = endpoint({
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
    const asked = { ...body, company, lookUpVoucher, key, content: body };
    return replyOnce(await claimOnce(services, asked), (claim) => {
      const { message, text } = claimWords(claim);
      return reply(text, { message });
    });
  },
});

/** Lists a partner's vouchers, newest first (beyond the specification). */
export const listVouchersEndpoint = listEndpoint({
  path: '/vouchers',
  summary: 'List vouchers',
  description:
    'Your vouchers, newest first, filtered by status, serial number or time (from, to). No list ' +
    'shows their codes.',
  message: 'Vouchers',
  list: voucherList,
  defaultLimit: 20,
  parameters: {
    status: listParameters.choice(voucherSchema.shape.status, 'status'),
    from: listParameters.from('Vouchers generated from this time on'),
    to: listParameters.to('Vouchers generated before this time'),
    serialNumber: listParameters.exact('Serial number of a voucher', 'serialNumber'),
  },
  item: voucherSchema,
  present: presentVoucher,
});

/** Redeems a voucher: the merchant is paid through mobile money (specification 4.1). */
export const partnerRedeemGiftEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/redeem-gift',
  operation: 'redeem-gift',
  summary: 'Redeem a voucher',
  description:
    `Pays the merchant by mobile money. ${SERVICE_FEE_RULE} A voucher bound to a phone number needs ` +
    'the verification code of a claim; an anonymous voucher takes an optional `amount`.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  guessLimit: 'voucher-code',
  body: z.object({
    voucherCode: voucherCodeField,
    ...redemptionFields,
    merchantId: idField.nullish().meta({
      description: 'Merchant that is paid, if it differs from the merchant of the generation',
    }),
  }),
  answer: z.object(redeemedFields),
  reasons: ['account-suspended', ...redemptionReasons, 'redemption-unknown'],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const asked = { ...body, company, lookUpVoucher, key, content: body };
    const redeemed = await redeemGiftOnce(services, asked);
    const { result } = redeemed;
    const isRunning =
      !result.ok &&
      (result.reason === 'still-processing' || result.reason === 'redemption-in-progress');
    if (isRunning) {
      const referenceNumber = await runningReference(services, body.voucherCode);
      return { ...result, data: { referenceNumber } };
    }
    return replyOnce(redeemed, ({ providerReference }) =>
      reply(
        { response: 'The voucher was redeemed', referenceNumber: providerReference },
        { message: 'Voucher redeemed' },
      ),
    );
  },
});

/** Sends an owner the message that was lost once more (beyond the specification). */
export const resendMessageEndpoint = endpoint({
  method: 'POST',
  path: '/vouchers/:voucherId/resend',
  operation: 'resend-message',
  summary: 'Send a message to the owner again',
  description:
    'Sends the verification code of the open claim once more, the same code. Without a claim it ' +
    'sends the confirmation of the last redemption, unless the provider accepted that confirmation. ' +
    'Pauses and daily limits are the same as for claims.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  params: voucherParams,
  answer: z.object({
    id: idAnswer('voucher'),
    kind: z.enum(['VERIFICATION_CODE', 'REDEMPTION_CONFIRMATION']).meta({
      description: 'The message that was sent',
      examples: ['VERIFICATION_CODE'],
    }),
  }),
  reasons: [
    'account-suspended',
    'voucher-id-not-found',
    'nothing-to-resend',
    'resend-too-soon',
    'messages-exhausted',
    'messages-refused',
    'company-messages-exhausted',
    'message-not-queued',
    'database-failed',
    'key-reused',
    'still-processing',
  ],
  async handle({ services, company, params, key }) {
    const { voucherId } = params;
    const resent = await resendMessageOnce(services, { company, key, voucherId });
    return replyOnce(resent, ({ kind, sending }) =>
      reply(
        { id: voucherId, kind },
        { message: sending === 'unknown' ? 'Message being sent' : 'Message sent' },
      ),
    );
  },
});

/** Shows one voucher with its history (beyond the specification). */
export const partnerShowVoucherEndpoint = endpoint({
  method: 'GET',
  path: '/vouchers/:voucherId',
  operation: 'show-voucher',
  summary: 'Show a voucher',
  description:
    'State, remaining value, claims, redemptions and messages of a voucher, for example after a ' +
    'broken connection. Never its code.',
  access: 'token',
  scope: 'read',
  params: voucherParams,
  answer: voucherDetailSchema,
  reasons: ['voucher-id-not-found'],
  async handle({ services, company, params }) {
    const partnerId = company.id;
    const voucher = await findVoucherDetail(services.database, params.voucherId, { partnerId });
    if (!voucher) return refuse('voucher-id-not-found');
    return reply(presentVoucherDetail(voucher), { message: 'Voucher found' });
  },
});
