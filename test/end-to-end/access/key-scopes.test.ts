import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findApiKey } from '../../../src/db/access/access.ts';
import { changeApiKey } from '../../../src/db/access/company-access.ts';
import { type Scope, scopesOf } from '../../../src/domain/access.ts';
import type { Surface } from '../../../src/domain/refusals.ts';
import type { SurfaceRoutes } from '../../../src/http/app.ts';
import { type Endpoint, scopeOf } from '../../../src/http/endpoint.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { merchantClient, partnerClient } from '../../support/clients.ts';
import { makeKey, makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

async function setScopes(surface: Surface, apiKey: string, scopes: readonly Scope[]) {
  const key = await findApiKey(stack.database, surface, stack.digests.apiKey(apiKey));
  await stack.database
    .transaction()
    .execute((transaction) => changeApiKey(transaction, key?.id ?? Number.NaN, { scopes }));
}

/** A client whose key has these scopes. */
async function clientWith(surface: Surface, scopes: readonly Scope[]) {
  const owner = await (surface === 'partner' ? makePartner(stack) : makeMerchant(stack));
  const apiKey = await makeKey(stack, { kind: surface, id: owner.id });
  await setScopes(surface, apiKey, scopes);
  const client =
    'privateKey' in owner
      ? await merchantClient(stack, { ...owner, apiKey })
      : await partnerClient(stack, { ...owner, apiKey });
  const ask = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) =>
    method === 'GET' && 'get' in client
      ? client.get(path.replace(/:\w+/, '1'))
      : client.post(path.replace(/:\w+/, '1'), {});
  return { apiKey, ask };
}

const KEY = { method: 'GET', path: '/key' } as const;

describe.each<SurfaceRoutes>([partnerRoutes, merchantRoutes])('on the $surface API', (routes) => {
  const { surface, endpoints } = routes;

  test.each(scopesOf(surface))('a key with %s alone may call its endpoints only', async (scope) => {
    const { ask } = await clientWith(surface, [scope]);
    const shown = await ask(KEY);
    expect([shown.status, shown.body.data]).toEqual([200, { scopes: [scope] }]);
    for (const endpoint of endpoints) {
      const needed = scopeOf(endpoint);
      if (needed === undefined) continue;
      const answer = await ask(endpoint);
      if (needed !== scope)
        expectRefusal(answer, surface, 403, { reason: 'scope-missing', says: needed });
      else expect(JSON.stringify(answer.body)).not.toContain('lacks the scope');
    }
  });

  test('narrowing and widening reach tokens that were issued before', async () => {
    const all = scopesOf(surface);
    const { apiKey, ask } = await clientWith(surface, all);
    const voucher = endpoints.find(({ operation }) => operation === 'redeem-gift') as Endpoint;
    expect((await ask(voucher)).body.statusCode).toBe(400);
    await setScopes(surface, apiKey, ['read']);
    await until(async () =>
      expectRefusal(await ask(voucher), surface, 403, {
        reason: 'scope-missing',
        says: 'vouchers',
      }),
    );
    await setScopes(surface, apiKey, all);
    await until(async () => expect((await ask(voucher)).body.statusCode).toBe(400));
  });
});
