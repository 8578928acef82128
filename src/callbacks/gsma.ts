import { z } from 'zod';
import { findReferencedPayment } from '../db/reconciliation.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { nudgePayment, refuseCallback, secretParams } from './nudges.ts';

const uuid = z.uuid().toLowerCase();

/**
 * Receives a callback of a GSMA provider about a payment or a reversal (GSMA Mobile Money API). It is not
 * signed, so its body, a transaction or an error object, is not read: only the provider's answer to an
 * inquiry counts. An unknown reference costs one query and leaves nothing behind.
 */
export const gsmaCallback = endpoint({
  method: 'PUT',
  path: '/gsma',
  aliases: ['/gsma/:secret'],
  operation: 'provider-callback',
  summary: 'Callback of a GSMA mobile-money provider',
  description:
    'Notifies the service of a changed payment, which the header `X-CorrelationID` names by our reference. The service then asks the provider, and ignores the body.',
  access: 'public',
  params: secretParams,
  body: z.looseObject({}),
  answer: z.null(),
  noContent: true,
  changesNothing: true,
  reasons: ['address-not-registered'],
  async handle(request) {
    const refusal = refuseCallback('gsma', request);
    if (refusal) return refusal;
    const { services, headers } = request;
    const reference = uuid.safeParse(headers['x-correlationid']).data;
    const payment =
      reference === undefined
        ? undefined
        : await findReferencedPayment(services.database, reference);
    if (payment) await nudgePayment(services, payment, 'gsma');
    return reply(null);
  },
});
