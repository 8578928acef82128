import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAuditEntries, addPersonEntry } from '../../../src/db/access/calls.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { caseOf } from '../../positions/cases.ts';
import { doneLate, takenBack } from '../../positions/placements.ts';
import { makeKey, makePartner } from '../../support/companies.ts';
import {
  type Account,
  hiddenFields,
  makeAccount,
  portalClient,
  signedIn,
} from '../portal/portal-client.ts';
import { setUpCodes, staffClient } from './staff-client.ts';
import { type StaffScene, setStaffScene } from './staff-scene.ts';

/** The page of a company at /support, with the rights of the API's role: who sees what, and who does what. */
let scene: StaffScene;
let agent: Awaited<ReturnType<typeof staffClient>>;
let supervisor: typeof agent;
let operator: typeof agent;

beforeAll(async () => {
  scene = await setStaffScene({
    PORTAL_SIGN_INS_PER_ACCOUNT: '3',
    PORTAL_SIGN_INS_PER_ADDRESS: '1000',
  });
  ({ agent } = scene);
  supervisor = await staffClient(scene.stack, 'SUPERVISOR');
  operator = await staffClient(scene.stack, 'OPERATOR');
});
afterAll(() => scene?.stop());

const pathOf = ({ kind, id }: Company) => `/support/${kind}s/${id}`;
const partner = (): Company => ({ kind: 'partner', id: scene.partner.id });

const plain = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const read = async (path: string, person = agent): Promise<string> => {
  const { status, html } = await person.client.get(path);
  expect(status, path).toBe(200);
  return plain(html);
};

/** A person of a company, and the page of the person at /support. */
async function makePerson(company: Company = partner()) {
  const account = await makeAccount(scene.stack, company);
  return { ...account, path: `${pathOf(company)}/people/${account.id}` };
}

const trySignIn = async (account: Account) =>
  (await portalClient(scene.stack).signIn(account)).status;

const auditOf = (action: string, accountId: number) =>
  scene.stack.database
    .selectFrom('audit_log')
    .select(['actor', 'subject_kind', 'subject_id', 'details'])
    .where('action', '=', action)
    .where(sql<boolean>`details ->> 'accountId' = ${String(accountId)}`)
    .execute();

const why = { why: 'Ticket 4711' };

describe('the page of a partner', () => {
  it('shows a few figures and leads to its parts, for every role, and shows nothing secret', async () => {
    const { apiKey } = scene.partner;
    const parts = {
      money: 'Gift wallet',
      sales: 'Sales by day',
      limits: 'Daily amount',
      prices: 'USD 4.75',
      keys: apiKey.slice(0, 13),
      addresses: '127.0.…',
      people: 'People',
      webhooks: 'Webhooks',
      cases: 'Cases',
      changes: 'Changes and sign-ins',
    };
    for (const person of [agent, supervisor, operator]) {
      const { html } = await person.client.get(pathOf(partner()));
      expect(plain(html)).toContain('Gift wallet ETB');
      for (const [part, words] of Object.entries(parts)) {
        const path = `${pathOf(partner())}/${part}`;
        expect(html).toContain(`href="${path}"`);
        const shown = await read(path, person);
        expect(shown, path).toContain(words);
        expect(shown).not.toContain(apiKey);
        expect(shown).not.toContain('127.0.0.0');
      }
    }
  });

  it('shows what waits for somebody, with a link to where it is dealt with', async () => {
    const { id } = await makePartner(scene.stack);
    const page = pathOf({ kind: 'partner', id });
    expect(await read(page)).not.toContain('Waiting for us');
    await scene.stack.database
      .updateTable('ledger_accounts')
      .set({ low_balance: '99999999' })
      .where('partner_id', '=', id)
      .where('kind', '=', 'gift')
      .execute();
    const { html } = await agent.client.get(page);
    expect(plain(html)).toMatch(/Gift wallet ETB [\d,.]+ Low Statement/);
    expect(html).toContain(`<a href="${page}/money">Low wallet</a>`);
  });

  it('leads to the account statement of each wallet, whose lines lead to their cases', async () => {
    const gift = await scene.gift();
    const { html, status } = await agent.client.get(`${pathOf(partner())}/balances/gift`);
    expect(status).toBe(200);
    expect(html).toContain(`href="/support/vouchers/${gift.id}"`);
    expect(html).not.toContain('href="/portal/vouchers');
    expect(html).not.toContain('Download as CSV');
    expect((await agent.client.get(`${pathOf(partner())}/balances/funding`)).status).toBe(404);
  });

  it('shows the sales of chosen days', async () => {
    await scene.gift();
    expect(await read(`${pathOf(partner())}/sales`)).toMatch(/20\d\d-\d\d-\d\d 1?\d+ [\d,.]+/);
    const wrong = await agent.client.get(`${pathOf(partner())}/sales?from=2026-13-01`);
    expect(wrong.status).toBe(422);
  });

  it('shows a long list page by page', async () => {
    const { id } = await makePartner(scene.stack);
    const company: Company = { kind: 'partner', id };
    for (let count = 0; count < 51; count += 1) await makeKey(scene.stack, company);
    const rows = (html: string) => html.split('<code>gvs_').length - 1;
    expect(rows((await agent.client.get(`${pathOf(company)}/keys`)).html)).toBe(50);
    expect(rows((await agent.client.get(`${pathOf(company)}/keys?page=2`)).html)).toBe(2);
    expect((await agent.client.get(`${pathOf(company)}/keys?page=3`)).status).toBe(404);
  });

  it('shows what a limit of the day leaves', async () => {
    const { id } = await makePartner(scene.stack);
    await scene.stack.database
      .updateTable('partners')
      .set({ daily_amount: '5000', messages_per_day: 7 })
      .where('id', '=', id)
      .execute();
    const words = await read(`${pathOf({ kind: 'partner', id })}/limits`);
    expect(words).toMatch(/ETB 0\.00 of ETB 5,000\.00/);
    expect(words).toContain('0 of 7, its own budget');
    expect(words).toContain('0 of 100');
  });

  it('is not there for an unknown company, and for one of the other kind', async () => {
    for (const path of ['/support/partners/999999', '/support/merchants/999999/people'])
      expect((await agent.client.get(path)).status).toBe(404);
    expect((await agent.client.get(`/support/merchants/${scene.partner.id}/deposits`)).status).toBe(
      404,
    );
  });
});

describe('cases and repairs', () => {
  it('lead to the page of the company, and the company to its cases, also ended ones', async () => {
    const { gift, merchant } = await scene.voucherIn('redeemed');
    const { operation_id, payment_reference } = await scene.redemptionOf(gift);
    await takenBack(scene.stack.database, operation_id);
    const found = await caseOf(scene.stack.database, payment_reference);
    const ofMerchant = pathOf({ kind: 'merchant', id: merchant.id });
    for (const path of [`/support/cases/${found.id}`, `/support/vouchers/${gift.id}`]) {
      const { html } = await agent.client.get(path);
      expect(html).toContain(`href="${pathOf(partner())}"`);
      expect(html).toContain(`href="${ofMerchant}"`);
    }
    for (const path of [`${pathOf(partner())}/cases`, ofMerchant, `${ofMerchant}/cases`])
      expect((await agent.client.get(path)).html).toContain(`href="/support/cases/${found.id}"`);
    await doneLate(scene.stack.database, operation_id);
    const words = (await agent.client.get(`${ofMerchant}/cases`)).html;
    expect(words).toContain(`href="/support/cases/${found.id}"`);
    expect(words).toContain('Ended by itself');
    const topup = await scene.topupIn('FAILED');
    expect((await agent.client.get(`/support/top-ups/${topup}`)).html).toContain(
      `href="${pathOf(partner())}"`,
    );
    const { id } = await scene.written('cancel-claim', (await scene.voucherIn('claimed')).gift.id);
    expect((await agent.client.get(`/support/repairs/${id}`)).html).toContain(
      `href="${pathOf(partner())}"`,
    );
  });
});

describe('the page of a merchant', () => {
  it('shows fee, payout account, keys and payouts, and no whole number', async () => {
    const { merchant } = await scene.voucherIn('redeemed');
    const page = pathOf({ kind: 'merchant', id: merchant.id });
    expect(await read(`${page}/terms`, operator)).toContain('2.5 % of the redeemed amount');
    expect(await read(page, operator)).toContain('Payouts by day');
    for (const part of ['', '/terms', '/keys', '/public-keys', '/people', '/invitations']) {
      const { html, status } = await operator.client.get(page + part);
      expect(status).toBe(200);
      expect(html).not.toContain(merchant.payoutNumber);
      expect(html).not.toContain(merchant.payoutNumber.slice(1));
      expect(html).not.toContain(merchant.apiKey);
      expect(html).not.toContain('BEGIN PUBLIC KEY');
    }
  });

  it('asks the providers about its payout account again, and comes back', async () => {
    const { merchant } = await scene.voucherIn('redeemed');
    const page = `${pathOf({ kind: 'merchant', id: merchant.id })}/terms`;
    const ask = `/support/payout-accounts/${merchant.id}/ask`;
    const answer = await agent.client.submit(page, ask);
    expect(answer).toMatchObject({ status: 303, location: page });
    expect(await read(page)).toContain('The account can be paid now');
  });

  it('is invited again by a supervisor, to where the last link went', async () => {
    const { merchant } = await scene.payee('merchant');
    const { database } = scene.stack;
    await database
      .insertInto('merchant_invitations')
      .values({ merchant_id: merchant.id, email: 'sara@till.example', msisdn: '+251944000123' })
      .execute();
    const page = pathOf({ kind: 'merchant', id: merchant.id });
    const list = `${page}/invitations`;
    expect((await agent.client.get(list)).html).not.toContain(`action="${page}/invite"`);
    const answer = await supervisor.client.submit(list, `${page}/invite`);
    expect(answer).toMatchObject({ status: 303, location: list });
    const words = await read(list, supervisor);
    expect(words).toContain('A link is on its way to sara@till.example.');
    expect(words).not.toContain('251944000123');
    const rows = await database
      .selectFrom('merchant_invitations')
      .select(['email', 'msisdn', 'status'])
      .where('merchant_id', '=', merchant.id)
      .orderBy('created_at')
      .execute();
    expect(rows).toMatchObject([
      { status: 'REPLACED' },
      { email: 'sara@till.example', msisdn: '+251944000123' },
    ]);
    const { actor, details } = await database
      .selectFrom('audit_log')
      .select(['actor', 'details'])
      .where('action', '=', 'invite merchant')
      .where('subject_id', '=', merchant.id)
      .executeTakeFirstOrThrow();
    expect(actor).toBe(`staff:${supervisor.account.id}`);
    expect(JSON.stringify(details)).not.toContain('251944000123');
  });
});

describe('a person of a company', () => {
  it('who is locked out is seen so, and may try again once a supervisor has unlocked', async () => {
    const person = await makePerson();
    for (let count = 0; count < 3; count += 1)
      expect(await trySignIn({ ...person, password: 'wrong' })).toBe(403);
    expect(await trySignIn(person)).toBe(429);
    expect(await read(`${pathOf(partner())}/people`)).toMatch(
      new RegExp(`${person.email}[^@]*Locked`),
    );
    const unlock = `${person.path}/unlock`;
    expect((await supervisor.client.submit(person.path, unlock, why)).status).toBe(303);
    expect(await read(person.path)).not.toContain('Locked');
    // Nothing is counted any more, so there is nothing to write down.
    await supervisor.client.submit(person.path, unlock, why);
    expect(await trySignIn(person)).toBe(303);
    expect(await auditOf('unlock portal-account', person.id)).toMatchObject([
      {
        actor: `staff:${supervisor.account.id}`,
        subject_kind: 'partner',
        subject_id: scene.partner.id,
        details: { email: person.email, why: 'Ticket 4711' },
      },
    ]);
  });

  it('gets a new password by an operator: shown once, and nowhere else', async () => {
    const person = await makePerson();
    const browser = await signedIn(scene.stack, person);
    const answer = await operator.client.submit(person.path, `${person.path}/password`, why);
    const password = /id="password"[^>]* value="([^"]+)"/.exec(answer.html)?.[1] ?? '';
    expect([answer.status, password.length]).toEqual([200, 19]);
    expect((await browser.get('/portal')).location).toContain('/portal/sign-in');
    expect(await trySignIn(person)).toBe(403);
    expect(await trySignIn({ ...person, password })).toBe(303);
    expect(await read(person.path)).toContain('Has a first password');
    const entries = await auditOf('reset portal-password', person.id);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain(password);
    // Its own people see that it happened, and not from where.
    const owner = await signedIn(scene.stack, await makeAccount(scene.stack, partner()));
    const { html } = await owner.get('/portal/activity');
    expect(plain(html)).toMatch(
      new RegExp(`An operator\\s+Reset the portal password of ${person.email}\\s+[^1]`),
    );
  });

  it('who has lost the phone signs in by the password alone', async () => {
    const person = await makePerson();
    const browser = await signedIn(scene.stack, person);
    await setUpCodes(scene.stack, browser, '/portal/account/second-factor');
    const action = `${person.path}/second-factor`;
    expect((await operator.client.submit(person.path, action, why)).status).toBe(303);
    expect((await browser.get('/portal')).location).toContain('/portal/sign-in');
    expect((await portalClient(scene.stack).signIn(person)).location).not.toContain('/code');
    expect(await auditOf('reset second-factor', person.id)).toHaveLength(1);
    expect((await operator.client.get(person.path)).html).not.toContain(`action="${action}"`);
  });

  it('who has left is disabled, and a new password enables the account again', async () => {
    const person = await makePerson();
    const browser = await signedIn(scene.stack, person);
    await operator.client.submit(person.path, `${person.path}/disable`, why);
    expect((await browser.get('/portal')).location).toContain('/portal/sign-in');
    expect(await trySignIn(person)).not.toBe(303);
    expect(await read(person.path)).toContain('Disabled');
    expect(await auditOf('disable portal-account', person.id)).toHaveLength(1);
    await operator.client.submit(person.path, `${person.path}/password`, why);
    expect(await read(person.path)).not.toContain('Disabled');
  });

  it.each([
    ['agent', () => agent, []],
    ['supervisor', () => supervisor, ['unlock']],
    ['operator', () => operator, ['unlock', 'password', 'disable']],
  ] as const)('is helped by a(n) %s only as far as the role goes', async (_role, who, mayDo) => {
    const person = await makePerson();
    const { html } = await who().client.get(person.path);
    const offered = [...html.matchAll(/people\/\d+\/([\w-]+)"/g)].map(([, verb]) => verb);
    expect(offered).toEqual(mayDo);
    const { token = '' } = hiddenFields(html, '/support/sign-out');
    for (const verb of ['unlock', 'password', 'second-factor', 'disable'])
      if (!mayDo.some((one) => one === verb) && verb !== 'second-factor') {
        const answer = await who().client.post(`${person.path}/${verb}`, { ...why, token });
        expect([verb, answer.status]).toEqual([verb, 403]);
      }
    expect(await trySignIn(person)).toBe(303);
  });

  it('is not changed without a reason, from which a number is taken out', async () => {
    const person = await makePerson();
    const disable = (reason: string) =>
      operator.client.submit(person.path, `${person.path}/disable`, { why: reason });
    expect((await disable('')).status).toBe(422);
    expect(await trySignIn(person)).toBe(303);
    await disable('Called from 0911234567');
    expect(await auditOf('disable portal-account', person.id)).toMatchObject([
      { details: { why: 'Called from [number]' } },
    ]);
  });

  it('of another company, or of the service, has no page here', async () => {
    const other = await makePartner(scene.stack);
    const person = await makePerson({ kind: 'partner', id: other.id });
    for (const id of [person.id, operator.account.id]) {
      const path = `${pathOf(partner())}/people/${id}`;
      expect((await operator.client.get(path)).status).toBe(404);
      const { token = '' } = hiddenFields(
        (await operator.client.get(person.path)).html,
        `${person.path}/disable`,
      );
      const answer = await operator.client.post(`${path}/disable`, { ...why, token });
      expect(answer.status).toBe(404);
    }
    expect(await trySignIn(person)).toBe(303);
  });
});

describe('a selling price', () => {
  const priceAt = async () => {
    const { denominationId } = await scene.stack.database
      .selectFrom('partner_gift_denomination_prices')
      .innerJoin('gift_denominations', 'gift_denominations.id', 'denomination_id')
      .select('denomination_id as denominationId')
      .where('partner_id', '=', scene.partner.id)
      .where('amount_etb', '=', '500')
      .executeTakeFirstOrThrow();
    return `${pathOf(partner())}/prices/${denominationId}`;
  };

  it('of a sold voucher leads to all prices that were in force, and to who set them', async () => {
    const gift = await scene.gift({ denomination: 500 });
    const path = await priceAt();
    const { html } = await agent.client.get(`/support/vouchers/${gift.id}`);
    expect(plain(html)).toContain('Price at the sale USD 4.75');
    expect(html).toContain(`href="${path}"`);
    const words = await read(path);
    expect(words).toMatch(/USD 4\.75 In force Every merchant .* The partner’s server/);
  });

  it('is set by an operator for one merchant or for all, and is audited as at the portal', async () => {
    const path = await priceAt();
    const set = (fields: Record<string, string>) =>
      operator.client.submit(path, path, { ...why, ...fields });
    const { identifier, merchant_name } = await scene.stack.database
      .selectFrom('merchants')
      .select(['identifier', 'merchant_name'])
      .where('id', '=', scene.merchant.id)
      .executeTakeFirstOrThrow();
    expect(await set({ price: '4.6', merchant: identifier })).toMatchObject({
      status: 303,
      location: path,
    });
    const words = await read(path, operator);
    expect(words).toContain(`The price for ${merchant_name} is USD 4.6 now.`);
    expect(words).toMatch(
      new RegExp(
        `USD 4.60 In force ${merchant_name} .* ${operator.account.name} Ticket 4711 USD 4.75 In force`,
      ),
    );
    const [entry] = await scene.stack.database
      .selectFrom('audit_log')
      .select(['actor', 'details'])
      .where('action', '=', 'set selling-price')
      .where('subject_id', '=', scene.partner.id)
      .orderBy('id', 'desc')
      .execute();
    expect(entry).toMatchObject({
      actor: `staff:${operator.account.id}`,
      details: { before: null, after: '4.6', merchantId: scene.merchant.id, why: 'Ticket 4711' },
    });
    expect(words).toContain('All others');
    const far = await set({ price: '475' });
    expect([far.status, plain(far.html)]).toEqual([
      422,
      expect.stringContaining('USD 475 is 100 times USD 4.75.'),
    ]);
    const seller = { email: 'seller@partner.example', company: partner() };
    await scene.stack.database
      .transaction()
      .execute((writing) => addPersonEntry(writing, seller, 'cancel voucher', { voucherId: 7 }));
    const changes = await read(`${pathOf(partner())}/changes`);
    expect(changes).toContain('Asked to cancel voucher 7');
    expect(changes).toContain(
      `Set the selling price of the voucher of ETB 500.00: USD 4.60 for merchant ${scene.merchant.id}, none before`,
    );
    await set({ price: '4.60', merchant: identifier });
    expect(await read(path, operator)).toContain('Nothing was changed');
    for (const wrong of [
      { price: '0' },
      { price: '4.5', merchant: 'NONE' },
      { price: '5', why: '' },
    ])
      expect((await set(wrong)).status, JSON.stringify(wrong)).toBe(422);
  });

  it('that is far from the one in force is asked about before a proof, and the note stays', async () => {
    const path = await priceAt();
    await scene.stack.database
      .updateTable('portal_sessions')
      .set({ confirmed_at: new Date(0) })
      .where('account_id', '=', operator.account.id)
      .execute();
    const asked = await operator.client.submit(path, path, { ...why, price: '0.47' });
    expect(asked.status).toBe(422);
    expect(plain(asked.html)).toContain(
      'USD 0.47 is 1/10 of USD 4.75. If it is right, press “Set the price” again.',
    );
    expect(asked.html).toContain('class="message warning"');
    expect(asked.html).not.toContain('aria-invalid');
    expect(hiddenFields(asked.html, path)).toMatchObject({ sure: '0.47 ' });
    expect(asked.html).toMatch(/<input[^>]* name="why"[^>]* value="Ticket 4711"/);
    const again = { ...hiddenFields(asked.html, path), ...why, price: '0.47' };
    const unproved = await operator.client.post(path, again);
    expect([unproved.status, plain(unproved.html)]).toEqual([
      403,
      expect.stringMatching(
        /You are about to set the price .* to USD 0\.47, for all merchants without their own price\./,
      ),
    ]);
    expect(await read(path, operator)).not.toContain('USD 0.47');
  });

  it('is not set by an agent or a supervisor, nor of a voucher that the partner does not sell', async () => {
    const path = await priceAt();
    for (const person of [agent, supervisor]) {
      const { html } = await person.client.get(path);
      expect(html).not.toContain('name="price"');
      const { token = '' } = hiddenFields(html, '/support/sign-out');
      const answer = await person.client.post(path, { ...why, price: '1', token });
      expect(answer.status).toBe(403);
    }
    const none = `${pathOf(partner())}/prices/999999`;
    expect((await operator.client.get(none)).status).toBe(404);
    const { token = '' } = hiddenFields((await operator.client.get(path)).html, path);
    expect((await operator.client.post(none, { ...why, price: '1', token })).status).toBe(404);
  });

  it('may be seen to have been another one: the changes of the service fee stand at the merchant', async () => {
    const { merchant } = await scene.payee('merchant');
    await scene.stack.database.transaction().execute((transaction) =>
      addAuditEntries(transaction, [
        {
          actor: 'hanna',
          action: 'set service-fee',
          subjectKind: 'merchant',
          subjectId: merchant.id,
          details: { changes: { serviceFeePercent: { from: '2.0000', to: '2.5000' } } },
        },
      ]),
    );
    const words = await read(`${pathOf({ kind: 'merchant', id: merchant.id })}/terms`);
    expect(words).toMatch(/2\.5 % 2 % [\d: -]+ hanna/);
  });
});
