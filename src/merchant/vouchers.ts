import { z } from 'zod';
import { voucherDetail } from '../db/vouchers/vouchers.ts';
import { formatMoney, parseMoney, percentageOf } from '../domain/money.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import { formatVoucherCode, isRedeemableBy, voucherStatuses } from '../domain/vouchers/voucher.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply, replyOnce } from '../http/envelope.ts';
import {
  claimAnswer,
  claimedAmountField,
  claimWords,
  echoedFields,
  echoOf,
  idAnswer,
  moneyAnswer,
  redeemedFields,
  redemptionFields,
  SERVICE_FEE_RULE,
  textAnswer,
  timeAnswer,
} from '../http/fields/answer-fields.ts';
import { merchantFields, voucherCodeField } from '../http/fields/request-fields.ts';
import type { Services } from '../http/services.ts';
import {
  claimOnce,
  claimReasons,
  redeemGiftOnce,
  redemptionReasons,
} from '../operations/redemptions.ts';

/** Starts a redemption at the calling merchant (specification 4.2). */
export const merchantInitiateClaimEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/initiate-claim',
  operation: 'initiate-claim',
  summary: 'Start a redemption',
  description:
    'Sends the owner of the voucher a verification code by SMS. Without `amount` the whole balance ' +
    "is claimed. The claim fixes the merchant's service fee.",
  access: 'signed',
  scope: 'vouchers',
  idempotency: 'body',
  guessLimit: 'voucher-code',
  body: z.object({
    voucherCode: voucherCodeField,
    amount: claimedAmountField,
    ...merchantFields,
  }),
  answer: z.object({
    message: claimAnswer,
    ...echoedFields,
  }),
  reasons: ['partner-unavailable', ...claimReasons],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const asked = { ...body, company, lookUpVoucher, key, content: body };
    return replyOnce(await claimOnce(services, asked), (claim) => {
      const { message, text } = claimWords(claim);
      return reply({ message: text, ...echoOf(body) }, { message });
    });
  },
});

/** Completes a redemption at the calling merchant (specification 4.2). */
export const merchantRedeemGiftEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/redeem-gift',
  operation: 'redeem-gift',
  summary: 'Complete a redemption',
  description:
    `Pays the calling merchant by mobile money. ${SERVICE_FEE_RULE} Until the provider has ` +
    'answered, repeat the same request to get the result.',
  access: 'signed',
  scope: 'vouchers',
  idempotency: 'body',
  guessLimit: 'voucher-code',
  body: z.object({
    voucherCode: voucherCodeField,
    ...redemptionFields,
    ...merchantFields,
  }),
  answer: z.object({
    ...redeemedFields,
    platformReferenceNumber: textAnswer(
      'Our reference of the redemption, for questions to support',
      'RDM-0123456789ABCDEF',
    ),
    ...echoedFields,
  }),
  reasons: ['partner-unavailable', ...redemptionReasons],
  async handle({ services, company, lookUpVoucher, body, key }) {
    const asked = { ...body, company, lookUpVoucher, key, content: body };
    return replyOnce(
      await redeemGiftOnce(services, asked),
      ({ providerReference, platformReference }) =>
        reply(
          {
            response: 'The voucher was redeemed',
            referenceNumber: providerReference,
            platformReferenceNumber: platformReference,
            ...echoOf(body),
          },
          { message: 'Voucher redeemed' },
        ),
    );
  },
});

/** Shows a voucher to a merchant that may redeem it (specification 2.3 and 4.2). */
export const merchantShowVoucherEndpoint = endpoint({
  method: 'GET',
  path: '/topup-transactions/:voucherCode',
  operation: 'voucher-detail',
  summary: 'Voucher detail',
  description:
    "Shows the voucher, and the service fee on its remaining balance at the calling merchant's percentage.",
  access: 'token',
  scope: 'read',
  guessLimit: 'voucher-code',
  params: z.object({ voucherCode: voucherCodeField }),
  answer: z.object({
    voucher: z
      .object({
        id: idAnswer('voucher'),
        code: textAnswer('Code of the voucher', '7H3K-9M2P-QX4R-T6WV'),
        serialNumber: textAnswer('Serial number, which support asks for', '482193756041827305'),
        amount: moneyAnswer('Value at the generation in ETB'),
        remainingBalance: moneyAnswer('What is left of it in ETB', '250.000000'),
        status: z.enum(voucherStatuses).meta({
          description: 'State of the voucher',
          examples: ['ACTIVE'],
        }),
        expirationDate: timeAnswer('When the voucher expires'),
      })
      .meta({ title: 'Voucher', description: 'The voucher' }),
    serviceFee: moneyAnswer('Service fee on the remaining balance in ETB', '6.250000'),
  }),
  reasons: ['voucher-not-found', 'merchant-not-found', 'service-fee-missing'],
  async handle({ services, company, lookUpVoucher, params }) {
    const { canonical } = params.voucherCode;
    const found = await lookUpVoucher<FoundVoucher | Refusal>({
      code: params.voucherCode,
      run: () => findVoucher(services, company.id, canonical),
      refusalOf: (result) => (result.ok ? undefined : result),
      refused: (refusal) => refusal,
    });
    if (!found.ok) return found;
    const { voucher, code } = found;
    if (voucher.merchant_status !== 'ACTIVE') return refuse('merchant-not-found');
    if (voucher.service_fee_percent === null) return refuse('service-fee-missing');
    const fee = percentageOf(parseMoney(voucher.remaining), voucher.service_fee_percent);
    return reply(
      {
        voucher: {
          id: voucher.id,
          code: formatVoucherCode(code),
          serialNumber: voucher.serial_number,
          amount: voucher.amount,
          remainingBalance: voucher.remaining,
          status: voucher.status,
          expirationDate: voucher.expires_at.toISOString(),
        },
        serviceFee: formatMoney(fee),
      },
      { message: 'Voucher found' },
    );
  },
});

interface FoundVoucher {
  readonly ok: true;
  readonly voucher: NonNullable<Awaited<ReturnType<typeof voucherDetail>>>;
  /** Canonical. */
  readonly code: string;
}

/**
 * Finds the voucher of a code. The refusal is identical for invalid, unknown and inaccessible
 * codes.
 */
async function findVoucher(
  { database, digests }: Services,
  merchantId: number,
  code: string | undefined,
): Promise<FoundVoucher | Refusal> {
  if (code === undefined) return refuse('voucher-not-found');
  const voucher = await voucherDetail(database, merchantId, digests.stored.voucherCode(code));
  return voucher && isRedeemableBy(voucher, merchantId)
    ? { ok: true, voucher, code }
    : refuse('voucher-not-found');
}
