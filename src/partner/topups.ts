import { z } from 'zod';
import { type ListedTopup, topupList } from '../db/lists/topups.ts';
import { findTopupDetail, type TopupDetail } from '../db/topups/topups.ts';
import { formatMoney } from '../domain/money.ts';
import { maskStored } from '../domain/phone.ts';
import { type Reason, refuse } from '../domain/refusals.ts';
import { topupReference, topupStatuses } from '../domain/topup.ts';
import { endpoint } from '../http/endpoint.ts';
import { type RefusalReply, type Reply, reply } from '../http/envelope.ts';
import {
  attemptStatusAnswer,
  attemptStatuses,
  idAnswer,
  isoTime,
  maskedMsisdnAnswer,
  moneyAnswer,
  textAnswer,
  timeAnswer,
  topupKindAnswer,
} from '../http/fields/answer-fields.ts';
import { amountField, idField, msisdnField } from '../http/fields/request-fields.ts';
import { listEndpoint, listParameters } from '../http/lists/list-endpoint.ts';
import {
  type AskedTopup,
  type NumberedTopup,
  retryOnce,
  type TopupAnswer,
  topupOnce,
} from '../operations/topups.ts';
import { saleFields, saleOf } from './prices.ts';

/** A top-up as partners see it; PENDING, PROCESSING and UNKNOWN are not final. */
const topupSchema = z.object({
  transactionId: idAnswer('top-up, which a retry names'),
  createdAt: timeAnswer('When it was accepted'),
  updatedAt: timeAnswer('Time of the last change'),
  kind: topupKindAnswer,
  status: z.enum(topupStatuses).meta({
    title: 'TopUpStatus',
    description:
      'PENDING, PROCESSING and UNKNOWN are still open; SUCCESS was delivered; FAILED can be retried',
    examples: ['SUCCESS'],
  }),
  amount: moneyAnswer(
    'Amount in ETB; null until the price of a package is known',
    '100.000000',
  ).nullable(),
  productId: idAnswer('package or airtime product; null before the service chose it').nullable(),
  msisdn: maskedMsisdnAnswer,
  referenceNumber: textAnswer(
    "The provider's reference of a delivered top-up",
    '2237512891',
  ).nullable(),
  message: textAnswer('Outcome for people', 'The top-up was delivered').nullable(),
  attempt: z.int().meta({ description: 'Number of the last attempt, from 1', examples: [1] }),
  charged: z.boolean().meta({
    description: 'Whether the wallet paid for it, late or not, without a refund',
    examples: [true],
  }),
  lateDelivery: z
    .object({
      deliveredAt: timeAnswer('When the late delivery was found'),
      settled: z.boolean().meta({
        description: 'Whether its cost is settled',
        examples: [false],
      }),
    })
    .meta({ title: 'LateDelivery' })
    .nullable()
    .meta({ description: 'The top-up failed, and the provider delivered it later' }),
  reversal: z
    .object({
      reversedAt: timeAnswer('When the reversal was found'),
      credited: z.boolean().meta({
        description: 'Whether the wallet has got the amount back',
        examples: [true],
      }),
    })
    .meta({ title: 'TopUpReversal' })
    .nullable()
    .meta({ description: 'The provider took the top-up back after the delivery' }),
});

/** Phone numbers are always masked. */
const presentTopup = (topup: ListedTopup): z.output<typeof topupSchema> => ({
  transactionId: topup.id,
  createdAt: topup.createdAt.toISOString(),
  updatedAt: topup.updatedAt.toISOString(),
  kind: topup.kind,
  status: topup.status,
  amount: topup.amount,
  productId: topup.productId,
  msisdn: maskStored(topup.msisdn),
  referenceNumber: topup.providerReference,
  message: topup.message,
  attempt: topup.attempt,
  charged: topup.charged,
  lateDelivery: topup.lateDelivery && {
    deliveredAt: isoTime(topup.lateDelivery.at),
    settled: topup.lateDelivery.isSettled,
  },
  reversal: topup.reversal && {
    reversedAt: isoTime(topup.reversal.at),
    credited: topup.reversal.isCredited,
  },
});

const attemptSchema = z
  .object({
    attempt: z.int().meta({ description: 'Number of the attempt, from 1', examples: [1] }),
    createdAt: timeAnswer('When the attempt began'),
    settledAt: timeAnswer('When it ended; null while it is open').nullable(),
    msisdn: maskedMsisdnAnswer,
    status: attemptStatusAnswer,
    ourReference: textAnswer(
      'Our reference of the attempt, which its number ends',
      '0123456789abcdef0123456789abcdef-1',
    ),
    referenceNumber: textAnswer("The provider's reference", '2237512891').nullable(),
    message: textAnswer('What the provider says of it', 'COMPLETED').nullable(),
    deliveredLateAt: timeAnswer(
      'When it was found to be delivered although it had failed',
    ).nullable(),
    reversedAt: timeAnswer('When it was found to be taken back').nullable(),
  })
  .meta({ title: 'TopUpAttempt' });

const presentAttempt = (
  attempt: TopupDetail['attempts'][number],
): z.output<typeof attemptSchema> => ({
  attempt: attempt.attempt,
  createdAt: isoTime(attempt.at),
  settledAt: attempt.settledAt && isoTime(attempt.settledAt),
  msisdn: maskStored(attempt.msisdn),
  status: attempt.lateAt === null ? attemptStatuses[attempt.status] : 'SUCCESS',
  ourReference: attempt.reference,
  referenceNumber: attempt.providerReference,
  message: attempt.providerMessage,
  deliveredLateAt: attempt.lateAt && isoTime(attempt.lateAt),
  reversedAt: attempt.takenBackAt && isoTime(attempt.takenBackAt),
});

/** Lists a partner's top-ups, newest first (beyond the specification). */
export const listTopupsEndpoint = listEndpoint({
  path: '/topup-transactions',
  summary: 'List top-ups',
  description:
    'Your top-ups, newest first, filtered by status, kind, time (from, to) or reference (ours or ' +
    "the provider's).",
  message: 'Top-ups',
  list: topupList,
  defaultLimit: 20,
  parameters: {
    status: listParameters.choice(topupSchema.shape.status, 'status'),
    kind: listParameters.choice(topupSchema.shape.kind, 'kind'),
    from: listParameters.from('Top-ups from this time on'),
    to: listParameters.to('Top-ups before this time'),
    reference: listParameters.exact("Reference of an attempt, ours or the provider's", 'reference'),
  },
  item: topupSchema,
  present: presentTopup,
});

/** The answer while the result is unknown: accepted, with the number of the top-up. */
const acceptedAnswer = (topup: NumberedTopup): Reply =>
  reply(
    {
      transactionId: topup.transactionId,
      message: 'The top-up was accepted and is being processed',
      referenceNumber: topupReference(topup.creationId, topup.attempt),
    },
    { message: 'Accepted and processing' },
  );

/**
 * The answer to a top-up: accepted, delivered, refused or failed. A failure that can be retried has
 * the failure envelope of specification 4.1.
 */
function topupAnswer(topup: TopupAnswer): Reply | RefusalReply {
  if ('accepted' in topup) return acceptedAnswer(topup.accepted);
  const { result, replayed } = topup;
  if (result.ok) {
    return reply(
      {
        transactionId: result.transactionId,
        status: 'SUCCESS',
        message: 'The top-up was delivered',
        referenceNumber: result.referenceNumber,
      },
      { message: 'Delivered', replayed },
    );
  }
  if (result.transactionId === undefined) return { ...result, replayed };
  const { transactionId, detail = null } = result;
  return {
    ...result,
    replayed,
    data: { transactionId, status: 'FAILED', referenceNumber: null, message: detail },
  };
}

/** Without `status` while the top-up is being processed. */
const topupAnswerSchema = z
  .object({
    transactionId: idAnswer('top-up, which a retry names'),
    status: z
      .literal('SUCCESS')
      .optional()
      .meta({ description: 'Absent while the top-up is being processed' }),
    message: textAnswer('What became of the top-up', 'The top-up was delivered'),
    referenceNumber: textAnswer(
      "The provider's reference of a delivered top-up; ours while it is being processed",
      '2237512891',
    ),
  })
  .meta({ title: 'TopUpResult' });

/** `data` of a failed top-up (specification 4.1). */
export const topupFailureSchema = z
  .object({
    transactionId: idAnswer('top-up, which a retry names'),
    status: z.literal('FAILED').meta({ description: 'It failed, and nothing was charged' }),
    referenceNumber: z.null().meta({ description: 'A failed top-up has no reference' }),
    message: textAnswer(
      'Why it failed, where the provider says so',
      'Subscriber not found',
    ).nullable(),
  })
  .meta({ title: 'FailedTopUp', description: 'Of a failed top-up (424)' });

/** The reasons of all top-up endpoints. */
const topupReasons: readonly Reason[] = [
  'account-suspended',
  'product-not-accessible',
  'number-not-served',
  'money-insufficient',
  'daily-limit-reached',
  'number-limit-reached',
  'database-failed',
  'topup-failed',
  'topup-delivered-since',
  'topup-retried-since',
  'key-reused',
];

/** Retries a failed top-up, optionally to another number (specification 4.1). */
export const retryTopupEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/retry-topup',
  operation: 'retry-topup',
  summary: 'Retry a failed top-up',
  description:
    'Holds the money again and makes one more attempt. Only a failed top-up can be retried. Two ' +
    'concurrent retries make one attempt and get the same answer.',
  access: 'token',
  scope: 'topups',
  idempotency: 'header',
  body: z.object({
    transactionId: idField.meta({ description: '`transactionId` of a failed top-up' }),
    msisdn: msisdnField.nullish().meta({
      description:
        'Another number to send to; for a package, of the same operator; absent: the same number. ' +
        'Needed where the number was erased, which happens long after the last attempt',
    }),
  }),
  answer: topupAnswerSchema,
  reasons: [
    ...topupReasons,
    'topup-not-found',
    'topup-not-failed',
    'number-erased',
    'operator-mismatch',
    'amount-out-of-range',
  ],
  async handle({ services, company, body, key }) {
    const retry = { transactionId: body.transactionId, msisdn: body.msisdn ?? null };
    return topupAnswer(await retryOnce(services, { company, key, content: body, retry }));
  },
});

/** Shows one top-up with its attempts (beyond the specification). */
export const showTopupEndpoint = endpoint({
  method: 'GET',
  path: '/topup-transactions/:transactionId',
  operation: 'show-topup',
  summary: 'Show a top-up',
  description: 'Status and attempts of a top-up, for example after a broken connection.',
  access: 'token',
  scope: 'read',
  params: z.object({
    transactionId: idField.meta({ description: '`transactionId` of the top-up' }),
  }),
  answer: topupSchema.extend({
    attempts: z.array(attemptSchema).meta({ description: 'Its attempts, the first one first' }),
  }),
  reasons: ['topup-not-found'],
  async handle({ services, company, params }) {
    const topup = await findTopupDetail(services.database, company.id, params.transactionId);
    if (!topup) return refuse('topup-not-found');
    return reply(
      { ...presentTopup(topup), attempts: topup.attempts.map(presentAttempt) },
      { message: 'Top-up found' },
    );
  },
});

/** What describes a top-up of airtime (specification 4.1). */
export const airtimeFields = { amount: amountField, msisdn: msisdnField, ...saleFields };

/** What describes the purchase of a package (specification 4.1). */
export const packageFields = {
  productId: idField.meta({ description: 'Identifier of a package of the product list' }),
  msisdn: msisdnField,
  ...saleFields,
};

/** The top-up that a body of airtime asks for. */
export const airtimeOf = (body: z.output<z.ZodObject<typeof airtimeFields>>): AskedTopup => ({
  kind: 'AIRTIME',
  productId: null,
  amount: formatMoney(body.amount),
  msisdn: body.msisdn,
  ...saleOf(body),
});

/** The top-up that a body of a package asks for. */
export const packageOf = (body: z.output<z.ZodObject<typeof packageFields>>): AskedTopup => ({
  kind: 'PACKAGE',
  productId: body.productId,
  amount: null,
  msisdn: body.msisdn,
  ...saleOf(body),
});

/** Sends airtime (specification 4.1) and charges walletBalance. */
export const topupAirtimeEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/airtime-topup',
  operation: 'airtime-topup',
  summary: 'Top up airtime',
  description:
    'Sends airtime to a phone number. Answers the result, or after some seconds that the top-up ' +
    'is being processed: then GET /topup-transactions/:transactionId shows the result. A failed ' +
    'top-up is not charged and can be retried.',
  access: 'token',
  scope: 'topups',
  idempotency: 'header',
  body: z.object(airtimeFields),
  answer: topupAnswerSchema,
  reasons: [...topupReasons, 'amount-out-of-range'],
  async handle({ services, company, body, key }) {
    const result = await topupOnce(services, {
      company,
      operation: 'airtime-topup',
      key,
      topup: airtimeOf(body),
    });
    return topupAnswer(result);
  },
});

/** Buys a package for a phone number (specification 4.1) at the product's price. */
export const topupPackageEndpoint = endpoint({
  method: 'POST',
  path: '/topup-transactions/airtime-package-topup',
  operation: 'airtime-package-topup',
  summary: 'Buy a package',
  description:
    'Sends a voice or data package to a phone number of its operator. Answers and retries work ' +
    'as for airtime-topup.',
  access: 'token',
  scope: 'topups',
  idempotency: 'header',
  body: z.object(packageFields),
  answer: topupAnswerSchema.extend({
    referenceNo: textAnswer('The same as referenceNumber', '2237512891'),
  }),
  reasons: [...topupReasons, 'operator-mismatch'],
  async handle({ services, company, body, key }) {
    const result = await topupOnce(services, {
      company,
      operation: 'airtime-package-topup',
      key,
      topup: packageOf(body),
    });
    const answer = topupAnswer(result);
    return answer.ok ? { ...answer, data: withReferenceNo(answer.data) } : answer;
  },
});

/**
 * The specification calls the reference of a package `referenceNo`, but elsewhere referenceNumber.
 */
const withReferenceNo = (data: unknown) => {
  const { referenceNumber } = data as { readonly referenceNumber: string };
  return { ...(data as object), referenceNo: referenceNumber };
};
