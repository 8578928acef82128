import { z } from 'zod';
import { scopes } from '../../domain/access/scope.ts';
import { endpoint } from '../endpoint.ts';
import { reply } from '../envelope.ts';

/** Shows what the API key of a caller may do, on both surfaces (beyond the specification). */
export const showKey = endpoint({
  method: 'GET',
  path: '/key',
  operation: 'show-key',
  summary: 'Show the API key',
  description: 'Names the scopes of the API key whose access token is sent.',
  access: 'token',
  scope: 'any',
  answer: z.object({
    scopes: z.array(z.enum(scopes)).meta({
      description: 'What the API key may do',
      examples: [['read', 'vouchers']],
    }),
  }),
  reasons: [],
  handle: async ({ scopes: held }) =>
    reply({ scopes: scopes.filter((scope) => held.has(scope)) }, { message: 'API key' }),
});
