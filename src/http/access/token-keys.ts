import { z } from 'zod';
import type { SurfaceRoutes } from '../app.ts';
import { endpoint } from '../endpoint.ts';
import { reply } from '../envelope.ts';

/** The public keys that verify access tokens (RFC 7517). */
const showTokenKeys = endpoint({
  method: 'GET',
  path: '/jwks.json',
  operation: 'token-keys',
  summary: 'Public keys of access tokens',
  description: 'A JWK set; a token names its key by `kid`. The current signing key comes first.',
  access: 'public',
  answer: z.object({ keys: z.array(z.looseObject({ kid: z.string() })) }),
  bare: true,
  reasons: [],
  handle: async ({ services }) => reply({ keys: services.accessTokens.jwks }),
});

/** The well-known path of JWK sets. */
export const tokenKeyRoutes: SurfaceRoutes = {
  surface: 'partner',
  audience: 'other',
  basePath: '/.well-known',
  endpoints: [showTokenKeys],
};
