import { expect, test } from 'vitest';
import { partnerClient } from '../../support/clients.ts';
import { makeKey, makePartner } from '../../support/companies.ts';
import { startStack } from '../../support/stack.ts';

test('a new key, and a new token after all were revoked, work while older access is remembered', async () => {
  const stack = await startStack({ ACCESS_CACHE_SECONDS: '2' });
  const partner = await makePartner(stack);
  const company = { kind: 'partner', id: partner.id } as const;
  const remembered = await partnerClient(stack, partner);
  expect((await remembered.get('/test')).status).toBe(200);
  const apiKey = await makeKey(stack, company);
  const renewed = await partnerClient(stack, { ...partner, apiKey });
  expect((await renewed.get('/test')).status).toBe(200);

  await stack.database
    .updateTable('partners')
    .set((row) => ({ token_version: row('token_version', '+', 1) }))
    .where('id', '=', partner.id)
    .execute();
  const again = await partnerClient(stack, { ...partner, apiKey });
  expect((await again.get('/test')).status).toBe(200);
  expect((await renewed.get('/test')).status).toBe(401);
  await stack.stop();
});
