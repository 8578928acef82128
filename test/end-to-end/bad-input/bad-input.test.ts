import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signatureHeader } from '../../../clients/typescript/src/index.ts';
import type { Reason, Surface } from '../../../src/domain/refusals.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { type Answer, call } from '../../support/clients.ts';
import { type Gift, type GiftScene, setGiftScene } from '../gift/gift-scene.ts';
import { expectHarmless, expectRefusal } from './refusals.ts';

/** Requests that are no requests: whatever comes, the envelope says what to do and nothing moves. */
let gift: Gift;
let scene: GiftScene;
let before: Awaited<ReturnType<GiftScene['holdings']>>;

beforeAll(async () => {
  scene = await setGiftScene();
  gift = await scene.gift();
  await scene.claimed(scene.asMerchant, gift);
  before = await scene.holdings();
});
afterEach(async () => {
  expect(await scene.holdings()).toEqual(before);
});
afterAll(() => scene?.stop());

const routes = [partnerRoutes, merchantRoutes].flatMap(({ surface, basePath, endpoints }) =>
  endpoints.flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({
      surface,
      endpoint,
      path: basePath + path.replace(/:\w+/, '1'),
    })),
  ),
);
const withBody = routes.filter(({ endpoint }) => endpoint.body !== undefined);

interface Route {
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  readonly path: string;
}

/** Sends bytes with everything else in order: token and, where it is asked for, signature. */
function send(
  { surface, path, endpoint }: Route,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { token } = surface === 'partner' ? scene.asPartner : scene.asMerchant;
  const signature = signatureHeader(scene.merchant.privateKey, body);
  return call(scene.stack.url + path, {
    method: endpoint.method,
    body,
    headers: {
      'x-api-token': token,
      ...(endpoint.access === 'signed' ? { 'x-signature': signature } : {}),
      ...headers,
    },
  });
}

function expectRefused(
  answer: Answer,
  surface: Surface,
  statusCode: number,
  reason: Reason,
  says: RegExp | string,
): void {
  expectRefusal(answer, surface, statusCode, { reason, says });
  expectHarmless(answer, scene);
}

const named = withBody.map((route) => [`${route.endpoint.method} ${route.path}`, route] as const);

/** Which bytes are no request is proven by test/http/body/json-body.test.ts. */
const malformed: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  ['nothing', '', /empty/],
  ['half an object', '{"voucherCode":', /not valid JSON/],
  ['an array', '[{"key":"value"}]', /must be a JSON object/],
  ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d), /not valid UTF-8/],
  ['a field twice', '{"key":"one","key":"two"}', /twice/],
];

describe.each(named)('%s', (_name, route) => {
  test.each(malformed)('with %s is not a request', async (_what, body, says) => {
    expectRefused(await send(route, body), route.surface, 400, 'request-invalid', says);
  });

  test.each([['text/plain'], ['application/json; charset=iso-8859-1'], ['']])(
    'is not read as "%s"',
    async (contentType) => {
      const answer = await send(route, '{"key":"value"}', { 'Content-Type': contentType });
      const says = /application\/json/;
      expectRefused(answer, route.surface, 415, 'media-type-unsupported', says);
    },
  );

  test('is not read when it is compressed', async () => {
    const body = gzipSync('{"key":"value"}');
    const answer = await send(route, body, { 'Content-Encoding': 'gzip' });
    const says = /without Content-Encoding/;
    expectRefused(answer, route.surface, 415, 'media-type-unsupported', says);
  });

  test('is not read to its end when it is too large', async () => {
    const limit = route.endpoint.bodyLimitBytes ?? 65_536;
    const body = JSON.stringify({ key: 'k'.repeat(limit + 1_000_000) });
    const says = `at most ${limit} bytes`;
    expectRefused(await send(route, body), route.surface, 413, 'body-too-large', says);
  });

  test('says by name which fields are missing', async () => {
    // A voucher without a merchant has a reason of its own.
    const answer = await send(route, '{"merchantId":1}');
    expectHarmless(answer, scene);
    expect(answer.body).toMatchObject({ success: false, statusCode: 400 });
    expect(answer.body.message).toMatch(/: must be |: Invalid|: must /);
    if (route.surface === 'merchant') return expect(answer.body.data).toBeNull();
    const { issues } = answer.body.data;
    expect(issues.length).toBeGreaterThan(0);
    for (const { path, message } of issues) {
      expect(path).toMatch(/^[a-zA-Z]+$/);
      expect(answer.body.message).toContain(`${path}: ${message}`);
    }
  });
});

describe('fields that an endpoint does not have', () => {
  test.each(named)('are named in a header by %s', async (_name, route) => {
    const answer = await send(route, '{"merchantID":1,"voucher kodé\\n":2}');
    expect(answer.headers.get('x-ignored-fields')).toBe('merchantID, voucher?kod??');
  });

  test('are named up to a limit, and only they', async () => {
    const { url } = scene.stack;
    const login = (fields: object) =>
      call(`${url}${partnerRoutes.basePath}/auth/login`, {
        body: { key: scene.partner.apiKey, ...fields },
      });
    expect((await login({})).headers.has('x-ignored-fields')).toBe(false);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => ['f'.repeat(99) + n, n]));
    const answer = await login(many);
    expect(answer.status).toBe(200);
    const names = (answer.headers.get('x-ignored-fields') ?? '').split(', ');
    expect(names).toEqual(Array.from({ length: 20 }, () => 'f'.repeat(50)));
  });
});

describe('what an endpoint does not read', () => {
  test.each([
    ['a body', '/vouchers/0/cancel', '{"amount":"100.00"}', 'amount'],
    ['a body that is no JSON', '/vouchers/0/cancel', '{bad', null],
    ['parameters', '/vouchers/0/cancel?serach=Axum&filter.id=1', undefined, 'serach, filter.id'],
  ])('%s of a call without a body is named where it can be', async (_name, path, body, names) => {
    const answer = await call(`${scene.stack.url}${partnerRoutes.basePath}${path}`, {
      method: 'POST',
      body,
      headers: { 'x-api-token': scene.asPartner.token },
    });
    expect(answer.headers.get('x-ignored-fields')).toBe(names);
  });

  test('are parameters of a list by other names than its own', async () => {
    const query = 'page=1&limit=5&pagesize=2&serach=Axum&filter.id=$gte:1&filters.id=1&q=id=1';
    const answer = await scene.asPartner.get(`/merchants?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ignored-fields')).toBe('pagesize, serach, filters.id');
  });
});

describe('what comes along with a copied id', () => {
  test.each(['\u202a%s\u00a0', ' %s ', '%s\u200b'])('%j does not matter', async (form) => {
    const id = form.replace('%s', String(gift.id));
    const read = await scene.asPartner.get(`/vouchers/${encodeURIComponent(id)}`);
    expect(read.body.data.id).toBe(gift.id);
    const merchantId = form.replace('%s', String(scene.merchant.id));
    const denominationId = form.replace('%s', String(scene.partner.denominations[100]));
    const quoted = await scene.asPartner.post('/quote', {
      kind: 'GIFT',
      merchantId,
      denominationId,
      msisdn: '0911234567',
    });
    expect(quoted.body.data).toMatchObject({ accepted: true });
  });
});

describe('what has no endpoint', () => {
  const base = { partner: partnerRoutes.basePath, merchant: merchantRoutes.basePath };

  test.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/v1'],
    ['POST', '/api/v2/client/auth/login'],
    ['GET', '/favicon.ico'],
    ['GET', '/../../etc/passwd'],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd'],
    ['GET', '//'],
    ['GET', `${base.partner}/`],
    ['GET', `${base.partner}/nothing`],
    ['GET', `${base.partner}/test/more`],
    ['POST', `${base.partner}/topup-transactions/redeem-gift/more`],
    ['POST', `${base.partner}/__proto__`],
    ['GET', `${base.partner}/constructor`],
    ['GET', `/${'a'.repeat(5_000)}`],
  ])('%s %s is 404 in the envelope', async (method, path) => {
    const answer = await call(scene.stack.url + path, { method });
    expectRefused(answer, 'partner', 404, 'route-not-found', 'no such endpoint');
  });

  test.each([
    ['GET', `${base.merchant}/`],
    ['POST', `${base.merchant}/nothing`],
    ['GET', `${base.merchant}/merchants`],
    ['POST', `${base.merchant}/topup-transactions/generate-voucher/more`],
  ])('%s %s is 404 in the envelope of the merchant API', async (method, path) => {
    const answer = await call(scene.stack.url + path, { method });
    expectRefused(answer, 'merchant', 404, 'route-not-found', 'no such endpoint');
  });

  test.each([['%E0%A4%A'], ['%'], ['%ff']])(
    'a path that cannot be read (%s) is refused like one that is wrong',
    async (text) => {
      const url = `${scene.stack.url}${base.merchant}/topup-transactions/${text}`;
      const answer = await call(url, { headers: { 'x-api-token': scene.asMerchant.token } });
      expectHarmless(answer, scene);
      expect([400, 404]).toContain(answer.status);
      expect(answer.body).toMatchObject({ success: false, data: null });
      expect(answer.headers.get('x-error-reason')).toBe('voucher-not-found');
    },
  );

  test.each(
    routes.flatMap((route) =>
      ['PUT', 'OPTIONS'].map((method) => [method, route.path, route] as const),
    ),
  )('%s %s is 405 and says what is allowed', async (method, path, { surface, endpoint }) => {
    const answer = await call(scene.stack.url + path, { method });
    expectRefused(answer, surface, 405, 'method-not-allowed', /./);
    const allowed = (answer.headers.get('Allow') ?? '').split(', ');
    expect(allowed).toContain(endpoint.method);
    expect(allowed.includes('HEAD')).toBe(allowed.includes('GET'));
    expect(allowed).not.toContain(method);
  });
});

describe('what is hardly HTTP', () => {
  /** Sends texts over one connection, each after the answer to the one before; the last answer. */
  const raw = (...texts: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(scene.stack.url).port), '127.0.0.1');
      const [first = '', ...rest] = texts;
      let received = '';
      socket.setEncoding('utf8');
      socket.on('data', (data) => {
        received += data;
        const next = rest.shift();
        if (next === undefined) return;
        received = '';
        socket.write(next);
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
      socket.write(first);
    });

  const expectEnvelope = (received: string, status: number) => {
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const reason = status === 431 ? 'headers-too-large' : 'http-malformed';
    expect(head).toContain(`\r\nx-error-reason: ${reason}\r\n`);
    expect(JSON.parse(body)).toEqual({
      success: false,
      message: expect.stringMatching(/\w{4,}/),
      statusCode: status,
      data: null,
    });
  };

  test.each([
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00', 400],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
    ],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a line break in a header', 'GET / HTTP/1.1\r\nHost: a\r\nx-signature: a\nb\r\n\r\n', 400],
    [
      'huge headers',
      `GET / HTTP/1.1\r\nHost: a\r\nx-signature: ${'s'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
  ])('with %s gets the envelope', async (_what, text, status) => {
    expectEnvelope(await raw(text), status);
  });

  test('with two idempotency keys is refused, and is no request with both', async () => {
    const body = JSON.stringify({ denominationId: 1, merchantId: 1, msisdn: null });
    const received = await raw(
      [
        `POST ${partnerRoutes.basePath}/topup-transactions/generate-voucher HTTP/1.1`,
        'Host: a\r\nConnection: close\r\nContent-Type: application/json',
        `Content-Length: ${body.length}\r\nx-api-token: ${scene.asPartner.token}`,
        `Idempotency-Key: one\r\nIdempotency-Key: two\r\n\r\n${body}`,
      ].join('\r\n'),
    );
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('Idempotency-Key: must be sent once');
  });

  test('gets the envelope on a connection that has served a request before, too', async () => {
    const good = 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n';
    const huge = `GET / HTTP/1.1\r\nHost: a\r\nx-signature: ${'s'.repeat(20_000)}\r\n\r\n`;
    expectEnvelope(await raw(good, huge), 431);
    expectEnvelope(await raw(good, 'HELLO\r\n\r\n'), 400);
  });
});

describe('the pages of a list', () => {
  test.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=1e3',
    'page=NaN',
    'page=١',
    'page=99999999999999999999',
    'limit=0',
    'limit=-5',
    'limit=x',
    'limit=1e1',
    'page=1&page=2',
    'page[]=1',
    'limit[gt]=1',
    'sortBy=nothing:UP',
    'sortBy=id:ASC&sortBy=id',
  ])('?%s is refused or left out, and never an error of ours', async (query) => {
    const answer = await scene.asPartner.get(`/merchants?${query}`);
    expectHarmless(answer, scene);
    expect([200, 400]).toContain(answer.status);
    if (!query.includes('[')) expect(answer.status).toBe(400);
    if (answer.status === 400) expect(answer.body.data.issues).toHaveLength(1);
  });

  test.each([
    '/merchants?page=&limit=&sortBy=&q=&search=&searchBy=&filter.merchantName=',
    '/merchants?limit=&limit=7&sortBy=&sortBy=id:DESC',
    '/transactions?wallet=&kind=&from=&to=&order=&after=&limit=',
    '/events?after=&limit=',
  ])('%s has parameters without a value, which are absent', async (path) => {
    const answer = await scene.asPartner.get(path);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    if (path.includes('limit=7'))
      expect(answer.body.meta).toMatchObject({ itemsPerPage: 7, sortBy: [['id', 'DESC']] });
    else if (path.startsWith('/merchants'))
      expect(answer.body.meta).toMatchObject({
        itemsPerPage: 10,
        sortBy: [['merchantName', 'ASC']],
      });
  });

  test('are at most 100 long', async () => {
    const { body } = await scene.asPartner.get('/merchants?limit=1000000');
    expect(body.meta.itemsPerPage).toBe(100);
  });
});

describe('log-in and the test of the configuration', () => {
  test('answer bare shapes on success, and the envelope on every failure', async () => {
    const { url } = scene.stack;
    for (const { surface, basePath } of [partnerRoutes, merchantRoutes]) {
      const key = scene[surface].apiKey;
      const good = await call(`${url}${basePath}/auth/login`, { body: { key } });
      expect(Object.keys(good.body).sort()).toEqual([
        'accessToken',
        'message',
        'statusCode',
        'success',
      ]);
      const { token } = surface === 'partner' ? scene.asPartner : scene.asMerchant;
      const method = surface === 'partner' ? 'GET' : 'POST';
      const headers = { 'x-api-token': token };
      const checked = await call(`${url}${basePath}/test`, { method, headers });
      expect([checked.status, checked.body]).toEqual([200, { test: 'success' }]);
      const shown = await call(`${url}${basePath}/key`, { headers });
      expect(shown.body.data).toEqual({ scopes: expect.arrayContaining(['read', 'vouchers']) });
      for (const wrong of [
        { key: null },
        { key: 5 },
        { key: '' },
        { key: [key] },
        { key: { $ne: 1 } },
        { key: 'k'.repeat(300) },
        {},
      ]) {
        const bad = await call(`${url}${basePath}/auth/login`, { body: wrong });
        expectRefused(bad, surface, 400, 'request-invalid', /key: /);
      }
    }
  });
});
