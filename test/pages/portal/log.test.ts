import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type LoggedPortal, startLoggedPortal } from './logged-portal.ts';
import { makeAccount, portalClient } from './portal-client.ts';

let stack: Stack;
let logged: LoggedPortal;

beforeAll(async () => {
  stack = await startStack();
  logged = await startLoggedPortal(stack, 10);
});
afterAll(async () => {
  logged?.stop();
  await stack?.stop();
});

test('no secret is in the log, whatever is sent and whatever breaks', async () => {
  const { id } = await makePartner(stack);
  const account = await makeAccount(stack, { kind: 'partner', id });
  const client = portalClient({
    url: logged.url,
  });
  await client.signIn({ ...account, password: 'a-wrong-password' });
  await client.signIn(account);
  const token = client.cookies.get('portal-session') ?? 'none';
  const made = await client.submit('/portal/access', '/portal/keys', { name: 'Shop' });
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
  expect(broken.html).toContain('The outcome is not known');
  expect(broken.html).not.toMatch(/api_keys|secret-name|relation/);

  expect(logged.log()).toContain('"route":"/portal/keys"');
  expect(logged.log()).toContain('"route":"/portal/keys/:id/revoke"');
  expect(logged.log()).toContain('Request failed');
  const secrets = [token, key, formToken, account.password, account.email, 'a-wrong-password'];
  for (const secret of [...secrets, 'secret-query', 'secret-path', 'secret-name'])
    expect(logged.log().includes(secret), secret).toBe(false);
});
