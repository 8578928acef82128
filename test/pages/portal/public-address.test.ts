import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Account, hiddenFields, makeAccount, portalClient } from './portal-client.ts';

/** A portal behind a proxy that ends TLS: the connection itself is plain HTTP. */
let stack: Stack;
let account: Account;

beforeAll(async () => {
  stack = await startStack({ PUBLIC_URL: 'https://portal.example', ENVIRONMENT: 'production' });
  account = await makeAccount(stack, { kind: 'partner', id: (await makePartner(stack)).id });
});
afterAll(() => stack?.stop());

const signInFrom = async (origin: string) => {
  const client = portalClient(stack);
  const { html } = await client.get('/portal/sign-in');
  const fields = { ...hiddenFields(html, '/portal/sign-in'), ...account };
  const answer = await client.post('/portal/sign-in', fields, { headers: { Origin: origin } });
  return { client, answer };
};

describe('with a public address of https', () => {
  test('cookies are for secure connections only', async () => {
    const { answer } = await signInFrom('https://portal.example');
    expect(answer.status).toBe(303);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-portal-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  test.each(['http://portal.example', 'https://portal.example.evil.example', 'https://portal'])(
    'a form from %s is refused',
    async (origin) => {
      expect((await signInFrom(origin)).answer.status).toBe(403);
    },
  );

  test('examples name it, and every page says that money is real', async () => {
    const { client } = await signInFrom('https://portal.example');
    const { html, headers } = await client.get('/portal/try-it');
    expect(html).toContain('There is no console in the live environment');
    expect(html).not.toMatch(/data-try-it|data-signer/);
    expect(headers.get('content-security-policy')).not.toContain('connect-src');
    expect(html).toContain('https://portal.example/api/v1/client/auth/login');
    expect(html).toContain('Live environment');
    const made = await client.submit('/portal/access', '/portal/keys', { name: 'Shop' });
    expect(made.html).toMatch(/Live key.*value="gvs_live_\w{30}"/s);
  });
});

test.each(['', ':::', 'a b', 'x'.repeat(300)])('the header Host may be "%s"', async (host) => {
  const { port } = new URL(stack.url);
  const status = await new Promise((resolve, reject) => {
    const path = '/portal/sign-in?next=/portal/keys';
    request({ port, path, host: '127.0.0.1', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
});
