import { z } from 'zod';
import { apiKeyPrefix, environmentOfApiKey, isApiKeyOf } from '../../crypto/random.ts';
import { scopes } from '../../domain/access.ts';
import { plainCopy } from '../../domain/copied-text.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import { endpoint } from '../endpoint.ts';
import { reply } from '../envelope.ts';
import { textAnswer } from '../fields/answer-fields.ts';
import { refuseTooMany } from '../limits/rate-limits.ts';
import type { Services } from '../services.ts';
import { admit, otherSurface } from './authentication.ts';
import { addressGroup } from './source-address.ts';

/** Log-in with an API key, identical on both surfaces (specification 4.1, 4.2 and 5). */
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
    key: z
      .string('must be the API key as text')
      .min(1, 'must be the API key')
      .max(200, 'must be the API key')
      .transform(plainCopy)
      .meta({ description: 'The API key, from the portal', examples: ['gvs_test_YOUR_KEY'] }),
  }),
  answer: z.object({
    accessToken: textAnswer(
      'Signed JWT for the header `x-api-token`, valid for 300 seconds',
      'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxNyJ9.c2lnbmF0dXJl',
    ),
    success: z.literal(true).meta({ description: 'Always true here' }),
    statusCode: z.literal(200).meta({ description: 'Always 200 here' }),
    message: textAnswer('For people', 'Logged in'),
  }),
  bare: true,
  changesNothing: true,
  reasons: ['api-key-invalid', 'address-not-registered', 'account-suspended'],
  async handle({ services, surface, body, sourceAddress }) {
    // A key of the other environment is refused without a look-up.
    if (!isApiKeyOf(services.settings.process.environment, body.key))
      return refuseKey(services, sourceAddress, { detail: mistakenKey(services, body.key) });
    const digest = services.digests.apiKey(body.key);
    const found = await services.apiKeys(surface, digest);
    const remembered = found?.isValid && (await services.accessDirectory(found.company));
    const caller = found
      ? { company: found.company, apiKeyId: found.id }
      : { keyPrefix: apiKeyPrefix(body.key) };
    if (!found || !remembered) {
      const isOfOther = !found && (await services.apiKeys(otherSurface(surface), digest));
      const key = {
        prefix: apiKeyPrefix(body.key),
        detail: isOfOther ? `this is a key of the ${otherSurface(surface)} API` : undefined,
      };
      return { ...(await refuseKey(services, sourceAddress, key)), caller };
    }
    // The look-up of the key also read these facts, and they are newer than the cache.
    const access = { ...remembered, status: found.status, tokenVersion: found.token_version };
    const admitted = admit(found.company, access, sourceAddress);
    if (!admitted.ok) return { ...admitted, caller };
    // Counted only now: a leaked key must not use up the company's calls from other addresses.
    const ofCompany = await services.rateLimits.spend('company', `${surface} ${found.company.id}`);
    if (!ofCompany.ok) return { ...refuseTooMany(ofCompany), caller };
    const accessToken = services.accessTokens.issue({
      audience: surface,
      companyId: found.company.id,
      apiKeyId: found.id,
      tokenVersion: access.tokenVersion,
    });
    return reply({ accessToken, success: true, statusCode: 200, message: 'Logged in' }, { caller });
  },
});

const labels = { test: 'test', production: 'live' } as const;

/** The kind of text that is no key of this environment, for people. */
function mistakenKey({ settings }: Services, text: string): string | undefined {
  const environment = environmentOfApiKey(text);
  return (
    environment &&
    `this is a ${labels[environment]} key, and this is the ${settings.process.environment} environment`
  );
}

/**
 * Refuses an invalid key, and counts the attempt. The count follows the look-up, so that wrong keys
 * never lock out valid ones behind the same address or with the same prefix. A key has too many
 * bits to be guessed at any rate.
 */
async function refuseKey(
  { rateLimits }: Services,
  sourceAddress: string,
  { prefix, detail }: { readonly prefix?: string; readonly detail: string | undefined },
): Promise<Refusal> {
  const refusal = refuse('api-key-invalid', detail === undefined ? {} : { detail });
  const ofAddress = await rateLimits.spend('key-misses-of-address', addressGroup(sourceAddress));
  if (!ofAddress.ok) return refuseTooMany(ofAddress);
  if (prefix === undefined) return refusal;
  const ofPrefix = await rateLimits.spend('key-misses-of-prefix', prefix);
  return ofPrefix.ok ? refusal : refuseTooMany(ofPrefix);
}

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
