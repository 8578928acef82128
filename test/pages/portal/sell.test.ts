import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WorkflowsUnavailableError } from '../../../src/operations/call-errors.ts';
import { doneLate } from '../../positions/placements.ts';
import { makePartner, setPrice } from '../../support/companies.ts';
import type { Stack } from '../../support/stack.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { type BusinessScene, setBusinessScene, textOf } from './journeys/business-scene.ts';
import { type LoggedPortal, startLoggedPortal } from './logged-portal.ts';
import {
  codeOf,
  hiddenFields,
  makeAccount,
  type PortalAnswer,
  type PortalClient,
  portalClient,
  signedIn,
} from './portal-client.ts';

/** Sales one at a time at the portal: the operations of the API under the authority of a person. */
let scene: BusinessScene;
let products: TopupProducts;
let person: PortalClient;
beforeAll(async () => {
  scene = await setBusinessScene();
  products = await makeTopupProducts(scene.stack, scene.partner);
  person = await as('finance');
});
afterAll(() => scene?.stop());

const as = async (role: 'finance' | 'developer' | 'viewer') =>
  signedIn(
    scene.stack,
    await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id }, { role }),
  );

const sale = { exchangeRate: '57.2', currency: 'USD', originatingCountry: 'US' };

/** The field of a gift voucher. */
const gift = (
  denomination: keyof BusinessScene['partner']['denominations'] = '500',
  more = {},
) => ({
  denominationId: String(scene.partner.denominations[denomination]),
  merchantIdentifier: scene.merchant.identifier,
  msisdn: '0911000070',
  ...more,
});

type Kind = 'voucher' | 'airtime' | 'package';
const pathOf = (kind: Kind) => `/portal/sell/${kind}`;
const salePath = (kind: Kind) => `${pathOf(kind)}/sale`;

/** The page with the quote of a sale. */
const quoteOf = (kind: Kind, fields: Record<string, string>, client = person) =>
  client.submit(pathOf(kind), pathOf(kind), fields);

/** Confirms a quote. */
const confirm = (kind: Kind, quote: PortalAnswer, client = person) =>
  client.post(salePath(kind), hiddenFields(quote.html, salePath(kind)));

/** A second process with services of its own, where the same person is signed in. */
async function otherProcess(services: Partial<Stack['api']['services']>, client = person) {
  const { stack } = scene;
  const api = { ...stack.api, services: { ...stack.api.services, ...services } };
  const portal = await startLoggedPortal({ ...stack, api }, 10);
  const other = portalClient(portal);
  for (const [name, value] of client.cookies) other.cookies.set(name, value);
  return { ...portal, client: other };
}

const codeIn = ({ html }: PortalAnswer) =>
  /value="((?:[A-Z0-9]{4}-){3}[A-Z0-9]{4})"/.exec(html)?.[1];

const vouchers = () => count('vouchers');
const topups = () => count('topups');
async function count(table: 'vouchers' | 'topups'): Promise<number> {
  const rows = await scene.stack.database
    .selectFrom(table)
    .select('id')
    .where('partner_id', '=', scene.partner.id)
    .execute();
  return rows.length;
}

describe('a voucher', () => {
  test('is sold once by a form that is sent twice, and again after “back”', async () => {
    const before = await vouchers();
    const quote = await quoteOf('voucher', gift());
    expect([quote.status, textOf(quote.html)]).toEqual([
      200,
      expect.stringMatching(
        /Gift voucher of ETB 500\.00.*\+251911000070.*It costs you ?ETB 500\.00/,
      ),
    ]);
    const sold = await Promise.all([confirm('voucher', quote), confirm('voucher', quote)]);
    const codes = sold.map(codeIn);
    expect(codes).toEqual([expect.any(String), codes[0]]);
    // The browser sends the form of the quote once more, and then the sale.
    const fields = hiddenFields(quote.html, salePath('voucher'));
    const again = await person.post(pathOf('voucher'), fields);
    const soldAgain = await confirm('voucher', again);
    expect([codeIn(soldAgain), textOf(soldAgain.html)]).toEqual([
      codes[0],
      expect.stringContaining('It sold once.'),
    ]);
    expect((await vouchers()) - before).toBe(1);
    const to = /href="(\/portal\/vouchers\/\d+)"/.exec(soldAgain.html)?.[1] ?? '';
    const shown = await person.get(to);
    expect(textOf(shown.html)).toContain('Selling priceUSD 4.75');
    expect(shown.html).not.toContain(codes[0]);
  });

  test('has the code with which it is redeemed', async () => {
    const quote = await quoteOf('voucher', gift('100', { msisdn: '', isRestricted: 'no' }));
    const voucherCode = codeIn(await confirm('voucher', quote));
    const { status } = await scene.asMerchant.post('/topup-transactions/redeem-gift', {
      voucherCode,
    });
    expect(status).toBe(200);
  });

  test('of a form that was changed after its sale is refused in words for people', async () => {
    const quote = await quoteOf('voucher', gift('100'));
    await confirm('voucher', quote);
    const before = await vouchers();
    const fields = { ...hiddenFields(quote.html, salePath('voucher')), msisdn: '0911000071' };
    const other = await person.post(salePath('voucher'), fields);
    expect([other.status, textOf(other.html)]).toEqual([
      409,
      expect.stringContaining('This form was sent before, with other entries.'),
    ]);
    expect(await vouchers()).toBe(before);
  });

  test('is not sold at another price than the quoted one, until that is confirmed', async () => {
    const before = await vouchers();
    const quote = await quoteOf('voucher', gift('1000'));
    const setUsd = (sellingPriceUsd: string) =>
      setPrice(scene.stack.database, {
        partnerId: scene.partner.id,
        merchantId: null,
        sellingPriceUsd,
        denominationId: scene.partner.denominations['1000'],
      });
    await setUsd('9.90');
    const changed = await confirm('voucher', quote);
    expect([changed.status, textOf(changed.html)]).toEqual([
      409,
      expect.stringMatching(/The price has changed, so nothing was sold\..*USD 9\.90/),
    ]);
    expect(await vouchers()).toBe(before);
    const sold = await confirm('voucher', changed);
    expect(sold.status).toBe(200);
    await setUsd('9.40');
    // What was sold is answered, whatever the price is now.
    expect(codeIn(await confirm('voucher', changed))).toBe(codeIn(sold));
    expect((await vouchers()) - before).toBe(1);
  });

  test('whose answer is lost is not said to be unsold, and the same form gets its code', async () => {
    const { workflows } = scene.stack.api.services;
    const lost: typeof workflows.call = async (...asked) => {
      await workflows.call(...asked);
      throw new WorkflowsUnavailableError(false);
    };
    const other = await otherProcess({ workflows: { ...workflows, call: lost } });
    const quote = await quoteOf('voucher', gift('100'));
    const before = await vouchers();
    const { status, html } = await confirm('voucher', quote, other.client);
    other.stop();
    expect([status, textOf(html)]).toEqual([503, expect.stringContaining('may have been made')]);
    expect(textOf(html)).not.toContain('Nothing was changed');
    expect((await vouchers()) - before).toBe(1);
    expect(codeIn(await confirm('voucher', quote))).toEqual(expect.any(String));
    expect((await vouchers()) - before).toBe(1);
  });

  test('that the same form sells meanwhile, with the last of the money, is not refused', async () => {
    const { stack } = scene;
    const own = await makePartner(stack, { giftWallet: '100' });
    const account = await makeAccount(stack, { kind: 'partner', id: own.id });
    const seller = await signedIn(stack, account);
    const denominationId = String(own.denominations['100']);
    const quote = await quoteOf('voucher', gift('100', { denominationId }), seller);
    const looks = new WeakSet<object>();
    let first: Promise<PortalAnswer> | undefined;
    const database = stack.api.services.database.withPlugin({
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('from operations where id = any')) looks.add(queryId);
        return node;
      },
      async transformResult({ result, queryId }) {
        if (looks.has(queryId)) first ??= confirm('voucher', quote, seller);
        await first;
        return result;
      },
    });
    const other = await otherProcess({ database }, seller);
    const second = await confirm('voucher', quote, other.client);
    other.stop();
    const [sold, again] = [first && codeIn(await first), codeIn(second)];
    expect(sold).toEqual(expect.any(String));
    expect(again).toBe(sold);
  });

  test.each([
    ['no price', () => gift('unpriced'), 'No price is defined for the product'],
    [
      'an unknown merchant',
      () => gift('100', { merchantIdentifier: 'NOBODY' }),
      'There is no active merchant with this id or identifier',
    ],
    [
      'a number of another country',
      () => gift('100', { msisdn: '+4915112345678' }),
      'Messages are not sent to numbers of this country',
    ],
  ] as const)(
    'with %s is refused by its quote, as the API refuses it',
    async (_what, fields, words) => {
      const before = await vouchers();
      const quote = await quoteOf('voucher', fields());
      expect([quote.status, textOf(quote.html)]).toEqual([409, expect.stringContaining(words)]);
      expect(quote.html).not.toContain(`action="${salePath('voucher')}"`);
      // What was entered is kept.
      expect(quote.html).toContain(`value="${fields().merchantIdentifier}"`);
      expect(await vouchers()).toBe(before);
    },
  );

  test('whose quote becomes refused is not sold', async () => {
    const quote = await quoteOf('voucher', gift('100'));
    const { database } = scene.stack;
    const set = (status: 'ACTIVE' | 'INACTIVE') =>
      database
        .updateTable('gift_denominations')
        .set({ status })
        .where('id', '=', scene.partner.denominations['100'])
        .execute();
    await set('INACTIVE');
    const before = await vouchers();
    const refused = await confirm('voucher', quote);
    await set('ACTIVE');
    expect([refused.status, textOf(refused.html)]).toEqual([
      409,
      expect.stringContaining('It would be refused, so nothing was sold.'),
    ]);
    expect(await vouchers()).toBe(before);
  });

  test('names what is wrong with each field', async () => {
    const wrong = await quoteOf('voucher', { msisdn: '12', currency: 'XYZ' });
    expect(wrong.status).toBe(422);
    for (const text of [
      'Choose a voucher.',
      'Enter the identifier of a merchant',
      'Enter a mobile',
    ])
      expect(textOf(wrong.html)).toContain(text);
    expect(wrong.html).toContain('value="XYZ"');
    const quote = await quoteOf('voucher', gift('100'));
    const fields = hiddenFields(quote.html, salePath('voucher'));
    const changing = await person.post(pathOf('voucher'), { ...fields, change: 'yes' });
    expect([changing.status, changing.html]).toEqual([200, expect.stringContaining('0911000070')]);
    expect((await person.post(salePath('voucher'), { ...fields, once: 'x' })).status).toBe(400);
  });
});

describe('a top-up', () => {
  test('of airtime is sent once by a form that is sent twice, and charged', async () => {
    const before = await topups();
    const quote = await quoteOf('airtime', { ...sale, amount: '50', msisdn: '0911000072' });
    expect(textOf(quote.html)).toContain('OperatorEthio telecomIt costs youETB 50.00');
    const answers = await Promise.all([confirm('airtime', quote), confirm('airtime', quote)]);
    const [to] = answers.map(({ location }) => location);
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [303, expect.stringMatching(/^\/portal\/top-ups\/\d+$/)],
      [303, to],
    ]);
    await until(async () =>
      expect(textOf((await person.get(to ?? '')).html)).toContain('It was delivered and charged.'),
    );
    expect((await confirm('airtime', quote)).location).toBe(to);
    expect(textOf((await person.get(to ?? '')).html)).toContain('It sold once.');
    expect((await topups()) - before).toBe(1);
  });

  test('that the provider refuses leads to its page, where it can be retried', async () => {
    const quote = await quoteOf('airtime', { ...sale, amount: '50', msisdn: '0911000002' });
    const { location } = await confirm('airtime', quote);
    const shown = textOf((await person.get(location ?? '')).html);
    expect(shown).toContain('The top-up was not delivered.');
    expect(shown).toContain('Retry the top-up');
    const { operation_id } = await scene.stack.database
      .selectFrom('topups')
      .select('operation_id')
      .where('id', '=', Number(location?.split('/').at(-1)))
      .executeTakeFirstOrThrow();
    await doneLate(scene.stack.database, operation_id);
    expect((await confirm('airtime', quote)).location).toBe(location);
    const since = textOf((await person.get(location ?? '')).html);
    expect(since).toContain('the top-up was delivered since: do not retry it');
    expect(since).not.toContain('The top-up was not delivered.');
  });

  test('of a package is sent for its price, which may have changed since the quote', async () => {
    const { database } = scene.stack;
    const fields = { ...sale, productId: String(products.ethioPackage), msisdn: '0911000073' };
    const quote = await quoteOf('package', fields);
    expect(textOf(quote.html)).toMatch(/Package 15 · ETB 15\.00.*It costs you ?ETB 15\.00/);
    const before = await topups();
    await database
      .updateTable('products')
      .set({ price_amount: '16' })
      .where('id', '=', products.ethioPackage)
      .execute();
    const changed = await confirm('package', quote);
    expect([changed.status, textOf(changed.html)]).toEqual([
      409,
      expect.stringMatching(/The price has changed.*It costs you ?ETB 16\.00/),
    ]);
    expect(await topups()).toBe(before);
    expect((await confirm('package', changed)).status).toBe(303);
    expect((await topups()) - before).toBe(1);
  });

  test('of another company’s package, or of another operator, is refused', async () => {
    const others = await makeTopupProducts(scene.stack, scene.other);
    const refusal = async (productId: number) =>
      textOf(
        (await quoteOf('package', { ...sale, productId: String(productId), msisdn: '0911000074' }))
          .html,
      );
    expect(await refusal(others.ethioPackage)).toContain('You have no access to this product');
    expect(await refusal(products.safaricomPackage)).toContain('a different operator');
    const { html } = await person.get(pathOf('package'));
    expect(html).toContain(`value="${products.ethioPackage}"`);
    expect(html).not.toContain(`value="${others.ethioPackage}"`);
  });
});

test('the daily limit of the company holds for what people sell', async () => {
  const { database } = scene.stack;
  const limit = (daily_operations: number | null) =>
    database
      .updateTable('partners')
      .set({ daily_operations })
      .where('id', '=', scene.partner.id)
      .execute();
  const open = await quoteOf('voucher', gift('100'));
  const next = await quoteOf('voucher', gift('100'));
  await limit(1);
  const sold = [await confirm('voucher', open), await confirm('voucher', next)];
  await limit(null);
  expect(sold.map(({ status }) => status)).toEqual([200, 409]);
  expect(textOf(sold[1]?.html ?? '')).toContain('This is more than the daily limit leaves');
});

test('only owners and finance sell, and nobody of a suspended company', async () => {
  const quote = await quoteOf('voucher', gift('100'));
  const fields = hiddenFields(quote.html, salePath('voucher'));
  for (const role of ['developer', 'viewer'] as const) {
    const client = await as(role);
    const { html } = await client.get('/portal/account');
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    for (const path of ['/portal/sell', pathOf('voucher')])
      expect([role, (await client.get(path)).status]).toEqual([role, 403]);
    expect((await client.post(salePath('voucher'), { ...fields, token })).status).toBe(403);
  }
  const { database } = scene.stack;
  const before = await vouchers();
  const set = (status: 'ACTIVE' | 'SUSPENDED') =>
    database.updateTable('partners').set({ status }).where('id', '=', scene.partner.id).execute();
  await set('SUSPENDED');
  const suspended = [await person.get(pathOf('voucher')), await confirm('voucher', quote)];
  await set('ACTIVE');
  for (const { status, html } of suspended)
    expect([status, html]).toEqual([403, expect.stringContaining('This account is suspended')]);
  const merchant = scene.asMerchantPerson;
  expect((await merchant.get('/portal/sell')).status).toBe(404);
  expect(await vouchers()).toBe(before);
});

test('a sale after the time of a proof asks for the second factor, and keeps what is sold', async () => {
  const account = await makeAccount(
    scene.stack,
    { kind: 'partner', id: scene.partner.id },
    { role: 'finance' },
  );
  const client = await signedIn(scene.stack, account);
  const page = '/portal/account/second-factor';
  const { html } = await client.get(page);
  const secret = /name="secret"[^>]*value="([^"]+)"|id="secret"[^>]*value="([^"]+)"/.exec(html);
  const base32 = (secret?.[1] ?? secret?.[2] ?? '').replaceAll(' ', '');
  const action = `${page}/one-time-password`;
  await client.post(action, { ...hiddenFields(html, action), 'new-code': codeOf(base32) });
  await scene.stack.database
    .updateTable('portal_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute();
  const before = await vouchers();
  const quote = await quoteOf('voucher', gift('100'), client);
  const asked = await confirm('voucher', quote, client);
  expect([asked.status, textOf(asked.html)]).toEqual([
    403,
    expect.stringContaining('You are about to sell a voucher of ETB 100.00 to +251911000070.'),
  ]);
  expect(await vouchers()).toBe(before);
  const sold = await client.post(salePath('voucher'), {
    ...hiddenFields(asked.html, salePath('voucher')),
    code: codeOf(base32, 1),
  });
  expect([sold.status, codeIn(sold)]).toEqual([200, expect.any(String)]);
  expect((await vouchers()) - before).toBe(1);
});

describe('a phone number', () => {
  let logged: LoggedPortal;
  beforeAll(async () => {
    logged = await startLoggedPortal(scene.stack, 10);
  });
  afterAll(() => logged?.stop());

  test('stands in no log line, no audit entry and no address', async () => {
    const account = await makeAccount(scene.stack, { kind: 'partner', id: scene.partner.id });
    const client = portalClient({ url: logged.url });
    await client.signIn(account);
    const number = '911000075';
    const sold = await confirm(
      'airtime',
      await quoteOf('airtime', { ...sale, amount: '50', msisdn: `0${number}` }, client),
      client,
    );
    await confirm(
      'voucher',
      await quoteOf('voucher', gift('100', { msisdn: `0${number}` }), client),
      client,
    );
    expect(sold.location).toMatch(/^\/portal\/top-ups\/\d+$/);
    expect(logged.log()).toContain('"route":"/portal/sell/airtime/sale"');
    expect(logged.log()).not.toContain(number);
    const entries = await scene.stack.database
      .selectFrom('audit_log')
      .select(['actor', 'action', 'details'])
      .where('actor', '=', `portal:${account.email}`)
      .where('action', 'in', ['sell voucher', 'sell top-up'])
      .orderBy('id')
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(['sell top-up', 'sell voucher']);
    expect(JSON.stringify(entries)).not.toContain(number);
  });
});
