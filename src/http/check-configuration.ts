import { z } from 'zod';
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
      'Succeeds when the access token is accepted from the source address. `GET /key` says what its ' +
      'API key may do.',
    access: 'token',
    scope: 'any',
    answer: z.object({ test: textAnswer('That the call was accepted', 'success') }),
    bare: true,
    changesNothing: true,
    reasons: [],
    handle: async () => reply({ test: 'success' }),
  });
