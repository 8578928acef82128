import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { startLoggedPortal } from './logged-portal.ts';
import {
  type Account,
  hiddenFields,
  makeAccount,
  portalClient,
  signedIn,
} from './portal-client.ts';

let stack: Stack;
let account: Account;
let partnerId: number;

beforeAll(async () => {
  stack = await startStack();
  partnerId = (await makePartner(stack)).id;
  account = await makeAccount(stack, { kind: 'partner', id: partnerId });
});
afterAll(() => stack?.stop());

test('a character that the database cannot store is no error of the service', async () => {
  const client = await signedIn(stack, account);
  const sold = '/portal/sell/voucher';
  const answers = await Promise.all([
    client.submit(sold, sold, { denominationId: '1', merchantIdentifier: 'a\0' }),
    client.get('/portal/prices/1?merchant=a%00b'),
    client.get('/portal/balances/gift%00'),
  ]);
  for (const { status } of answers) expect(status).toBeLessThan(500);
});

describe('a form of another site', () => {
  const signOutEverywhere = '/portal/account/sign-out-everywhere';

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['without a token', {}, { token: '' }],
    ['with a token of somebody else', {}, { token: 'x'.repeat(43) }],
    ['that the browser says is of another site', { 'Sec-Fetch-Site': 'cross-site' }, {}],
    ['that the browser says is of a sister site', { 'Sec-Fetch-Site': 'same-site' }, {}],
    ['from another origin', { Origin: 'https://evil.example' }, {}],
    ['from no origin that has a name', { Origin: 'null' }, {}],
  ])('%s changes nothing', async (_name, headers, fields) => {
    const client = await signedIn(stack, account);
    const { html } = await client.get('/portal/account');
    const own = hiddenFields(html, signOutEverywhere);
    const answer = await client.post(signOutEverywhere, { ...own, ...fields }, { headers });
    expect(answer.status).toBe(403);
    expect(answer.html).toContain('The form was not accepted');
    expect((await client.get('/portal')).status).toBe(200);
  });

  test('with the token of another session changes nothing', async () => {
    const [client, other] = [await signedIn(stack, account), await signedIn(stack, account)];
    const { html } = await other.get('/portal/account');
    const answer = await client.post(signOutEverywhere, hiddenFields(html, signOutEverywhere));
    expect(answer.status).toBe(403);
    expect((await client.get('/portal')).status).toBe(200);
  });

  test('signs nobody in', async () => {
    const attacker = portalClient(stack);
    const { html } = await attacker.get('/portal/sign-in');
    const fields = { ...hiddenFields(html, '/portal/sign-in'), ...account };
    // The victim's browser has no cookie, or one of its own, but not the attacker's.
    for (const victim of [portalClient(stack), portalClient(stack)]) {
      const answer = await victim.post('/portal/sign-in', fields);
      expect(answer.status).toBe(403);
      expect(answer.headers.getSetCookie().join()).not.toContain('portal-session=');
      await victim.get('/portal/sign-in');
    }
  });

  test('is told from a form of our own, which carries the origin', async () => {
    const client = await signedIn(stack, account);
    const { html } = await client.get('/portal/account');
    const answer = await client.post(signOutEverywhere, hiddenFields(html, signOutEverywhere), {
      headers: { Origin: stack.url, 'Sec-Fetch-Site': 'same-origin' },
    });
    expect(answer.status).toBe(303);
  });
});

describe('every answer', () => {
  test.each(['/portal/sign-in', '/portal', '/portal/account', '/portal/nothing'])(
    'of %s forbids frames, foreign content, sniffing and caches',
    async (path) => {
      const client = await signedIn(stack, account);
      const { headers } = await client.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );

  test('of the console lets its scripts call this address alone', async () => {
    const client = await signedIn(stack, account);
    const { headers } = await client.get('/portal/try-it');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'",
    );
  });

  test('says which environment it is', async () => {
    expect((await portalClient(stack).get('/portal/sign-in')).html).toContain('Test environment');
  });

  test('has neither styles nor scripts of its own, and names only the portal and the documentation', async () => {
    const client = await signedIn(stack, account);
    for (const path of ['/portal', '/portal/account', '/portal/try-it']) {
      const { html } = await client.get(path);
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
      const sources = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source]) => source);
      for (const source of sources) expect(source).toMatch(/^(\/(portal|docs)|#)/);
    }
  });
});

describe('errors', () => {
  test.each<[string, string, RequestInit, number]>([
    ['an unknown page', '/portal/nothing', {}, 404],
    ['another method', '/portal/account', { method: 'DELETE' }, 405],
    [
      'what is no form',
      '/portal/account/password',
      { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
      415,
    ],
    [
      'a form that is too large',
      '/portal/account/password',
      { method: 'POST', body: new URLSearchParams({ a: 'x'.repeat(40_000) }) },
      413,
    ],
  ])('are pages: %s', async (_name, path, init, status) => {
    const client = await signedIn(stack, account);
    const answer = await client.request(path, init);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.html).toContain('<h1>');
    if (status === 405) expect(answer.headers.get('allow')).toContain('GET');
  });

  test('of the API stay JSON', async () => {
    const answer = await portalClient(stack).get('/portalx');
    expect(answer.headers.get('content-type')).toMatch('application/json');
  });
});

describe('files of the portal', () => {
  test('are kept by browsers, under names that change with them', async () => {
    const client = portalClient(stack);
    const { html } = await client.get('/portal/sign-in');
    const [, path = ''] = /rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
    const answer = await client.get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const etag = answer.headers.get('etag') ?? '';
    expect(path).toContain(etag.replaceAll('"', ''));
    const again = await client.request(path, { headers: { 'If-None-Match': etag } });
    expect(again).toMatchObject({ status: 304, html: '' });
    expect((await client.get(path.replace(/\.[0-9a-f]+\./, '.0000.'))).status).toBe(404);
  });
});

describe('a suspended company', () => {
  test('sees that it is, on every page, and can only sign out', async () => {
    const { id } = await makePartner(stack);
    const one = await makeAccount(stack, { kind: 'partner', id });
    const client = await signedIn(stack, one);
    await stack.database
      .updateTable('partners')
      .set({ status: 'SUSPENDED' })
      .where('id', '=', id)
      .execute();
    const shown = await client.get('/portal');
    expect(shown.status).toBe(403);
    expect(shown.html).toContain('This account is suspended');
    const answer = await client.submit('/portal', '/portal/sign-out');
    expect(answer.location).toBe('/portal/sign-in?out=yes');
  });
});

test('no secret is in the log, whatever is sent and whatever breaks', async () => {
  const logged = await startLoggedPortal(stack, 10);
  onTestFinished(() => logged.stop());
  const account = await makeAccount(stack, { kind: 'partner', id: partnerId });
  const client = portalClient({ url: logged.url });
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
