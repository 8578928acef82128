import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { isSameBytes } from '../crypto/digests.ts';
import { refuse } from '../domain/refusals.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { nudgeAttempt, refuseCallback, secretParams } from './nudges.ts';

/**
 * Receives a callback of DT One. Callbacks are not signed, so a callback is only a
 * nudge: the workflow or the next reconciliation asks the provider before it changes anything
 * (DVS v1). Settings limit its source addresses and give it a secret path. An unknown
 * reference costs one query and leaves nothing behind.
 */
export const airtimeCallback = endpoint({
  method: 'POST',
  path: '/airtime',
  aliases: ['/airtime/:secret', '/dt-one', '/dt-one/:secret'],
  operation: 'provider-callback',
  summary: 'Callback of DT One',
  description:
    'Notifies the service of a changed transaction. The service then asks the provider, and ignores the rest of the callback.',
  access: 'public',
  params: secretParams,
  body: z.looseObject({ external_id: z.string().max(40) }),
  answer: z.null(),
  changesNothing: true,
  reasons: ['address-not-registered'],
  async handle(request) {
    const refusal = refuseCallback('dt-one', request);
    if (refusal) return refusal;
    await nudgeAttempt(request.services, request.body.external_id, 'dt-one');
    return reply(null, { message: 'Thank you' });
  },
});

const subject = z.object({ customIdentifier: z.string().max(40) });

/**
 * Receives a callback of Reloadly about a top-up. It is signed (Reloadly's airtime API), but without a
 * limit in time, and its shape is not settled. So it is a nudge like those of other providers: only
 * our reference is read.
 */
export const reloadlyCallback = endpoint({
  method: 'POST',
  path: '/reloadly',
  operation: 'provider-callback',
  summary: 'Callback of Reloadly',
  description:
    'Notifies the service of a changed top-up, with a signature by `RELOADLY_CALLBACK_SECRET`. The service then asks the provider, and ignores the rest of the callback.',
  access: 'public',
  body: z.looseObject({
    data: z.union([
      subject,
      z.object({ transaction: subject }).transform((data) => data.transaction),
    ]),
  }),
  answer: z.null(),
  changesNothing: true,
  reasons: [],
  async handle({ services, body, headers, rawBody }) {
    const { reloadlyCallbackSecret } = services.settings.callbacks;
    if (!isSigned(rawBody, headers, reloadlyCallbackSecret)) return refuse('route-not-found');
    await nudgeAttempt(services, body.data.customIdentifier, 'reloadly');
    return reply(null, { message: 'Thank you' });
  },
});

/** HMAC-SHA256, in hex, of the body, a colon and the time of the request. */
function isSigned(
  body: Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secret: string | undefined,
): boolean {
  if (secret === undefined) return false;
  const expected = createHmac('sha256', secret)
    .update(body)
    .update(`:${String(headers['x-reloadly-request-timestamp'] ?? '')}`)
    .digest();
  const given = Buffer.from(String(headers['x-reloadly-signature'] ?? ''), 'hex');
  return isSameBytes(given, expected);
}
