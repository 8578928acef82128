import { type ZodType, z } from 'zod';
import type { ListedVoucher } from '../db/lists/vouchers.ts';
import type { VoucherDetail } from '../db/vouchers/vouchers.ts';
import { plainCopy } from '../domain/copied-text.ts';
import { formatMoney, parseMoney } from '../domain/money.ts';
import { maskStored } from '../domain/phone.ts';
import { voucherStatuses } from '../domain/vouchers/voucher.ts';
import type { JsonObject } from '../http/body/json-body.ts';
import {
  attemptStatusAnswer,
  attemptStatuses,
  idAnswer,
  isoTime,
  maskedMsisdnAnswer,
  moneyAnswer,
  presentReversal,
  reversalAnswer,
  textAnswer,
  timeAnswer,
} from '../http/fields/answer-fields.ts';
import { idField, msisdnField } from '../http/fields/request-fields.ts';
import { optionalSaleFields } from './prices.ts';

/** What describes a voucher to be generated (specification 4.1). */
export const voucherFields = {
  denominationId: idField.meta({ description: 'Identifier of an active denomination' }),
  merchantId: idField.nullish().meta({
    description:
      'Merchant that redeems the voucher; this or `merchantIdentifier` is needed, and this counts where both ' +
      'are sent',
  }),
  merchantIdentifier: z
    .string('must be the identifier as text')
    .min(1, 'must have at least 1 character')
    .max(100, 'must have at most 100 characters')
    .transform(plainCopy)
    .nullish()
    .meta({
      description: 'Merchant by the `identifier` of its record, in place of `merchantId`',
      examples: ['MER-0001'],
    }),
  msisdn: msisdnField.nullable().meta({
    description: 'Phone number of the owner; null makes an anonymous voucher',
    examples: ['+251911234567'],
  }),
  ...optionalSaleFields,
  isRestricted: z
    .boolean('must be true or false')
    .nullish()
    .transform((isRestricted) => isRestricted ?? true)
    .meta({
      description: 'Whether only the given merchant may redeem it; true where it is absent',
      examples: [true],
    }),
};

type VoucherBody = z.output<z.ZodObject<typeof voucherFields>>;

/** Whether a body names no merchant. */
export const lacksMerchant = ({ merchantId, merchantIdentifier }: JsonObject): boolean =>
  (merchantId ?? null) === null && (merchantIdentifier ?? null) === null;

/** Requires a merchant; a missing one is named together with the other wrong fields. */
export const withMerchant = <Body extends ZodType>(body: Body): Body =>
  body.refine((sent) => !lacksMerchant(sent as JsonObject), {
    path: ['merchantId'],
    error: 'must be sent, or merchantIdentifier',
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

/** The merchant by its id, else by its identifier; `withMerchant` has refused a body with neither. */
export const merchantOf = ({
  merchantId,
  merchantIdentifier,
}: Pick<VoucherBody, 'merchantId' | 'merchantIdentifier'>) =>
  typeof merchantId === 'number' ? { id: merchantId } : { identifier: merchantIdentifier ?? '' };

/** The voucher that a body asks for. */
export const voucherOf = (body: VoucherBody) => ({
  merchant: merchantOf(body),
  denominationId: body.denominationId,
  ownerMsisdn: body.msisdn,
  isRestricted: body.isRestricted,
  sale: {
    exchangeRate: body.exchangeRate ?? null,
    currency: body.currency ?? null,
    originatingCountry: body.originatingCountry ?? null,
    foreignCurrencyAmount: body.foreignCurrencyAmount ?? null,
  },
});

/** The path of one voucher. */
export const voucherParams = z.object({
  voucherId: idField.meta({ description: '`id` of the voucher' }),
});

/** A voucher as partners see it; never its code. */
export const voucherSchema = z.object({
  id: idAnswer('voucher'),
  createdAt: timeAnswer('When it was generated'),
  expirationDate: timeAnswer('When it expires'),
  serialNumber: textAnswer('Serial number, which support asks for', '482193756041827305'),
  status: z.enum(voucherStatuses).meta({
    title: 'VoucherStatus',
    description:
      'ACTIVE can be claimed; REDEEM_INITIATED has a claim; REDEEM_PROCESSING is being paid; ' +
      'REDEEMED is used up, until a reversal makes it ACTIVE; EXPIRED and CANCELLED are final',
    examples: ['ACTIVE'],
  }),
  msisdn: maskedMsisdnAnswer
    .nullable()
    .meta({ description: 'Phone number of the owner, partly masked; null: anonymous' }),
  merchantId: idAnswer('merchant that it was generated for'),
  merchantName: textAnswer('Name of this merchant', 'Abyssinia Coffee House'),
  amount: moneyAnswer('Value at the generation in ETB'),
  remainingBalance: moneyAnswer('What is left of it in ETB', '250.000000'),
});

/** Phone numbers are always masked. */
export const presentVoucher = (voucher: ListedVoucher): z.output<typeof voucherSchema> => ({
  id: voucher.id,
  createdAt: voucher.createdAt.toISOString(),
  expirationDate: voucher.expiresAt.toISOString(),
  serialNumber: voucher.serialNumber,
  status: voucher.status,
  msisdn: voucher.ownerMsisdn && maskStored(voucher.ownerMsisdn),
  merchantId: voucher.merchantId,
  merchantName: voucher.merchantName,
  amount: voucher.amount,
  remainingBalance: voucher.remaining,
});

const claimSchema = z
  .object({
    createdAt: timeAnswer('When it was made'),
    company: textAnswer('The company that made it', 'Abyssinia Coffee House'),
    amount: moneyAnswer('The claimed amount in ETB; null is the whole balance').nullable(),
    status: z.enum(['OPEN', 'SUPERSEDED', 'EXPIRED', 'CANCELLED', 'REDEEMED', 'REFUSED']).meta({
      description:
        'OPEN waits for its redemption; SUPERSEDED by a newer claim; CANCELLED: its message was ' +
        'refused, or the voucher cancelled; REFUSED: its payment was refused',
      examples: ['REDEEMED'],
    }),
  })
  .meta({ title: 'VoucherClaim' });

const redemptionSchema = z
  .object({
    createdAt: timeAnswer('When it began'),
    settledAt: timeAnswer('When it ended; null while it is open').nullable(),
    merchantName: textAnswer('The merchant that is paid', 'Abyssinia Coffee House'),
    amount: moneyAnswer('What it takes from the voucher in ETB, with the service fee'),
    status: attemptStatusAnswer.meta({
      description: 'State of the payment; a failed one took nothing from the voucher',
      examples: ['SUCCESS'],
    }),
    platformReferenceNumber: textAnswer('Our reference of the redemption', 'RDM-0123456789ABCDEF'),
    referenceNumber: textAnswer("The mobile-money provider's reference", '2237512891').nullable(),
    paidLateAt: timeAnswer('When it was found to be paid although it had failed').nullable(),
    reversedAt: timeAnswer('When it was found to be taken back, or was reversed').nullable(),
    reversal: reversalAnswer,
  })
  .meta({ title: 'VoucherRedemption' });

const messageSchema = z
  .object({
    at: timeAnswer('When its state was known, or it was queued'),
    kind: z
      .enum(['VERIFICATION_CODE', 'REDEMPTION_CONFIRMATION', 'EXPIRY_REMINDER', 'REVERSAL_NOTICE'])
      .meta({ description: 'What the message says', examples: ['VERIFICATION_CODE'] }),
    msisdn: maskedMsisdnAnswer,
    status: z.enum(['QUEUED', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN', 'CANCELLED']).meta({
      description:
        'SENT was accepted by the SMS provider, REFUSED was not; of UNKNOWN the provider has said ' +
        'nothing; CANCELLED was never sent',
      examples: ['SENT'],
    }),
  })
  .meta({ title: 'VoucherMessage' });

export const voucherDetailSchema = voucherSchema.extend({
  isRestricted: z
    .boolean()
    .meta({ description: 'Whether only its merchant may redeem it', examples: [true] }),
  sellingPriceUsd: moneyAnswer('Your selling price in USD at the generation', '8.750000'),
  heldAmount: moneyAnswer('What a running redemption holds in ETB', '0.000000'),
  returnedAmount: moneyAnswer(
    'What expiry or cancellation, and reversals since then, returned to you in ETB',
    '0.000000',
  ),
  endedAt: timeAnswer('When it expired or was cancelled; null otherwise').nullable(),
  claims: z.array(claimSchema).meta({ description: 'Its claims, the first one first' }),
  redemptions: z
    .array(redemptionSchema)
    .meta({ description: 'Its redemptions, the first one first' }),
  messages: z.array(messageSchema).meta({
    description: 'The messages to its owner, the first one first; never their text',
  }),
});

/** A voucher with its history. The fee that the merchant pays stays between us and the merchant. */
export const presentVoucherDetail = (
  voucher: VoucherDetail,
): z.output<typeof voucherDetailSchema> => ({
  ...presentVoucher(voucher),
  isRestricted: voucher.isRestricted,
  sellingPriceUsd: voucher.sellingPriceUsd,
  heldAmount: voucher.held,
  returnedAmount: voucher.returned,
  endedAt: voucher.endedAt?.toISOString() ?? null,
  claims: voucher.claims.map(({ at, company, amount, status }) => ({
    createdAt: isoTime(at),
    company,
    amount,
    status,
  })),
  redemptions: voucher.redemptions.map((redemption) => ({
    createdAt: isoTime(redemption.at),
    settledAt: redemption.settledAt && isoTime(redemption.settledAt),
    merchantName: redemption.merchant,
    amount: formatMoney(parseMoney(redemption.toMerchant) + parseMoney(redemption.serviceFee)),
    status: attemptStatuses[redemption.status],
    platformReferenceNumber: redemption.reference,
    referenceNumber: redemption.providerReference,
    paidLateAt: redemption.lateAt && isoTime(redemption.lateAt),
    reversedAt: redemption.takenBackAt && isoTime(redemption.takenBackAt),
    reversal: presentReversal(redemption.reversal),
  })),
  messages: voucher.messages.map(({ at, kind, msisdn, status }) => ({
    at: isoTime(at),
    kind,
    msisdn: maskStored(msisdn),
    status,
  })),
});
