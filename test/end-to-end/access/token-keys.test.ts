import { createPublicKey } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningApi, startApi } from '../../../src/api.ts';
import type { ApiConfig } from '../../../src/config/config.ts';
import { revokeApiKey } from '../../../src/db/access/company-access.ts';
import { makeSecrets } from '../../../src/local/start/backing-services.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { call } from '../../support/clients.ts';
import { makePartner, type TestPartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { within } from '../../support/until.ts';

/** Several processes of the API on one database, each with its own memory and perhaps another key. */
let stack: Stack;
let partner: TestPartner;
const others: RunningApi[] = [];

beforeAll(async () => {
  // As in production, so that what is waited for here is what is waited for there.
  stack = await startStack({ ACCESS_CACHE_SECONDS: '1' });
  partner = await makePartner(stack);
});
afterAll(async () => {
  await Promise.all(others.map((api) => api.stop()));
  await stack?.stop();
});

async function startAnother({
  key = stack.config.secrets.accessTokenPrivateKey,
  furtherKeys = [],
  environment = stack.config.process.environment,
}: {
  readonly key?: string;
  readonly furtherKeys?: string[];
  readonly environment?: ApiConfig['process']['environment'];
} = {}): Promise<string> {
  const { secrets, access, process } = stack.config;
  const config = {
    ...stack.config,
    secrets: { ...secrets, accessTokenPrivateKey: key },
    access: { ...access, accessTokenFurtherKeys: furtherKeys },
    process: { ...process, environment },
  };
  const logger = createLogger('silent', 'test');
  const api = await startApi(config, stack.temporal, { logger, eager: false });
  others.push(api);
  return `http://127.0.0.1:${api.port}`;
}

const base = '/api/v1/client';
const tokenFrom = async (url: string, { apiKey }: TestPartner = partner): Promise<string> =>
  (await call(`${url}${base}/auth/login`, { body: { key: apiKey } })).body.accessToken;
const ask = async (url: string, token: string): Promise<number> =>
  (await call(`${url}${base}/test`, { headers: { 'x-api-token': token } })).status;

const publicPemOf = (privatePem: string) =>
  createPublicKey(privatePem).export({ type: 'spki', format: 'pem' }).toString();

describe('the key of access tokens', () => {
  test('is replaced without a token being refused', async () => {
    const oldKey = stack.config.secrets.accessTokenPrivateKey;
    const newKey = makeSecrets().ACCESS_TOKEN_PRIVATE_KEY;
    const told = await startAnother({ furtherKeys: [publicPemOf(newKey)] });
    const replaced = await startAnother({ key: newKey, furtherKeys: [publicPemOf(oldKey)] });
    const done = await startAnother({ key: newKey });
    const [older, newer] = [await tokenFrom(stack.url), await tokenFrom(replaced)];
    const answers = async (token: string) =>
      Promise.all([stack.url, told, replaced, done].map((url) => ask(url, token)));
    expect(await answers(older)).toEqual([200, 200, 200, 401]);
    expect(await answers(newer)).toEqual([401, 200, 200, 200]);
  });

  test('is published, its public half alone, and others can check tokens with it', async () => {
    const { status, body } = await call(`${stack.url}/.well-known/jwks.json`);
    expect(status).toBe(200);
    expect(body.keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        x: expect.any(String),
        kid: expect.any(String),
      },
    ]);
    const keys = createRemoteJWKSet(new URL(`${stack.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(await tokenFrom(stack.url), keys, { audience: 'partner' });
    expect(payload.sub).toBe(String(partner.id));
  });
});

test.each([
  ['test', 'production'],
  ['production', 'test'],
] as const)('a token of %s is none in %s', async (from, to) => {
  // Each should have a key and a database of its own; here both are shared by mistake.
  const there = await startAnother({ environment: from });
  const here = await startAnother({ environment: to });
  const token =
    from === 'test' ? await tokenFrom(there) : await issueDirectly(others.at(-2) as RunningApi);
  expect(await ask(there, token)).toBe(200);
  expect(await ask(here, token)).toBe(401);
});

/** Keys of tests are of the test environment, so that production has no log-in for them. */
async function issueDirectly({ services }: RunningApi): Promise<string> {
  const { id } = await stack.database
    .selectFrom('api_keys')
    .select('id')
    .where('partner_id', '=', partner.id)
    .executeTakeFirstOrThrow();
  return services.accessTokens.issue({
    audience: 'partner',
    companyId: partner.id,
    apiKeyId: id,
    tokenVersion: 1,
  });
}

describe('within two seconds on every process', () => {
  const endings: readonly (readonly [string, number, (partnerId: number) => Promise<unknown>])[] = [
    [
      'a revoked key',
      401,
      async (partnerId) => {
        const { database } = stack;
        const { id } = await database
          .selectFrom('api_keys')
          .select('id')
          .where('partner_id', '=', partnerId)
          .executeTakeFirstOrThrow();
        await database.transaction().execute((transaction) => revokeApiKey(transaction, id));
      },
    ],
    [
      'a suspended partner',
      403,
      (partnerId) =>
        stack.database
          .updateTable('partners')
          .set({ status: 'SUSPENDED' })
          .where('id', '=', partnerId)
          .execute(),
    ],
    [
      'a raised token version',
      401,
      (partnerId) =>
        stack.database
          .updateTable('partners')
          .set({ token_version: 2 })
          .where('id', '=', partnerId)
          .execute(),
    ],
  ];

  let urls: string[];
  beforeAll(async () => {
    urls = [stack.url, await startAnother()];
  });

  test.concurrent.each(endings)('%s ends the tokens', async (_what, status, end) => {
    const ended = await makePartner(stack);
    const token = await tokenFrom(stack.url, ended);
    for (const url of urls) expect(await ask(url, token)).toBe(200);
    await end(ended.id);
    await Promise.all(
      urls.map((url) => within(2, async () => expect(await ask(url, token)).toBe(status))),
    );
  });
});
