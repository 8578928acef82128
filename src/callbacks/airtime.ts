import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { topUpWorkflowId } from '../../workflows/workflow-ids.js';
import { requestInquiry } from '../db/reconciliation/refusal-inquiries.js';
import { attemptOfReference, type ReferencedAttempt } from '../db/topups/topup-attempts.js';
import { refuse } from '../domain/refusals.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { createCallbackLimit } from './callback-limit.js';

const mayHint = createCallbackLimit();

/**
 * Receives a callback of the airtime provider. Callbacks are not signed, so a callback is only a
 * hint: the workflow or the next reconciliation asks the provider before it changes anything
 * (providers.md 3.2). Settings limit its source addresses and give it a secret path. An unknown
 * reference costs one query and leaves nothing behind.
 */
export const airtimeCallback = endpoint({
  method: 'POST',
  path: '/airtime',
  aliases: ['/airtime/:secret'],
  operation: 'provider-callback',
  summary: 'Callback of the airtime provider',
  description:
    'Notifies the service of a changed transaction. The service then asks the provider, and ignores the rest of the callback.',
  access: 'public',
  params: z.object({ secret: z.string().optional() }),
  body: z.object({ external_id: z.string().max(40) }),
  answer: z.null(),
  changesNothing: true,
  reasons: ['address-not-registered'],
  async handle({ services, body, params, sourceAddress }) {
    const { callbackSecret, isCallbackAddress, reversalWatchSeconds } = services.settings;
    if (!isSame(params.secret ?? '', callbackSecret)) return refuse('route-not-found');
    if (!isCallbackAddress(sourceAddress)) return refuse('address-not-registered');
    const { database, workflows } = services;
    const attempt = await attemptOfReference(database, body.external_id);
    if (attempt && !isBeingSent(attempt) && mayHint(attempt.creationId)) {
      if (attempt.status === 'HELD') await workflows.hintTopUp(topUpWorkflowId(attempt));
      else await requestInquiry(database, body.external_id, reversalWatchSeconds);
    }
    return reply(null, { message: 'Thank you' });
  },
});

/**
 * Whether the workflow still waits for the answer to its sending, or books it. A hint would only
 * cost it a workflow task; if the answer leaves the outcome open, the first inquiry follows soon.
 */
const isBeingSent = ({ status, topupStatus }: ReferencedAttempt): boolean =>
  status === 'HELD' && topupStatus !== 'UNKNOWN';

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
