import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
});
afterEach(() => sandbox.close());

async function get(path: string, accept = '*/*') {
  const answer = await fetch(sandbox.url + path, { headers: { Accept: accept } });
  const text = await answer.text();
  const isJson = answer.headers.get('Content-Type')?.includes('json');
  return { status: answer.status, headers: answer.headers, text, json: isJson && JSON.parse(text) };
}

async function payout(number: string, { mobileMoneyUrl } = sandbox) {
  const correlationId = randomUUID();
  await fetch(`${mobileMoneyUrl}/transactions/type/disbursement`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CorrelationID': correlationId },
    body: JSON.stringify({
      amount: '10.00',
      currency: 'ETB',
      creditParty: [{ key: 'msisdn', value: number }],
    }),
  });
  return correlationId;
}

async function topup(number: string, { airtimeUrl } = sandbox) {
  const reference = randomUUID();
  await fetch(`${airtimeUrl}/async/transactions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('key:secret')}` },
    body: JSON.stringify({
      external_id: reference,
      product_id: 2001,
      auto_confirm: true,
      credit_party_identifier: { mobile_number: number },
    }),
  });
  return reference;
}

const hostile = `<script>alert("1")</script> & 'x' 123456`;
const receive = (to: string, text = 'Hello') =>
  sandbox.books.receiveMessage({ to, from: '<Gifts>', text });

describe('GET /messages', () => {
  it.each(['0911223344', '251911223344', '+251911223344', '%2B251911223344'])(
    'gives the messages of %s, newest first',
    async (to) => {
      const first = receive('+251911223344', 'one');
      const second = receive('+251911223344', 'two');
      receive('+251911223355');
      const { json } = await get(`/messages?to=${to}`);
      expect(json).toEqual([second, first]);
      expect(Object.keys(json[0])).toEqual(['id', 'provider', 'to', 'from', 'text', 'receivedAt']);
    },
  );

  it('gives none for a number without messages, and all without a number', async () => {
    receive('+251911223344');
    expect((await get('/messages?to=0911000000')).json).toEqual([]);
    expect((await get('/messages')).json).toHaveLength(1);
    expect((await get('/messages?to=')).json).toHaveLength(1);
  });
});

describe('GET /phone', () => {
  it('shows messages as text, whatever is in them', async () => {
    receive('+251911223344', hostile);
    const { text, headers } = await get('/phone?to=%2B251911223344');
    expect(text).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; 123456',
    );
    expect(text).toContain('&lt;Gifts&gt;');
    expect(text).not.toContain('<script');
    expect(text).toContain('http-equiv="refresh"');
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });

  it('escapes what is asked for', async () => {
    const { status, text } = await get(`/phone?to=${encodeURIComponent('"><script>x')}`);
    expect(status).toBe(200);
    expect(text).not.toContain('<script');
    expect(text).toContain('No messages yet.');
  });

  it('lists the phones without a number', async () => {
    expect((await get('/phone')).text).toContain('No messages yet.');
    receive('+251911223344');
    receive('+251911223344');
    const { text } = await get('/phone');
    expect(text.match(/href="\/phone\?to=%2B251911223344"/g)).toHaveLength(1);
  });
});

describe('GET /books', () => {
  it('holds every payout, top-up and message, and filters them', async () => {
    const one = await payout('+251911223344');
    const other = await payout('+251911000014');
    const message = receive('+251911223344');
    const row = {
      provider: 'gsma',
      reference: one,
      to: '+251911223344',
      amount: '10.00',
      currency: 'ETB',
      status: 'completed',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    const pending = { ...row, reference: other, to: '+251911000014', status: 'pending' };
    const third = await topup('+251911223344');
    const packageRow = { ...row, provider: 'dt-one', reference: third, amount: '15.00' };
    const table: [string, object][] = [
      ['', { payouts: [pending, row], topups: [packageRow], messages: [message] }],
      [`?reference=${one}`, { payouts: [row], topups: [], messages: [] }],
      [`?reference=${third}`, { payouts: [], topups: [packageRow], messages: [] }],
      ['?to=0911223344', { payouts: [row], topups: [packageRow], messages: [message] }],
      ['?to=+251911000014', { payouts: [pending], topups: [], messages: [] }],
      [`?to=0911223344&reference=${other}`, { payouts: [], topups: [], messages: [] }],
      ['?provider=dt-one', { payouts: [], topups: [packageRow], messages: [message] }],
      ['?reference=none&reference=twice', { payouts: [], topups: [], messages: [] }],
    ];
    for (const [query, books] of table)
      expect((await get(`/books${query}`)).json).toEqual({ reversals: [], ...books });
  });

  it.each([
    ['010', 'completed'],
    ['015', 'reversed'],
  ])('sees what a payout to …%s becomes later', async (suffix, status) => {
    const reference = await payout(`+251911000${suffix}`);
    expect((await get(`/books?reference=${reference}`)).json.payouts).toMatchObject([{ status }]);
  });

  it('sees a payout as pending until shortly is over', async () => {
    const slow = await startSandbox({ port: 0, delayScale: 100 });
    await payout('+251911000011', slow);
    await payout('+251911000015', slow);
    expect(slow.books.payouts().map(({ status }) => status)).toEqual(['completed', 'pending']);
    await slow.close();
  });
});

describe.each([
  ['payouts', payout],
  ['topups', topup],
] as const)('POST /books/%s/:reference', (kind, take) => {
  const settle = (reference: string, body: string, type = 'application/json') =>
    fetch(`${sandbox.url}/books/${kind}/${reference}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });

  it.each(['completed', 'failed'])('settles a pending one as %s, once', async (status) => {
    const reference = await take('+251911000014');
    const body = JSON.stringify({ status });
    const answer = await settle(reference, body);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ reference, status });
    expect((await settle(reference, body)).status).toBe(409);
    expect(sandbox.books[kind]({ reference })).toMatchObject([{ status }]);
  });

  it('does late what was refused, and never takes back what was done', async () => {
    const reference = await take('+251911000014');
    await settle(reference, '{"status":"failed"}');
    expect((await settle(reference, '{"status":"completed"}')).status).toBe(200);
    expect((await settle(reference, '{"status":"failed"}')).status).toBe(409);
    expect(sandbox.books[kind]({ reference })).toMatchObject([{ status: 'completed' }]);
  });

  it.each([
    ['{"status":"reversed"}', 'application/json', 409],
    ['{}', 'application/json', 400],
    ['nonsense', 'application/json', 400],
    ['{"status":"completed"}', 'text/plain', 415],
  ])('refuses %s as %s', async (body, type, status) => {
    const reference = await take('+251911000014');
    expect((await settle(reference, body, type)).status).toBe(status);
    expect(sandbox.books[kind]({ reference })).toMatchObject([{ status: 'pending' }]);
  });

  it('does not know other references', async () => {
    expect((await settle(randomUUID(), '{"status":"completed"}')).status).toBe(404);
  });
});

describe('the sandbox', () => {
  it('has a first page with links, addresses and every suffix', async () => {
    const { text } = await get('/');
    const { smsUrl, mobileMoneyUrl, airtimeUrl } = sandbox;
    const links = ['href="/phone"', 'href="/books"'];
    for (const part of [...links, smsUrl, mobileMoneyUrl, airtimeUrl, 'Airtime: answer']) {
      expect(text).toContain(part);
    }
    expect(text.match(/<code>x\d\d<\/code>/g)).toHaveLength(24);
  });

  it.each(['/nothing', '/gsma/v1.1/mm/responses/x', '/books/payouts', '/%ff', '/messages/x'])(
    'has nothing under %s',
    async (path) => {
      const { status } = await get(path);
      expect([400, 404]).toContain(status);
    },
  );

  it('answers 405 for another method', async () => {
    const answer = await fetch(`${sandbox.url}/messages`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('Allow')).toContain('GET');
  });

  it('says when its port is taken', async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes at once while somebody waits for a delay', async () => {
    const slow = await startSandbox({ port: 0, delayScale: 1 });
    const waiting = fetch(`${slow.smsUrl}/version1/messaging`, {
      method: 'POST',
      headers: { apiKey: 'key' },
      body: new URLSearchParams({ username: 'sandbox', to: '+251911000300', message: 'x' }),
    }).catch(() => 'cut');
    const beat = await fetch(`${slow.mobileMoneyUrl}/heartbeat`);
    expect(beat.status).toBe(200);
    await slow.close();
    expect(await waiting).toBe('cut');
  });
});
