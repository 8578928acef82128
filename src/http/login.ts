import { z } from 'zod';
import { isApiKeyOf } from '../crypto/random.js';
import { findApiKey } from '../db/access.js';
import { refuse } from '../domain/errors.js';
import { admit } from './authentication.js';
import { endpoint } from './endpoint.js';
import { reply } from './envelope.js';

/** Log-in with an API key, the same on both surfaces (specification 4.1, 4.2 and 5). */
export const login = endpoint({
  method: 'POST',
  path: '/auth/login',
  operation: 'login',
  summary: 'Obtain an access token',
  description:
    'Exchanges the API key for an access token that is valid for 300 seconds. Call it from a ' +
    'registered address and never from client-side code.',
  access: 'public',
  body: z.object({
    key: z.string('must be the API key as text').min(1, 'must be the API key').max(200),
  }),
  answer: z.object({
    accessToken: z.string(),
    success: z.literal(true),
    statusCode: z.literal(200),
    message: z.string(),
  }),
  bare: true,
  reasons: ['api-key-invalid', 'address-not-registered', 'account-suspended'],
  async handle({ services, surface, body, sourceAddress }) {
    // A key of the other environment is refused unread: it was sent to the wrong address.
    if (!isApiKeyOf(services.settings.environment, body.key)) return refuse('api-key-invalid');
    const digest = services.digests.apiKey(body.key);
    const apiKey = await findApiKey(services.database, surface, digest);
    const access = apiKey?.isValid && (await services.accessDirectory(apiKey.company, 'fresh'));
    if (!access) return refuse('api-key-invalid');
    const admitted = admit(apiKey.company, access, sourceAddress);
    if (!admitted.ok) return admitted;
    const accessToken = await services.accessTokens.issue({
      audience: surface,
      companyId: apiKey.company.id,
      apiKeyId: apiKey.id,
      tokenVersion: access.tokenVersion,
    });
    return reply({ accessToken, success: true, statusCode: 200, message: 'Logged in' });
  },
});
