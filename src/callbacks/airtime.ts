import { z } from 'zod';
import { wantRecheck } from '../db/rechecks.js';
import { operationOfReference } from '../domain/topup.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { createHintBudget } from './hint-budget.js';

const mayHint = createHintBudget();

/**
 * Takes a callback of the airtime provider. Callbacks are not signed, so one is only a hint: the
 * workflow asks the provider itself before it believes anything (providers.md 3.2).
 */
export const airtimeCallback = endpoint({
  method: 'POST',
  path: '/airtime',
  operation: 'provider-callback',
  summary: 'Callback of the airtime provider',
  description: 'A hint that there is news of a transaction; anything else in it is ignored.',
  access: 'public',
  body: z.object({ external_id: z.string().max(40) }),
  answer: z.null(),
  reasons: [],
  async handle({ services, body }) {
    const operationId = operationOfReference(body.external_id);
    if (operationId !== undefined && mayHint(operationId)) {
      await services.workflows.hintTopUp(operationId);
      await wantRecheck(services.database, body.external_id);
    }
    return reply(null, { message: 'Thank you' });
  },
});
