import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../../support/clients.ts';
import { makePartner } from '../../../support/companies.ts';
import { type Stack, startStack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import { makeAccount, portalClient, signedIn } from '../portal-client.ts';

let stack: Stack;
/** For tables whose rows register different addresses, or none. */
let registering: Awaited<ReturnType<typeof partner>>;

beforeAll(async () => {
  stack = await startStack({ TRUSTED_PROXIES: '127.0.0.0/8' });
  registering = await partner();
});
afterAll(() => stack?.stop());

async function partner() {
  const { id, apiKey } = await makePartner(stack);
  await stack.database.deleteFrom('source_addresses').where('partner_id', '=', id).execute();
  const account = await makeAccount(stack, { kind: 'partner', id });
  return { id, apiKey, account, client: await signedIn(stack, account) };
}

const ACCESS = '/portal/access';
const PATH = '/portal/addresses';

const logIn = async (key: string): Promise<number> =>
  (await call(`${stack.url}/api/v1/client/auth/login`, { body: { key } })).status;

const addressId = async (id: number): Promise<number> => {
  const row = await stack.database
    .selectFrom('source_addresses')
    .select('id')
    .where('partner_id', '=', id)
    .executeTakeFirstOrThrow();
  return row.id;
};

test('calls are let in from an address once it is registered, and not after its removal', async () => {
  const { id, apiKey, client } = await partner();
  expect((await client.get(ACCESS)).html).toContain('No address is registered');
  expect(await logIn(apiKey)).toBe(403);
  const added = await client.submit(ACCESS, PATH, { address: ' 127.0.0.0/16 ' });
  expect(added).toMatchObject({ status: 303, location: ACCESS });
  expect((await client.get(ACCESS)).html).toContain('127.0.0.0/16 is registered.');
  await until(async () => expect(await logIn(apiKey)).toBe(200));
  const remove = `${PATH}/${await addressId(id)}/remove`;
  expect((await client.get(remove)).html).toContain('It is the last address');
  expect(await client.submit(remove, remove)).toMatchObject({ status: 303, location: ACCESS });
  await until(async () => expect(await logIn(apiKey)).toBe(403));
});

test('the address that the browser calls from is added by one click', async () => {
  const { account } = await partner();
  const client = portalClient(stack, { 'X-Forwarded-For': '203.0.113.77' });
  await client.signIn(account);
  const { html } = await client.get(ACCESS);
  expect(html).toContain('Add 203.0.113.77</button>');
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  await client.post(PATH, { token, address: '203.0.113.77' });
  const after = await client.get(ACCESS);
  expect(after.html).toContain('<code>203.0.113.77</code>');
  expect(after.html).toContain('It is registered.');
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.16/28', '203.0.113.16/28'],
  ['203.0.113.39/28', '203.0.113.32/28'],
  ['2001:DB8:0:0::7', '2001:db8::7'],
])('%s is registered in one spelling, as %s', async (given, kept) => {
  const { client } = registering;
  expect((await client.submit(ACCESS, PATH, { address: given })).status).toBe(303);
  expect((await client.get(ACCESS)).html).toContain(`<code>${kept}</code>`);
  const again = await client.submit(ACCESS, PATH, { address: kept });
  expect(again.html).toContain(`${kept} is already registered.`);
});

test('an address inside a network is registered, with a word about it', async () => {
  const { client } = await partner();
  await client.submit(ACCESS, PATH, { address: '192.168.1.5' });
  expect((await client.get(ACCESS)).html).toContain('a private address');
  await client.submit(ACCESS, PATH, { address: '203.0.113.7' });
  expect((await client.get(ACCESS)).html).not.toContain('a private address');
});

describe('refused, in words, is', () => {
  test.each([
    ['', 'Enter an address.'],
    ['https://shop.example/', 'without “https://”'],
    ['203.0.113.7:8443', 'Omit the port'],
    ['203.0.113.256', 'This address cannot be registered'],
    ['203.0.113.7 203.0.113.8', 'This address cannot be registered'],
    ['0.0.0.0/0', 'too wide'],
    ['2001:db8::/31', 'too wide'],
    ['<img src=x onerror=alert(1)>', 'This address cannot be registered'],
    ['a\u0000b', 'This address cannot be registered'],
    ['x'.repeat(400), 'This address cannot be registered'],
  ])('%s', async (address, words) => {
    const answer = await registering.client.submit(ACCESS, PATH, { address });
    expect(answer.status).toBe(422);
    expect(answer.html).toContain(words);
    expect(answer.html).not.toContain('<img src=x');
  });

  test('the eleventh name, though a name is kept as the DNS has it', async () => {
    const { client } = await partner();
    for (let index = 0; index < 10; index += 1)
      await client.submit(ACCESS, PATH, { address: `Bücher-${index}.Example` });
    expect((await client.get(ACCESS)).html).toContain('<code>xn--bcher-0-n2a.example</code>');
    const answer = await client.submit(ACCESS, PATH, { address: 'api.shop.example' });
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('There are already 10 names');
    expect((await client.submit(ACCESS, PATH, { address: '203.0.113.7' })).status).toBe(303);
  });

  test('the fifty-first', async () => {
    const { client, id } = await partner();
    await stack.database
      .insertInto('source_addresses')
      .values(
        Array.from({ length: 50 }, (_, index) => ({
          partner_id: id,
          merchant_id: null,
          address: `203.0.113.${index}`,
        })),
      )
      .execute();
    const answer = await client.submit(ACCESS, PATH, { address: '198.51.100.1' });
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('There are already 50 addresses');
  });
});

test('addresses of another company are not there', async () => {
  const [mine, other] = [await partner(), await partner()];
  await other.client.submit(ACCESS, PATH, { address: '203.0.113.9' });
  const path = `${PATH}/${await addressId(other.id)}/remove`;
  expect((await mine.client.get(path)).status).toBe(404);
  const { html } = await mine.client.get(ACCESS);
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  expect((await mine.client.post(path, { token })).status).toBe(404);
  expect((await other.client.get(ACCESS)).html).toContain('203.0.113.9');
});
