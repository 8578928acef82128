import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeAccount, signedIn } from './portal-client.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

const clientOf = async (kind: 'partner' | 'merchant') => {
  const { id } = await (kind === 'partner' ? makePartner(stack) : makeMerchant(stack));
  return signedIn(stack, await makeAccount(stack, { kind, id }));
};

const formsOf = (html: string) =>
  [...html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action);

describe('one page', () => {
  test('manages keys, addresses and public keys of a merchant', async () => {
    const client = await clientOf('merchant');
    const { status, html } = await client.get('/portal/access');
    expect(status).toBe(200);
    for (const id of ['keys', 'addresses', 'public-keys'])
      expect(html).toContain(`<h2 id="${id}">`);
    const forms = formsOf(html);
    for (const action of ['/portal/keys', '/portal/addresses', '/portal/public-keys'])
      expect(forms).toContain(action);
    const menu = html.split('<nav id="menu"')[1]?.split('</nav>')[0] ?? '';
    expect(menu.match(/aria-current="page">Keys and addresses/g)).toHaveLength(1);
    expect(menu).not.toMatch(/>(API keys|Addresses|Public keys)</);
  });

  test('has no public keys for a partner', async () => {
    const { html } = await (await clientOf('partner')).get('/portal/access');
    expect(html).toContain('<h2 id="addresses">');
    expect(html).not.toContain('public-keys');
  });

  test('is marked in the menu on the pages below it, too', async () => {
    const client = await clientOf('partner');
    const [, id] = /keys\/(\d+)\/rotate/.exec((await client.get('/portal/access')).html) ?? [];
    const { html } = await client.get(`/portal/keys/${id}/rotate`);
    expect(html).toContain('aria-current="page">Keys and addresses');
  });
});
