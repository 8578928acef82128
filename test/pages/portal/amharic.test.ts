import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPasskey } from '../../../src/db/people/second-factors.ts';
import { mayUse, portalRoles } from '../../../src/domain/access.ts';
import { PORTAL_PATH, type PortalPage } from '../../../src/pages/page.ts';
import { portalSite } from '../../../src/pages/portal/routes.ts';
import { html } from '../../../src/rendering/html.ts';
import { until } from '../../support/until.ts';
import { setUpCodes } from '../staff/staff-client.ts';
import { type BusinessScene, setBusinessScene } from './journeys/business-scene.ts';
import {
  hiddenFields,
  makeAccount,
  type PortalAnswer,
  type PortalClient,
  portalClient,
  signedIn,
} from './portal-client.ts';

let scene: BusinessScene;
beforeAll(async () => {
  scene = await setBusinessScene();
});
afterAll(() => scene?.stack.stop());

/** What stays in Latin letters: names of formats, currencies, apps, and our own examples. */
const ENGLISH = [
  'English',
  ...['API', 'CSV', 'SMS', 'QR', 'UTC', 'ETB', 'USD', 'gvs_test_', 'Africa/Addis Ababa'],
  ...[
    'Aegis',
    'Google Authenticator',
    '2FAS',
    'MER-0001',
    'ISO 4217',
    'ISO 3166-1',
    'ለምሳሌ US ወይም Ethiopia',
  ],
];

/** Pages of API access are in English, and marked as such as a whole (pipeline.ts). */
const ENGLISH_PAGE = /<div class="english" lang="en">[\s\S]*<\/div>\s*<\/main>/;

/** The texts that people see or hear, without those that are marked as English, codes and time zones. */
const textsOf = (page: string): string[] => {
  const read = page
    .replace(ENGLISH_PAGE, '')
    .replace(ENGLISH_PAGE.test(page) ? /<title>[^<]*/ : '', '')
    .replace(
      /<(code|script|select id="time-zone"|textarea)[\s\S]*?<\/(code|script|select|textarea)>/g,
      '<x>',
    )
    .replace(/<(\w+)[^>]* lang="en"[^>]*>[\s\S]*?<\/\1>/g, '<x>')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|RDM-[0-9A-F]{16}/g, '');
  const heard = [...read.matchAll(/ (?:aria-label|data-label|alt|title|placeholder)="([^"]*)"/g)];
  return [...heard.map(([, text = '']) => text), ...read.split(/<[^>]*>/)].map((text) =>
    text.replace(/&[#\w]+;/g, ' ').trim(),
  );
};

/** The English of a page, without what people have written. */
const englishIn = (page: string, data: readonly string[]): string[] => {
  const written = data.map((text) => html`${text}`.toString());
  const own = written.reduce((left, text) => left.replaceAll(text, ''), page);
  return textsOf(own).filter((text) =>
    /[A-Za-z]{2}/.test(ENGLISH.reduce((left, word) => left.replaceAll(word, ''), text)),
  );
};

const shownPages = portalSite.pages.filter(
  (page): page is PortalPage => page.access === 'person' && page.method === 'GET',
);

/** Somebody of a company who has chosen Amharic. */
async function inAmharic(...[company, role]: [Parameters<typeof makeAccount>[1], Role]) {
  const account = await makeAccount(scene.stack, company, { role });
  const client = await signedIn(scene.stack, account);
  await client.submit('/portal/account', '/portal/account/language', { language: 'am' });
  return client;
}

type Role = (typeof portalRoles)[number];

/** Rows that pages need in their addresses, by the beginning of the address. */
async function rowsByPrefix(): Promise<Readonly<Record<string, readonly (number | string)[]>>> {
  const { stack, partner, merchant, topups, gifts } = scene;
  const people = await stack.database
    .selectFrom('portal_accounts')
    .select('id')
    .where((is) => is.or([is('partner_id', '=', partner.id), is('merchant_id', '=', merchant.id)]))
    .execute();
  return {
    '/top-ups': Object.values(topups).map(({ transactionId }) => transactionId),
    '/vouchers': Object.values(gifts).map(({ id }) => id),
    '/people': people.map(({ id }) => id),
    '/prices': Object.values(partner.denominations),
    '/balances': ['gift', 'airtime', 'reserved'],
  };
}

describe.each(['partner', 'merchant'] as const)('a %s who has chosen Amharic', (kind) => {
  test.each(portalRoles)('reads no English on any page, as %s', async (role) => {
    const { partner, merchant } = scene;
    const id = kind === 'partner' ? partner.id : merchant.id;
    const client = await inAmharic({ kind, id }, role);
    const [rows, data] = [await rowsByPrefix(), await writtenByPeople()];
    let shown = 0;
    for (const { path, needs } of shownPages) {
      const prefix = /^\/[\w-]+/.exec(path)?.[0] ?? '';
      const all = path.includes(':') ? (rows[prefix] ?? ['1']) : [''];
      // The rows of a page differ in what they hold, not in who looks.
      const queue = all
        .slice(0, role === 'owner' ? all.length : 1)
        .map((row) => path.replace(/:\w+/, String(row)));
      for (const target of queue) {
        const answer = await client.get(PORTAL_PATH + target);
        if (!answer.headers.get('content-type')?.startsWith('text/html')) continue;
        if (answer.status === 303) continue;
        shown += 1;
        if (answer.html.includes('name="from"') && role === 'owner' && !target.includes('?'))
          queue.push(`${target}?from=2026-02-30`, `${target}?from=2026-01-01&to=2026-01-31`);
        const isEnglish = needs === 'develop' && mayUse(role, needs) && answer.status !== 404;
        expect
          .soft([
            target,
            answer.html.includes('<html lang="am">'),
            ENGLISH_PAGE.test(answer.html),
            englishIn(answer.html, data),
          ])
          .toEqual([target, true, isEnglish, []]);
      }
    }
    expect(shown).toBeGreaterThan(30);
  });
});

/** The names and addresses that the scene has made up. */
async function writtenByPeople(): Promise<string[]> {
  const { database } = scene.stack;
  const found = await Promise.all([
    database.selectFrom('partners').select('company_name as name').execute(),
    database.selectFrom('merchants').select('merchant_name as name').execute(),
    database.selectFrom('portal_accounts').select('email as name').execute(),
    database.selectFrom('products').select('product_name as name').execute(),
  ]);
  return found.flat().map(({ name }) => name);
}

test('forms that move money answer in Amharic, with what is wrong and with what was done', async () => {
  const { partner, merchant, gifts, topups } = scene;
  const client = await inAmharic({ kind: 'partner', id: partner.id }, 'finance');
  const data = await writtenByPeople();
  const check = (answer: PortalAnswer, status: number, amharic: string) => {
    expect.soft([answer.status, englishIn(answer.html, data)]).toEqual([status, []]);
    expect.soft(answer.html).toContain(amharic);
  };
  const submit = (path: string, fields: Record<string, string>) =>
    client.submit(path, path, fields);

  const low = '/portal/balances/gift/low-balance';
  check(await submit(low, { threshold: 'much' }), 422, 'ከ0 በላይ መጠን ያስገቡ');
  await submit(low, { threshold: '99999' });
  check(await client.get('/portal/balances'), 200, 'የስጦታ ዋሌት ዝቅተኛ ቀሪ ሂሳብ ተቀምጧል።');
  check(await client.get('/portal'), 200, 'ማስጠንቀቂያውን ቀይር');

  const price = `/portal/prices/${partner.denominations.unpriced}`;
  check(await submit(price, { price: '-1' }), 422, 'ከ0 በላይ የሆነ');
  check(await submit(price, { price: '2', merchant: 'X-1' }), 422, 'በዚህ መለያ ኮድ የሚሠራ ነጋዴ የለም።');

  const retry = `/portal/top-ups/${topups.failed.transactionId}/retry`;
  check(await submit(retry, { msisdn: '12' }), 422, 'የሞባይል ቁጥር ያስገቡ');
  const cancel = (id: number) => `/portal/vouchers/${id}/cancel`;
  const form = hiddenFields((await client.get(cancel(gifts.part.id))).html, cancel(gifts.part.id));
  check(await client.post(cancel(gifts.whole.id), form), 409, 'ቫውቸሩ ተመንዝሯል።');

  const bulk = '/portal/order-in-bulk';
  const upload = await sendRows(client, bulk, bulk, { rows: problematicRows(merchant.identifier) });
  check(upload, 422, '<code>reference</code> የመስመር 2ም ነው');
  const rows = [
    'reference,amount,merchant,phone',
    `am-1,500,${merchant.identifier},0911000050`,
    `am-2,750,${merchant.identifier},`,
  ].join('\n');
  check(await sendRows(client, bulk, bulk, { rows: '' }), 422, 'ፋይል ይምረጡ ወይም ረድፎችን ይለጥፉ።');
  check(await sendRows(client, bulk, bulk, { rows: 'reference,"' }), 422, 'እንደ CSV ሊነበቡ አይችሉም');
  const preview = await sendRows(client, bulk, bulk, { rows });
  check(preview, 200, 'አንድ መስመር የመሸጫ ዋጋ የለውም');
  const orders = '/portal/bulk-orders';
  const fields = { ...hiddenFields(preview.html, orders), rows };
  const order = String(
    (await client.request(orders, { method: 'POST', body: formOf(fields) })).location,
  );
  check(await client.get(order), 200, 'የ2 ቫውቸሮች ትዕዛዝ ተቀባይነት አግኝቷል።');
  await until(async () => expect((await client.get(order)).html).toContain('ተጠናቋል'));
  check(await client.get(order), 200, 'መጀመሪያ ለዚህ መጠን የመሸጫ ዋጋ ይወስኑ');
  expect((await client.get(`${order}/cancel`)).location).toBe(order);
  check(await client.get(order), 200, 'ትዕዛዙ አብቅቷል፦ የሚሰረዝ ነገር የለም።');
  await scene.stack.database.updateTable('bulk_orders').set({ ended_at: null }).execute();
  check(await client.get(`${order}/cancel`), 200, 'ይሰረዝ?');

  const sell = '/portal/sell/voucher';
  check(await submit(sell, { currency: 'XYZ', msisdn: '12' }), 422, 'ቫውቸር ይምረጡ።');
  const gift = {
    denominationId: String(partner.denominations.unpriced),
    merchantIdentifier: merchant.identifier,
  };
  check(await submit(sell, gift), 409, 'የመሸጫ ዋጋ ይወስኑ');
  const quoted = await submit(sell, {
    ...gift,
    denominationId: String(partner.denominations['100']),
  });
  check(quoted, 200, 'ከሽያጩ በኋላ');
  const sold = await client.post(`${sell}/sale`, hiddenFields(quoted.html, `${sell}/sale`));
  check({ ...sold, html: sold.html.replace(/value="[A-Z0-9-]{19}"/, '') }, 200, 'ቫውቸሩ ተሸጧል');
  const airtime = '/portal/sell/airtime';
  check(await submit(airtime, { amount: 'x', msisdn: '12' }), 422, 'የሞባይል ቁጥር ያስገቡ');
});

const problematicRows = (merchant: string): string =>
  [
    'reference,amount,merchant,phone,restricted,exchangeRate,currency,country',
    `a,500,${merchant},0911000050,yes,57.2,USD,US`,
    `a,500,${merchant},0911000050,yes,57.2,USD,US`,
    'b b,123,NOBODY,12,perhaps,x,XYZ,Atlantis',
    ',100,,,,,,',
  ].join('\n');

const formOf = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

/** Sends the multipart form of a page. */
async function sendRows(
  client: PortalClient,
  page: string,
  action: string,
  fields: Record<string, string>,
): Promise<PortalAnswer> {
  const hidden = hiddenFields((await client.get(page)).html, action);
  return client.request(action, { method: 'POST', body: formOf({ ...hidden, ...fields }) });
}

test('a person with both second factors reads no English where they are used and changed', async () => {
  const { stack, partner } = scene;
  const account = await makeAccount(stack, { kind: 'partner', id: partner.id });
  const client = await signedIn(stack, account);
  await client.submit('/portal/account', '/portal/account/language', { language: 'am' });
  const page = '/portal/account/second-factor';
  const read = async (path: string) => {
    const { status, html } = await client.get(path);
    expect.soft([path, status, englishIn(html, data)]).toEqual([path, 200, []]);
  };
  const data = await writtenByPeople();
  await read(page);
  await setUpCodes(stack, client, page);
  const passkey = { name: 'ስልክ', credentialId: 'A', publicKey: Buffer.of(0), counter: 0 };
  await stack.database
    .transaction()
    .execute((transaction) => addPasskey(transaction, account.id, passkey));
  const [remove = ''] = /\/passkeys\/\d+\/remove/.exec((await client.get(page)).html) ?? [];
  for (const path of ['', '/recovery-codes', '/one-time-password/off', remove])
    await read(page + path);
  const wrong = await client.submit(page, `${page}/passkeys`, { 'passkey-name': 'ስልክ' });
  expect([wrong.status, englishIn(wrong.html, data)]).toEqual([422, []]);
  const visitor = portalClient(stack, { 'accept-language': 'am' });
  await visitor.signIn(account);
  const step = '/portal/sign-in/second-factor';
  expect(englishIn((await visitor.get(step)).html, [])).toEqual([]);
  for (const fields of [{ code: '000000' }, { passkey: '{}' }]) {
    const refused = await visitor.submit(step, step, fields);
    expect([refused.status, englishIn(refused.html, [])]).toEqual([422, []]);
  }
});

test('a visitor gets the language of the browser, or the one that the link chooses', async () => {
  const { stack } = scene;
  const client = portalClient(stack, { 'accept-language': 'am-ET,en;q=0.5' });
  for (const path of ['/sign-in', '/sign-in?late', '/sign-in?out', '/activate/x', '/nowhere'])
    expect
      .soft([path, englishIn((await client.get(`/portal${path}`)).html, [])])
      .toEqual([path, []]);
  expect((await client.get('/portal/sign-in?language=en')).html).toContain('<html lang="en">');
  expect((await client.get('/portal/sign-in')).html).toContain('<html lang="en">');
  const account = await makeAccount(stack, { kind: 'partner', id: scene.partner.id });
  await client.signIn(account);
  expect((await client.get('/portal')).html).toContain('<html lang="en">');
  const wrong = await client.submit('/portal/account', '/portal/account/language', {
    language: 'xx',
  });
  expect(wrong.status).toBe(400);
  expect((await portalClient(stack).get('/portal/sign-in')).html).toContain('<html lang="en">');
});
