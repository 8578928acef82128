import { z } from 'zod';
import { addMpesaResult, type NewMpesaResult } from '../db/reconciliation/mpesa-results.ts';
import {
  findReferencedPayment,
  type ReferencedPayment,
} from '../db/reconciliation/referenced-payments.ts';
import { mpesaStatusOf } from '../domain/providers/mpesa-statuses.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { refuseCallback } from './callback-access.ts';
import { hintPayment } from './hint-payment.ts';
import { readMpesaResult } from './mpesa-result.ts';

const kinds = ['payment', 'inquiry', 'timeout'] as const;

/**
 * Receives results of M-Pesa (providers.md 3.1b): of a payment, of an inquiry about it, or that it
 * waits in a queue. M-Pesa answers inquiries only so, and signs nothing: each request has an address
 * of its own, with the secret and our reference. A result is stored once and never changes money by
 * itself: the payment's workflow asks, and reads the answer. An unknown reference costs one query and
 * leaves nothing behind.
 */
export const mpesaCallback = endpoint({
  method: 'POST',
  path: '/mpesa/:secret/:kind/:reference',
  // M-Pesa may refuse addresses with its own name in them.
  aliases: ['/payouts/:secret/:kind/:reference'],
  operation: 'provider-callback',
  summary: 'Result of M-Pesa',
  description:
    'Tells the service the result of a payment or of an inquiry. The service asks M-Pesa about a payment before it believes its result.',
  access: 'public',
  params: z.object({ secret: z.string(), kind: z.string(), reference: z.string() }),
  body: z.looseObject({}),
  answer: z.null(),
  changesNothing: true,
  reasons: ['address-not-registered'],
  async handle({ services, params, body, sourceAddress }) {
    const { database, settings } = services;
    const given = { secret: params.secret, sourceAddress };
    const refusal = refuseCallback(settings.callbacks.mpesa, given);
    if (refusal) return refusal;
    const kind = kinds.find((one) => one === params.kind);
    const reference = z.uuid().toLowerCase().safeParse(params.reference).data;
    const payment =
      kind === undefined || reference === undefined
        ? undefined
        : await findReferencedPayment(database, reference);
    if (payment?.kind === 'payment' && kind !== undefined && reference !== undefined) {
      const result =
        kind === 'timeout' ? undefined : readMpesaResult(kind, reference, body, payment);
      const isUnused = result === undefined || (await addMpesaResult(database, result));
      if (isUnused && isNews(kind, result, payment)) await hintPayment(services, payment, 'mpesa');
    }
    return reply(null, { message: 'Accepted' });
  },
});

/**
 * Whether somebody is to ask at once. The answer to an inquiry that decides nothing, or says what is
 * booked, is no news: it would be asked because of its own answer, again and again. Nor is one about a
 * payment that another provider has by now.
 */
function isNews(
  kind: (typeof kinds)[number],
  result: NewMpesaResult | undefined,
  { provider, isOpen, isDone }: Pick<ReferencedPayment, 'provider' | 'isOpen' | 'isDone'>,
): boolean {
  if (kind !== 'inquiry') return true;
  if ((provider ?? 'mpesa') !== 'mpesa' || result?.difference !== null) return false;
  const theirs = mpesaStatusOf(result.transactionStatus);
  return theirs !== undefined && (isOpen || theirs !== (isDone ? 'completed' : 'failed'));
}
