import { z } from 'zod';
import { type Endpoint, endpoint } from './endpoint.js';
import { reply } from './envelope.js';
import { textAnswer } from './fields/answer-fields.js';

/** `GET /test` for partners and `POST /test` for merchants: checks key, address and token. */
export const checkConfiguration = (method: Endpoint['method']): Endpoint =>
  endpoint({
    method,
    path: '/test',
    operation: 'check-configuration',
    summary: 'Check the configuration',
    description: 'Succeeds when the access token is accepted from the source address.',
    access: 'token',
    answer: z.object({ test: textAnswer('That the call was accepted', 'success') }),
    bare: true,
    reasons: [],
    handle: async () => reply({ test: 'success' }),
  });
