import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { textAnswer } from '../../http/fields/answer-fields.ts';
import { topUpOnce } from '../../operations/top-up.ts';
import { saleOf } from '../sale-fields.ts';
import { topupAnswer } from './topup-answer.ts';
import { topupAnswerSchema, topupReasons } from './topup-fields.ts';
import { packageFields } from './topup-request-fields.ts';

/** Buys a package for a phone number (specification 4.1) at the product's price. */
export const topUpPackage = endpoint({
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
    const result = await topUpOnce(services, {
      company,
      operation: 'airtime-package-topup',
      key,
      topup: {
        kind: 'PACKAGE',
        productId: body.productId,
        amount: null,
        msisdn: body.msisdn,
        ...saleOf(body),
      },
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
