import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/http/app.js';
import { createPortal } from '../../src/portal/portal.js';
import { makePartner } from '../support/companies.js';
import { type Stack, startStack } from '../support/stack.js';
import { makeAccount, portalClient } from './portal-client.js';

let stack: Stack;
let server: Server;
let log = '';

beforeAll(async () => {
  stack = await startStack();
  const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });
  const services = { ...stack.api.services, logger };
  const portal = createPortal(services, {
    session: { idleSeconds: 60, maximumSeconds: 60 },
    signIn: { windowSeconds: 60, perAccount: 10, perAccountAnywhere: 100, perAddress: 10 },
    passwordCost: 14,
  });
  server = createApp(services, [], portal).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server?.close();
  server?.closeAllConnections();
  await stack?.stop();
});

test('no secret is in the log, whatever is sent and whatever breaks', async () => {
  const { id } = await makePartner(stack);
  const account = await makeAccount(stack, { kind: 'partner', id });
  const client = portalClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  await client.signIn({ ...account, password: 'a-wrong-password' });
  await client.signIn(account);
  const token = client.cookies.get('portal-session') ?? 'none';
  const made = await client.submit('/portal/keys', '/portal/keys', { name: 'Shop' });
  const key = /gvs_test_\w{30}/.exec(made.html)?.[0] ?? 'none';
  const formToken = /name="token" value="([^"]+)"/.exec(made.html)?.[1] ?? 'none';
  await client.get('/portal/sign-in?next=secret-query');
  await client.get('/portal/keys/secret-path/revoke');
  // What breaks is logged, too: here a table that is gone for a moment.
  const { schema } = stack.database;
  await schema.alterTable('api_keys').renameTo('api_keys_gone').execute();
  const broken = await client.post('/portal/keys', { token: formToken, name: 'secret-name' });
  await schema.alterTable('api_keys_gone').renameTo('api_keys').execute();
  expect(broken.status).toBe(500);
  expect(broken.html).toContain('Something went wrong');
  expect(broken.html).not.toMatch(/api_keys|secret-name|relation/);

  expect(log).toContain('"route":"/portal/keys"');
  expect(log).toContain('"route":"/portal/keys/:id/revoke"');
  expect(log).toContain('Request failed');
  const secrets = [token, key, formToken, account.password, account.email, 'a-wrong-password'];
  for (const secret of [...secrets, 'secret-query', 'secret-path', 'secret-name'])
    expect(log.includes(secret), secret).toBe(false);
});
