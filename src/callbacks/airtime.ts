import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { topUpWorkflowId } from '../../workflows/workflow-ids.js';
import { wantRecheck } from '../db/reconciliation/refusal-inquiries.js';
import { attemptOfReference } from '../db/topups/topup-attempts.js';
import { refuse } from '../domain/errors.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { createCallbackLimit } from './callback-limit.js';

const mayHint = createCallbackLimit();

/**
 * Takes a callback of the airtime provider. Callbacks are not signed, so one is only a hint: the
 * workflow or the next reconciliation asks the provider itself before it believes anything
 * (providers.md 3.2). Settings say from where they are taken, and under which secret path. A reference
 * that is none of ours costs one look into the database, and leaves nothing behind.
 */
export const airtimeCallback = endpoint({
  method: 'POST',
  path: '/airtime',
  aliases: ['/airtime/:secret'],
  operation: 'provider-callback',
  summary: 'Callback of the airtime provider',
  description:
    'Tells the service that there is news of a transaction. The service asks the provider, and ignores everything else in it.',
  access: 'public',
  params: z.object({ secret: z.string().optional() }),
  body: z.object({ external_id: z.string().max(40) }),
  answer: z.null(),
  reasons: ['address-not-registered'],
  async handle({ services, body, params, sourceAddress }) {
    const { callbackSecret, isCallbackAddress, reversalWatchSeconds } = services.settings;
    if (!isSame(params.secret ?? '', callbackSecret)) return refuse('route-not-found');
    if (!isCallbackAddress(sourceAddress)) return refuse('address-not-registered');
    const { database, workflows } = services;
    const attempt = await attemptOfReference(database, body.external_id);
    if (attempt && mayHint(attempt.creationId)) {
      if (attempt.status === 'HELD') await workflows.hintTopUp(topUpWorkflowId(attempt));
      else await wantRecheck(database, body.external_id, reversalWatchSeconds);
    }
    return reply(null, { message: 'Thank you' });
  },
});

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
