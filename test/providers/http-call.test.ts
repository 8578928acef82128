import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { callHttp } from '../../src/providers/http-call.ts';
import {
  answerWith,
  closedAddress,
  type RawServer,
  startRawServer,
  switchProtocol,
} from './raw-server.ts';

const open: RawServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serverThat(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await startRawServer(handle);
  open.push(server);
  return server;
}

/** A short limit is for those alone who wait for it: a machine may hold up an answer for as long. */
const call = (url: string, milliseconds = 20_000) =>
  callHttp({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'text/plain' },
    body: 'ብር 100',
    deadline: AbortSignal.timeout(milliseconds),
  });

const late = 'The provider did not answer in time.';
const reset = 'The connection to the provider failed (ECONNRESET).';

const broken: [
  string,
  (request: IncomingMessage, response: ServerResponse) => void,
  Readonly<Record<string, unknown>>,
][] = [
  ['never answers', () => undefined, { kind: 'unknown', message: late }],
  [
    'sends headers and no body',
    (_, response) => response.writeHead(200).flushHeaders(),
    { kind: 'unknown', message: late },
  ],
  [
    'drips its body without end',
    (_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    },
    { kind: 'unknown', message: late },
  ],
  [
    'switches to another protocol',
    switchProtocol,
    { kind: 'unknown', message: 'The connection to the provider failed (no code).' },
  ],
  [
    'drops the connection before answering',
    (request) => request.socket.destroy(),
    { kind: 'unknown', message: reset },
  ],
  [
    'drops the connection within its body',
    (request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => request.socket.destroy());
    },
    { kind: 'unknown', message: reset },
  ],
  [
    'sends a body without end',
    (_, response) => {
      const block = Buffer.alloc(64 * 1024);
      const pour = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', pour);
      pour();
    },
    { kind: 'unknown', message: 'The answer is too long.' },
  ],
  [
    'sends more headers than anybody reads',
    (_, response) => response.writeHead(200, { 'X-Long': 'x'.repeat(100_000) }).end(),
    { kind: 'unknown', message: 'The connection to the provider failed (HPE_HEADER_OVERFLOW).' },
  ],
  [
    'does not speak HTTP',
    (request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    { kind: 'unknown', message: expect.stringContaining('(HPE_') },
  ],
  [
    'redirects, which is not followed',
    (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
    { kind: 'answered', status: 302, body: '' },
  ],
];

describe('callHttp', () => {
  it('gives the status and the body, and sends bytes as they are', async () => {
    const server = await serverThat((request, response) => request.pipe(response));
    expect(await call(server.url)).toEqual({ kind: 'answered', status: 200, body: 'ብር 100' });
  });

  it.each(broken)('with a provider that %s', async (_name, handle, expected) => {
    const server = await serverThat(handle);
    const { message } = expected;
    expect(await call(server.url, message === late ? 400 : undefined)).toEqual(expected);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['7', 7],
    ['0', 0],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['99999999999999', undefined],
    ['', undefined],
  ])('reads Retry-After: %s', async (value, retryAfterSeconds) => {
    const server = await serverThat((_, response) => {
      response.writeHead(429, { 'Retry-After': value }).end();
    });
    expect(await call(server.url)).toEqual({
      kind: 'answered',
      status: 429,
      body: '',
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  });

  it('reads a Retry-After that is a date', async () => {
    const server = await serverThat((_, response) => {
      const date = new Date(Date.now() + 60_000).toUTCString();
      response.writeHead(503, { 'Retry-After': date }).end();
    });
    const result = await call(server.url);
    const seconds = result.kind === 'answered' ? result.retryAfterSeconds : undefined;
    expect(seconds).toBeGreaterThanOrEqual(50);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it('was not sent when nothing listens', async () => {
    const url = await closedAddress();
    expect(await call(url)).toEqual({
      kind: 'not-sent',
      message: 'The connection to the provider failed (ECONNREFUSED).',
    });
  });

  it('was not sent when the name does not exist', async () => {
    const result = await call('http://provider.invalid/', 5_000);
    expect(result).toMatchObject({ kind: 'not-sent' });
  });

  it('was not sent when the deadline has passed already', async () => {
    const server = await serverThat(answerWith(200, {}));
    const deadline = AbortSignal.abort();
    const result = await callHttp({ method: 'GET', url: server.url, headers: {}, deadline });
    expect(result).toEqual({ kind: 'not-sent', message: late });
    expect(server.requests).toEqual([]);
  });

  it('was not sent when the other side does not speak TLS', async () => {
    const received: Buffer[] = [];
    const plain = createServer((socket) => {
      socket.once('data', (bytes) => {
        received.push(bytes);
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const address = plain.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const result = await call(`https://127.0.0.1:${port}/`);
    plain.close();
    expect(result).toMatchObject({ kind: 'not-sent' });
    expect(Buffer.concat(received).toString()).not.toContain('POST');
  });

  it('is unknown when a connection that was kept breaks under the next request', async () => {
    const sockets = new Set<unknown>();
    const server = await serverThat((request, response) => {
      if (sockets.has(request.socket)) request.socket.destroy();
      else response.end('first');
      sockets.add(request.socket);
    });
    expect(await call(server.url)).toMatchObject({ kind: 'answered', body: 'first' });
    expect(await call(server.url)).toEqual({ kind: 'unknown', message: reset });
    expect(sockets.size).toBe(1);
  });

  it('uses one connection again without leaving listeners on it', async () => {
    const warnings: unknown[] = [];
    const note = (warning: unknown) => warnings.push(warning);
    process.on('warning', note);
    const sockets = new Set<unknown>();
    const server = await serverThat((request, response) => {
      sockets.add(request.socket);
      response.end();
    });
    for (let turn = 0; turn < 30; turn += 1) await call(server.url);
    process.off('warning', note);
    expect(sockets.size).toBe(1);
    expect(warnings).toEqual([]);
  });
});
