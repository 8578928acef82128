import { z } from 'zod';
import { formatMoney } from '../../domain/money.ts';
import { endpoint } from '../../http/endpoint.ts';
import { topUpOnce } from '../../operations/top-up.ts';
import { saleOf } from '../sale-fields.ts';
import { topupAnswer } from './topup-answer.ts';
import { topupAnswerSchema, topupReasons } from './topup-fields.ts';
import { airtimeFields } from './topup-request-fields.ts';

/** Sends airtime (specification 4.1) and charges walletBalance. */
export const topUpAirtime = endpoint({
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
    const result = await topUpOnce(services, {
      company,
      operation: 'airtime-topup',
      key,
      topup: {
        kind: 'AIRTIME',
        productId: null,
        amount: formatMoney(body.amount),
        msisdn: body.msisdn,
        ...saleOf(body),
      },
    });
    return topupAnswer(result);
  },
});
