import { z } from 'zod';
import { listDenominations as queryDenominations } from '../db/lists.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';

/** Lists the denominated gifts, which are defined centrally (specification 2.4). */
export const listDenominations = endpoint({
  method: 'GET',
  path: '/gift-denominations',
  aliases: ['/client/gift-denominations'],
  operation: 'list',
  summary: 'List denominated gifts',
  description: 'All denominations by amount, the inactive ones too.',
  access: 'token',
  answer: z.array(
    z.object({ id: z.number(), status: z.enum(['ACTIVE', 'INACTIVE']), amountEtb: z.number() }),
  ),
  reasons: [],
  async handle({ services }) {
    const denominations = await queryDenominations(services.database);
    return reply(
      denominations.map(({ id, status, amount_etb }) => ({
        id,
        status,
        amountEtb: Number(amount_etb),
      })),
      { message: 'Denominated gifts' },
    );
  },
});
