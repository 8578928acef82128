import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reason } from '../../../src/domain/refusals.ts';
import { openApiDocuments } from '../../../src/openapi/both-documents.ts';
import { withoutReferences } from '../../../src/openapi/schemas.ts';
import { call, partnerClient, refusalData } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** What callers can send before anybody has asked who they are (faults F47, F49, F64, F66). */
let stack: Stack;
const LIMIT = 20;

beforeAll(async () => {
  stack = await startStack({
    HEADERS_TIMEOUT_SECONDS: '0.5',
    REQUEST_TIMEOUT_SECONDS: '1',
    CONNECTION_LIMIT: String(LIMIT),
    PUBLIC_URL: 'https://api.partners.example',
  });
});
afterAll(() => stack?.stop());

const open = () => connect(Number(new URL(stack.url).port), '127.0.0.1');

/** All that comes back until the connection is closed. */
const received = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (data) => {
      text += data;
    });
    // Whoever is cut off in the middle of sending may be told so by the system alone.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });

const reasonOf: Readonly<Record<number, Reason>> = {
  400: 'http-malformed',
  408: 'request-too-slow',
  413: 'body-too-large',
  417: 'expectation-unsupported',
  431: 'headers-too-large',
};

/** What the document of the API says of a refusal before the request is read. */
function documented(status: number) {
  const document = withoutReferences(openApiDocuments('https://api.partners.example').partner);
  const { content, headers } = document.paths?.['/auth/login']?.post?.responses?.[status] ?? {};
  const { schema, example } = content['application/json'];
  return { example, data: schema.properties.data.type, headers: Object.keys(headers) };
}

function expectEnvelope(text: string, status: number): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain(`\r\nx-error-reason: ${reasonOf[status]}\r\n`);
  // Only a request that could be read says which API it means.
  const data = status === 413 ? refusalData('partner', 'body-too-large') : null;
  expect(JSON.parse(body)).toMatchObject({ success: false, statusCode: status, data });
  if (![408, 417, 431].includes(status)) return;
  const { headers, ...said } = documented(status);
  expect(said).toEqual({ example: JSON.parse(body), data: 'null' });
  for (const name of headers) expect(head).toContain(`\r\n${name}: `);
}

const POST = 'POST /api/v1/client/auth/login HTTP/1.1\r\nHost: a\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('what comes slowly', () => {
  test.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-A'],
    ['headers, byte by byte', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['a body', `${POST}${JSON_TYPE}Content-Length: 100\r\n\r\n{"key":`],
    ['a body in chunks', `${POST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
    ['nothing at all', ''],
  ])('%s: is cut off with 408', async (what, text) => {
    const socket = open();
    socket.write(text);
    const drip = what.endsWith('byte') ? setInterval(() => socket.write('x'), 50) : undefined;
    const startedAt = performance.now();
    const answer = await received(socket);
    clearInterval(drip);
    expectEnvelope(answer, 408);
    // The limits of Node.js itself are minutes.
    expect(performance.now() - startedAt).toBeLessThan(50_000);
  });
});

describe('what is too much', () => {
  test.each([
    ['a hundred and one headers', 'x: y\r\n'.repeat(101)],
    ['ten thousand headers', 'x: y\r\n'.repeat(10_000)],
    ['one header of a megabyte', `x-signature: ${'s'.repeat(1_000_000)}\r\n`],
  ])('%s: 431', async (_what, headers) => {
    const socket = open();
    const answer = received(socket);
    socket.write(`GET /api/v1/client/test HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    expectEnvelope(await answer, 431);
  });

  test.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['an expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n', 417],
  ])('%s: refused with the envelope', async (_what, text, status) => {
    const socket = open();
    const answer = received(socket);
    socket.write(text);
    expectEnvelope(await answer, status);
  });

  test('a body in chunks without an end: 413', async () => {
    const socket = open();
    const answer = received(socket);
    socket.write(`${POST}${JSON_TYPE}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
    const flood = setInterval(() => socket.writable && socket.write(chunk), 10);
    const text = await answer;
    clearInterval(flood);
    expectEnvelope(text, 413);
  });

  test('a body that says it has 100 MB: 413 before it is read', async () => {
    const socket = open();
    const answer = received(socket);
    socket.write(`${POST}${JSON_TYPE}Connection: close\r\nContent-Length: 104857600\r\n\r\n{`);
    expectEnvelope(await answer, 413);
  });

  test('connections: those over the limit are closed, and the service lives on', async () => {
    const sockets = Array.from({ length: LIMIT * 2 }, open);
    const closed = sockets.map((socket) => received(socket));
    const first = await Promise.race(closed);
    expect(first).toBe('');
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    expect((await call(`${stack.url}/api/v1/client/test`)).status).toBe(401);
  });
});

describe('answers', () => {
  test.each(['/api/v1/client/test', '/nothing', '/.well-known/jwks.json'])(
    'of %s can neither be run nor framed by a browser',
    async (path) => {
      const { headers } = await call(stack.url + path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d+/);
      expect(headers.get('x-powered-by')).toBeNull();
    },
  );

  test('link to the configured address, whatever Host and its relatives say', async () => {
    const partner = await makePartner(stack);
    await makeMerchant(stack);
    const { token } = await partnerClient(stack, partner);
    const socket = open();
    const answer = received(socket);
    socket.write(
      'GET /api/v1/client/merchants HTTP/1.1\r\nHost: evil.example\r\n' +
        'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: gopher\r\n' +
        `Forwarded: host=evil.example\r\nx-api-token: ${token}\r\nConnection: close\r\n\r\n`,
    );
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('"current":"https://api.partners.example/api/v1/client/merchants?');
    expect(text).not.toContain('evil');
  });
});

test('no request changes what every object has', async () => {
  const partner = await makePartner(stack);
  const client = await partnerClient(stack, partner);
  const before = Reflect.ownKeys(Object.prototype);
  const poison = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  const queries = ['__proto__[polluted]=1', '__proto__.polluted=1', 'constructor[prototype][a]=1'];
  for (const query of queries)
    for (const path of ['/merchants', '/test', '/topup-transactions'])
      expect((await client.get(`${path}?${query}`)).status).toBeLessThan(500);
  for (const path of ['/topup-transactions/generate-voucher', '/topup-transactions/airtime-topup'])
    expect((await client.post(path, poison)).status).toBe(400);
  expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
