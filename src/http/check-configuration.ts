import { z } from 'zod';
import { scopes } from '../domain/access/scope.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { reply } from './envelope.ts';
import { textAnswer } from './fields/answer-fields.ts';

/** `GET /test` for partners and `POST /test` for merchants: checks key, address and token. */
export const checkConfiguration = (method: Endpoint['method']): Endpoint =>
  endpoint({
    method,
    path: '/test',
    operation: 'check-configuration',
    summary: 'Check the configuration',
    description:
      'Succeeds when the access token is accepted from the source address, and names the scopes of ' +
      'its API key.',
    access: 'token',
    scope: 'any',
    answer: z.object({
      test: textAnswer('That the call was accepted', 'success'),
      scopes: z.array(z.enum(scopes)).meta({
        description: 'What the API key of the token may do',
        examples: [['read', 'vouchers']],
      }),
    }),
    bare: true,
    reasons: [],
    handle: async ({ scopes: held }) =>
      reply({ test: 'success', scopes: scopes.filter((scope) => held.has(scope)) }),
  });
