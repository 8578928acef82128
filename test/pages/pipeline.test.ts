import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSecondFactorRule } from '../../src/db/people/second-factors.ts';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import { problems } from '../../src/pages/answers.ts';
import type { PageProblem } from '../../src/pages/page.ts';
import { portalSite } from '../../src/pages/portal/routes.ts';
import { supportSite } from '../../src/pages/staff/routes.ts';
import { makePartner } from '../support/companies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { makeAccount, type PortalClient, portalClient, signedIn } from './portal/portal-client.ts';
import { makeStaff, signInAtSupport, staffClient } from './staff/staff-client.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

type AnySite = typeof portalSite | typeof supportSite;

/** Where every page that needs a session leads; the form is empty and has no token. */
async function answersOf(client: PortalClient, { basePath, pages }: AnySite) {
  const answers: { page: string; isAlways: boolean; answer: string }[] = [];
  for (const page of pages) {
    if (page.access === 'anyone' || SIGNS_OUT.test(page.path)) continue;
    const path = basePath + page.path.replace(/:\w+/g, '1');
    const { status, location, html } =
      page.method === 'GET' ? await client.get(path) : await client.post(path, {});
    const title = /<title>(.*?) · /.exec(html)?.[1];
    answers.push({
      page: `${page.method} ${path}`,
      isAlways: page.always ?? false,
      answer: location ?? `${status} ${title}`,
    });
  }
  return answers;
}

/** These end the session that the other pages need. */
const SIGNS_OUT = /^\/sign-out$|\/sign-out-everywhere$/;

/** Expects the same answer of every page that waits for something, whatever the role and the form. */
async function expectFirst(client: PortalClient, site: AnySite, answer: string) {
  const waiting = (await answersOf(client, site)).filter(({ isAlways }) => !isAlways);
  expect(waiting.length).toBeGreaterThan(15);
  expect(waiting.filter((one) => one.answer !== answer)).toEqual([]);
}

const partner = async (): Promise<Company> => ({
  kind: 'partner',
  id: (await makePartner(stack)).id,
});

describe('before the role and the form of every page', () => {
  test('of the portalSite, a person changes the password that somebody else has seen', async () => {
    const account = await makeAccount(stack, await partner(), {
      role: 'viewer',
      mustChangePassword: true,
    });
    await expectFirst(await signedIn(stack, account), portalSite, '/portal/account');
  });

  test('of the portalSite, a person sets up the second factor that the company requires', async () => {
    const company = await partner();
    const client = await signedIn(stack, await makeAccount(stack, company, { role: 'viewer' }));
    await stack.database
      .transaction()
      .execute((transaction) => setSecondFactorRule(transaction, company, true));
    await expectFirst(client, portalSite, '/portal/account/second-factor');
  });

  test('of the portalSite, a person of a suspended company learns that alone', async () => {
    const company = await partner();
    const account = await makeAccount(stack, company, { role: 'viewer', mustChangePassword: true });
    const client = await signedIn(stack, account);
    await stack.database
      .updateTable('partners')
      .set({ status: 'SUSPENDED' })
      .where('id', '=', company.id)
      .execute();
    await expectFirst(client, portalSite, '403 Account suspended');
  });

  test('of supportSite, a person changes the password that somebody else has seen', async () => {
    const account = await makeStaff(stack);
    const client = portalClient(stack);
    await signInAtSupport(client, account);
    await stack.database
      .updateTable('portal_accounts')
      .set({ must_change_password: true })
      .where('id', '=', account.id)
      .execute();
    await expectFirst(client, supportSite, '/support/account');
  });

  test('of supportSite, a person sets up a second factor', async () => {
    const client = portalClient(stack);
    await signInAtSupport(client, await makeStaff(stack));
    await expectFirst(client, supportSite, '/support/account/second-factor');
  });
});

test('the page of an unknown address is in the language of the browser', async () => {
  const client = portalClient(stack, { 'accept-language': 'am' });
  const answer = await client.get('/portal/nowhere');
  expect(answer.status).toBe(404);
  expect(answer.html).toContain('<html lang="am">');
  expect(answer.html).not.toContain('Page not found');
});

/** Of people of companies: nobody has them at the support desk. */
const OF_COMPANIES = /compan|owner|contact|sale/;

test('at the support desk no problem speaks of a company and its people', async () => {
  const { client } = await staffClient(stack);
  for (const [status, answer] of [
    [404, client.get('/support/nowhere')],
    [404, client.get('/support/partners/0')],
    [403, client.post('/support/partners/1/people/1/password', {})],
  ] as const) {
    const { status: answered, html } = await answer;
    const said = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '';
    expect([answered, said]).toEqual([status, expect.not.stringMatching(OF_COMPANIES)]);
  }
  const wrong = Object.values<PageProblem>(problems).filter(({ text, textForStaff = text }) =>
    OF_COMPANIES.test(textForStaff),
  );
  expect(wrong).toEqual([]);
});

test.each([portalSite, supportSite] as const)(
  '$name has a page for each entry of its menu',
  (site: AnySite) => {
    const shown = site.pages.filter((page) => page.method === 'GET').map(({ path }) => path);
    const entries = site.menu.flatMap((group) => group.entries);
    expect(entries.map(({ path }) => path).filter((path) => !shown.includes(path))).toEqual([]);
    const below = entries.flatMap(({ further = [] }) => further);
    expect(below.filter((path) => !shown.some((one) => `${one}/`.startsWith(`${path}/`)))).toEqual(
      [],
    );
  },
);
