import { z } from 'zod';
import { topupAttempts } from '../../db/topups/topup-attempts.ts';
import { findListedTopup } from '../../db/topups/topup-detail.ts';
import { refuse } from '../../domain/refusals.ts';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { idField } from '../../http/fields/request-fields.ts';
import { attemptSchema, presentAttempt, presentTopup, topupSchema } from './topup-view.ts';

/** Shows one top-up with its attempts (beyond the specification). */
export const showTopup = endpoint({
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
    const topup = await findListedTopup(services.database, company.id, params.transactionId);
    if (!topup) return refuse('topup-not-found');
    const attempts = await topupAttempts(services.database, topup.id);
    return reply(
      { ...presentTopup(topup), attempts: attempts.map(presentAttempt) },
      { message: 'Top-up found' },
    );
  },
});
