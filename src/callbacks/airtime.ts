import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { refuseCallback } from './callback-access.ts';
import { hintAttempt } from './hint-attempt.ts';

/**
 * Receives a callback of DT One. Callbacks are not signed, so a callback is only a
 * hint: the workflow or the next reconciliation asks the provider before it changes anything
 * (providers.md 3.2). Settings limit its source addresses and give it a secret path. An unknown
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
  params: z.object({ secret: z.string().optional() }),
  body: z.looseObject({ external_id: z.string().max(40) }),
  answer: z.null(),
  changesNothing: true,
  reasons: ['address-not-registered'],
  async handle({ services, body, params, sourceAddress }) {
    const given = { secret: params.secret, sourceAddress };
    const refusal = refuseCallback(services.settings.callbacks['dt-one'], given);
    if (refusal) return refusal;
    await hintAttempt(services, body.external_id, 'dt-one');
    return reply(null, { message: 'Thank you' });
  },
});
