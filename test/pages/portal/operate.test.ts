import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isStillAdmitted } from '../../../src/db/access/access.ts';
import { lockCompany } from '../../../src/db/access/company-access.ts';
import { updateRow } from '../../../src/db/connection.ts';
import { expireDueVouchers } from '../../../src/db/vouchers/expiry.ts';
import { REASON_HEADER } from '../../../src/http/envelope.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { until } from '../../support/until.ts';
import { staffClient } from '../staff/staff-client.ts';
import {
  type BusinessScene,
  cellsOf,
  setBusinessScene,
  textOf,
} from './journeys/business-scene.ts';
import { hiddenFields, makeAccount, type PortalClient, signedIn } from './portal-client.ts';

/** What people of a partner do in the portal: money moves under the authority of their account. */
let scene: BusinessScene;
beforeAll(async () => {
  scene = await setBusinessScene();
});
afterAll(() => scene?.stop());

const balances = async () => (await scene.asPartner.get('/info/get-current-balance')).body.data;

const audited = async (action: string) =>
  scene.stack.database
    .selectFrom('audit_log')
    .select(['actor', 'details'])
    .where('action', '=', action)
    .where('subject_id', '=', scene.partner.id)
    .execute();

/** Sends the same form twice at once, as a double click does. */
async function sentTwice(client: PortalClient, path: string, fields = {}) {
  const { html } = await client.get(path);
  const sent = { ...hiddenFields(html, path), ...fields };
  return Promise.all([client.post(path, sent), client.post(path, sent)]);
}

const as = async (role: 'finance' | 'developer') =>
  signedIn(
    scene.stack,
    await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id }, { role }),
  );

describe('a voucher', () => {
  test('is cancelled once by somebody of finance, and its value comes back', async () => {
    const gift = await scene.gift({ merchant: scene.merchant, denomination: 500 });
    const before = await balances();
    const client = await as('finance');
    const path = `/portal/vouchers/${gift.id}`;
    expect(textOf((await client.get(`${path}/cancel`)).html)).toContain(
      'ETB 500.00 goes back to your gift wallet',
    );
    const answers = await sentTwice(client, `${path}/cancel`);
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [303, path],
      [303, path],
    ]);
    const after = await balances();
    expect(after.eMoneyWalletBalance - before.eMoneyWalletBalance).toBe(500);
    const { html } = await client.get(path);
    expect(textOf(html)).toContain('Cancelled');
    expect(html).not.toContain('/cancel"');
    expect((await audited('cancel voucher'))[0]).toMatchObject({
      actor: expect.stringMatching(/^portal:/),
      details: { voucherId: gift.id },
    });
  });

  test('that is redeemed, or another partner’s, is not cancelled', async () => {
    const { asPerson, gifts } = scene;
    const { html } = await asPerson.get(`/portal/vouchers/${gifts.part.id}/cancel`);
    const fields = hiddenFields(html, `/portal/vouchers/${gifts.part.id}/cancel`);
    const post = (id: number, more = {}) =>
      asPerson.post(`/portal/vouchers/${id}/cancel`, { ...fields, ...more });
    const redeemed = await post(gifts.whole.id);
    expect([redeemed.status, textOf(redeemed.html)]).toEqual([
      409,
      expect.stringContaining('The voucher is not cancelled'),
    ]);
    expect((await post(gifts.foreign.id, { once: 'x'.repeat(43) })).status).toBe(404);
    expect((await post(gifts.part.id, { once: '' })).status).toBe(400);
    expect((await asPerson.get(`/portal/vouchers/${gifts.foreign.id}/cancel`)).status).toBe(404);
    expect((await asPerson.get(`/portal/vouchers/${gifts.foreign.id}/resend`)).status).toBe(404);
  });

  test('has its message sent again, the same code', async () => {
    const { asPerson, asMerchant } = scene;
    const gift = await scene.gift({ denomination: 100 });
    await scene.claimed(asMerchant, gift);
    const path = `/portal/vouchers/${gift.id}/resend`;
    const answers = await sentTwice(asPerson, path);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const story = textOf((await asPerson.get(`/portal/vouchers/${gift.id}`)).html);
    expect(story.match(/The code for/g)).toHaveLength(2);
  });

  test('offers no message again that its owner does not miss', async () => {
    const { asPerson, asMerchant } = scene;
    const unused = await scene.gift({ denomination: 100 });
    const redeemed = await scene.gift({ denomination: 100 });
    await scene.redeemed(asMerchant, redeemed);
    await until(async () => {
      const { html } = await asPerson.get(`/portal/vouchers/${redeemed.id}`);
      expect(textOf(html)).toMatch(/The confirmation .*was taken by the SMS provider/);
    });
    for (const { id } of [unused, redeemed]) {
      const { status, html } = await asPerson.get(`/portal/vouchers/${id}/resend`);
      expect([status, textOf(html)]).toEqual([409, expect.stringContaining('misses no message')]);
    }
  });
});

describe('a failed top-up', () => {
  test('is retried once to another number, and charged', async () => {
    const { asPerson, topups } = scene;
    const path = `/portal/top-ups/${topups.failed.transactionId}`;
    const wrong = await asPerson.submit(`${path}/retry`, `${path}/retry`, { msisdn: '12' });
    expect(wrong.status).toBe(422);
    const before = await balances();
    const answers = await sentTwice(asPerson, `${path}/retry`, { msisdn: '0911000059' });
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [303, path],
      [303, path],
    ]);
    expect(before.walletBalance - (await balances()).walletBalance).toBe(25);
    const attempts = cellsOf((await asPerson.get(path)).html).filter(([first]) => first === '2');
    expect(attempts).toHaveLength(1);
    expect((await asPerson.get(`${path}/retry`)).status).toBe(409);
    const foreign = `/portal/top-ups/${topups.foreign.transactionId}/retry`;
    expect((await asPerson.get(foreign)).status).toBe(404);
    const [entry] = await audited('retry top-up');
    expect(JSON.stringify(entry)).not.toContain('911000059');
  });

  const failedTopup = async () => {
    const { body } = await scene.asPartner.post('/topup-transactions/airtime-topup', {
      amount: 25,
      msisdn: '0911000002',
      exchangeRate: 57.2,
      currency: 'USD',
      originatingCountry: 'US',
    });
    return Number(body.data.transactionId);
  };

  test('that somebody else has made meanwhile is asked about again, and sends nothing', async () => {
    const { asPartner, asPerson } = scene;
    const transactionId = await failedTopup();
    const path = `/portal/top-ups/${transactionId}/retry`;
    const fields = hiddenFields((await asPerson.get(path)).html, path);
    await asPartner.post('/topup-transactions/retry-topup', {
      transactionId,
      msisdn: '0922000002',
    });
    const late = await asPerson.post(path, fields);
    expect([late.status, textOf(late.html)]).toEqual([
      409,
      expect.stringMatching(/Nothing was sent\..+ is sent once more to \+2519\*+002/),
    ]);
    const { html } = await asPerson.get(path.replace('/retry', ''));
    expect(cellsOf(html).filter(([first]) => first === '3')).toEqual([]);
    const sent = await asPerson.post(path, hiddenFields(late.html, path));
    expect(sent.status).toBe(303);
    expect((await asPerson.post(path, fields)).status).toBe(409);
  });

  test('that fails once more leads to its page, which says so', async () => {
    const { asPerson } = scene;
    const path = `/portal/top-ups/${await failedTopup()}`;
    const { status, location } = await asPerson.submit(`${path}/retry`, `${path}/retry`, {});
    expect([status, location]).toEqual([303, path]);
    const shown = textOf((await asPerson.get(path)).html);
    expect(shown).toContain('The top-up was not delivered.');
  });
});

test('what belongs to another partner is not there, and leaves no entry', async () => {
  const { asPerson, gifts, topups, stack } = scene;
  const open = `/portal/vouchers/${gifts.part.id}/cancel`;
  const fields = hiddenFields((await asPerson.get(open)).html, open);
  const [voucherId, transactionId] = [gifts.foreign.id, topups.foreign.transactionId];
  for (const path of [
    `vouchers/${voucherId}/cancel`,
    `vouchers/${voucherId}/resend`,
    `top-ups/${transactionId}/retry`,
  ]) {
    const once = randomBytes(32).toString('base64url');
    expect([path, (await asPerson.post(`/portal/${path}`, { ...fields, once })).status]).toEqual([
      path,
      404,
    ]);
  }
  const entries = await stack.database
    .selectFrom('audit_log')
    .select('action')
    .where(sql<boolean>`details ->> 'voucherId' = ${String(voucherId)}
      or details ->> 'transactionId' = ${String(transactionId)}`)
    .execute();
  expect(entries).toEqual([]);
});

type Refused = {
  /** Below /portal, and the call of the API with its body. */
  readonly page: string;
  readonly call: readonly [path: string, body?: object];
};

/** What is refused, by its reason. */
const refusals: readonly (readonly [string, string, () => Promise<Refused>])[] = [
  [
    'voucher-redeemed',
    'the cancellation of what is redeemed',
    async () => ofVoucher(scene.gifts.whole, 'cancel'),
  ],
  [
    'voucher-expired',
    'the cancellation of what has expired',
    async () => {
      const gift = await scene.gift({ denomination: 100 });
      await scene.expire(gift);
      await scene.stack.database
        .transaction()
        .execute((transaction) => expireDueVouchers(transaction, 100));
      return ofVoucher(gift, 'cancel');
    },
  ],
  [
    'nothing-to-resend',
    'a message that the owner does not miss',
    async () => ofVoucher(await scene.gift({ denomination: 100 }), 'resend'),
  ],
  [
    'topup-not-failed',
    'the retry of what was delivered',
    async () => {
      const { transactionId } = scene.topups.delivered;
      return {
        page: `top-ups/${transactionId}/retry`,
        call: ['/topup-transactions/retry-topup', { transactionId }],
      };
    },
  ],
];

const ofVoucher = ({ id }: { readonly id: number }, what: 'cancel' | 'resend'): Refused => ({
  page: `vouchers/${id}/${what}`,
  call: [`/vouchers/${id}/${what}`],
});

test.each(refusals)(
  '%s reads the same at the API, before a confirmation and after it: %s',
  async (reason, _what, make) => {
    const { page, call } = await make();
    const answer = await scene.asPartner.post(...call);
    expect(answer.headers.get(REASON_HEADER)).toBe(reason);
    const words = `${answer.body.message}.`;
    const path = `/portal/${page}`;
    const asked = await scene.asPerson.get(path);
    expect([asked.status, textOf(asked.html)]).toEqual([409, expect.stringContaining(words)]);
    // A form that was open before.
    const open = `/portal/vouchers/${scene.gifts.part.id}/cancel`;
    const fields = hiddenFields((await scene.asPerson.get(open)).html, open);
    const sent = await scene.asPerson.post(path, fields);
    expect([sent.status, textOf(sent.html)]).toEqual([409, expect.stringContaining(words)]);
  },
);

test('the authority of an operation ends with the role, the account and at the company', async () => {
  const { database } = scene.stack;
  const company = { kind: 'partner', id: scene.partner.id } as const;
  const { email } = await makeAccount(scene.stack, company, { role: 'finance' });
  const change = (set: { role?: 'viewer' | 'finance'; disabled_at?: Date }) =>
    database
      .updateTable('portal_accounts')
      .set(set)
      .where('email', '=', email)
      .returning('id')
      .executeTakeFirstOrThrow();
  const { id: portalAccountId } = await change({ role: 'finance' });
  const admitted = async (id = company.id) => {
    const caller = { ...company, id, credential: { portalAccountId } };
    const { rows } = await sql<{ admitted: boolean }>`
      select ${isStillAdmitted(caller, 'generate-voucher')} as admitted`.execute(database);
    return rows[0]?.admitted;
  };
  expect(await admitted()).toBe(true);
  expect(await admitted(scene.other.id)).toBe(false);
  await change({ role: 'viewer' });
  expect(await admitted()).toBe(false);
  await change({ role: 'finance', disabled_at: new Date() });
  expect(await admitted()).toBe(false);
});

test('nobody is led to pages that their role does not have', async () => {
  const company = { kind: 'partner', id: scene.other.id } as const;
  for (const role of ['viewer', 'finance', 'developer'] as const) {
    const client = await signedIn(scene.stack, await makeAccount(scene.stack, company, { role }));
    for (const path of ['', '/balances', '/prices', '/sales', '/vouchers', '/top-ups']) {
      const { html } = await client.get(`/portal${path}`);
      const [, main = ''] = html.split('<main');
      for (const [, link = ''] of main.matchAll(/href="(\/portal[^"#]*)/g))
        expect([
          role,
          path,
          link,
          (await client.get(link.replaceAll('&amp;', '&'))).status,
        ]).toEqual([...[role, path, link, 200]]);
    }
  }
});

test('the price of a voucher is set for all merchants or one, and a wallet has its threshold', async () => {
  const { asPerson, merchant, partner, stack } = scene;
  const path = `/portal/prices/${partner.denominations.unpriced}`;
  const set = async (fields: Record<string, string>) => asPerson.submit(path, path, fields);
  for (const wrong of [{ price: '0' }, { price: '1e3' }, { price: '5', merchant: 'NOBODY' }])
    expect((await set(wrong)).status).toBe(422);
  await set({ price: '7', merchant: merchant.identifier });
  // The voucher has no price for all merchants yet, and leads to where it is set.
  expect((await asPerson.get('/portal/prices')).html).toContain(`href="${path}"`);
  expect((await set({ price: '7.25' })).location).toBe('/portal/prices');
  const prices = cellsOf((await asPerson.get('/portal/prices')).html)
    .filter(([voucher]) => voucher === 'ETB 750.00')
    .map(([, usd, whom]) => [usd, whom]);
  expect(prices).toEqual([
    ['USD 7.25', 'All merchants without their own price'],
    ['USD 7.00', expect.stringContaining('=')],
  ]);
  // A name of a merchant in a file is no formula.
  expect((await asPerson.get('/portal/prices/download')).html).toContain(`"'=`);
  const foreign = `/portal/prices/${scene.other.denominations['100']}`;
  expect((await asPerson.get(foreign)).status).toBe(404);
  expect(await audited('set selling-price')).toHaveLength(2);
  expect((await asPerson.get('/portal/packages/download')).html).toContain('"15.00"');

  const low = '/portal/balances/airtime/low-balance';
  expect((await asPerson.submit(low, low, { threshold: '-1' })).status).toBe(422);
  await asPerson.submit(low, low, { threshold: '1,000,000' });
  const shown = textOf((await asPerson.get('/portal')).html);
  expect(shown).toContain('Low Low below ETB 1,000,000.00');
  await asPerson.submit(low, low, { threshold: '' });
  const { low_balance } = await stack.database
    .selectFrom('ledger_accounts')
    .select('low_balance')
    .where('partner_id', '=', partner.id)
    .where('kind', '=', 'airtime')
    .executeTakeFirstOrThrow();
  expect(low_balance).toBeNull();
});

test('a price that is ten times more or less than the price in force is asked about once', async () => {
  const { asPerson, merchant, partner } = scene;
  const path = `/portal/prices/${partner.denominations.unpriced}`;
  const inForce = { price: '7.25', merchant: '' };
  await asPerson.submit(path, path, inForce);
  for (const [price, words, nearer] of [
    ['72.5', 'USD 72.5 is 10 times USD 7.25.', '72.49'],
    ['0.7', 'USD 0.7 is 1/10 of USD 7.25.', '0.73'],
  ] as const) {
    expect((await asPerson.submit(path, path, { price: nearer })).status).toBe(303);
    await asPerson.submit(path, path, inForce);
    const asked = await asPerson.submit(path, path, { price });
    expect([asked.status, asked.html]).toEqual([422, expect.stringContaining(words)]);
    const sent = async (fields: Record<string, string>) =>
      (await asPerson.post(path, { ...hiddenFields(asked.html, path), merchant: '', ...fields }))
        .status;
    // The answer is for this price alone, and for all merchants alone.
    expect(await sent({ price: '7250' })).toBe(422);
    expect(await sent({ price, merchant: merchant.identifier })).toBe(422);
    expect(await sent({ price })).toBe(303);
    expect((await asPerson.get('/portal/prices')).html).toContain(`USD ${price}`);
    await asPerson.post(path, { ...hiddenFields(asked.html, path), ...inForce, sure: '7.25 ' });
  }
});

test('a price for a merchant that is deactivated meanwhile says so, at the portal and at /support', async () => {
  const { asPerson, merchant, partner, stack } = scene;
  const denomination = partner.denominations['100'] ?? 0;
  const { client: operator } = await staffClient(stack, 'OPERATOR');
  const forms = [
    { client: asPerson, path: `/portal/prices/${denomination}` },
    { client: operator, path: `/support/partners/${partner.id}/prices/${denomination}` },
  ];
  const fields = { price: '3', merchant: merchant.identifier, why: 'Ticket 4711' };
  const { running } = await stack.database.transaction().execute(async (transaction) => {
    await lockCompany(transaction, { kind: 'partner', id: partner.id });
    const sent = forms.map(({ client, path }) => client.submit(path, path, fields));
    await untilBlockedBy(transaction, stack.database, 2);
    await updateRow(transaction, 'merchants', merchant.id, { status: 'DEACTIVATED' });
    return { running: Promise.all(sent) };
  });
  const answers = await running;
  await updateRow(stack.database, 'merchants', merchant.id, { status: 'ACTIVE' });
  for (const { status, html } of answers)
    expect([status, textOf(html)]).toEqual([
      422,
      expect.stringContaining('There is no active merchant with this identifier.'),
    ]);
});
