import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RawBodyError, readRawBody } from '../../../src/http/body/json-body.ts';

const LIMIT_BYTES = 1_000;
/** More than the buffers of a loopback connection hold, so that a sender must be drained. */
const HUGE_BYTES = 20_000_000;

let server: Server;
let failures: unknown[];
const open: Socket[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    try {
      const body = await readRawBody(request, LIMIT_BYTES);
      response.end(body.toString('hex'));
    } catch (error) {
      failures.push(error);
      response.statusCode = 400;
      response.end(error instanceof RawBodyError ? error.reason : 'unknown');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => {
  failures = [];
});

afterAll(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

const port = () => (server.address() as AddressInfo).port;

async function dial() {
  const socket = connect(port(), '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  return {
    socket,
    /** Waits until the server has sent a text. */
    async receive(text: string): Promise<string> {
      while (!received.includes(text)) await once(socket, 'data');
      const answer = received;
      received = '';
      return answer;
    },
  };
}

const head = (...headers: string[]) =>
  `POST / HTTP/1.1\r\nHost: test\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
const send = (body: Buffer, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port()}`, { method: 'POST', body, headers });

describe('readRawBody', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['bytes of every value', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['as much as allowed', Buffer.alloc(LIMIT_BYTES, 1)],
  ])('reads %s', async (_, body) => {
    const response = await send(body, { 'content-encoding': 'Identity' });
    expect(await response.text()).toBe(body.toString('hex'));
  });

  it('reads a body that comes in pieces without a length', async () => {
    const { socket, receive } = await dial();
    socket.write(head('Transfer-Encoding: chunked'));
    socket.write('2\r\nab\r\n');
    socket.write('1\r\nc\r\n0\r\n\r\n');
    expect(await receive('616263')).toMatch(/^HTTP\/1.1 200 /);
  });

  it('refuses one byte more than allowed', async () => {
    const response = await send(Buffer.alloc(LIMIT_BYTES + 1));
    expect(await response.text()).toBe('body-too-large');
    expect(failures).toEqual([expect.objectContaining({ reason: 'body-too-large' })]);
  });

  it.each(['gzip', 'br', 'identity, gzip', ''])('refuses the encoding "%s"', async (encoding) => {
    const { socket, receive } = await dial();
    socket.write(`${head(`Content-Encoding: ${encoding}`, 'Content-Length: 2')}{}`);
    expect(await receive('media-type-unsupported')).toMatch(/^HTTP\/1.1 400 /);
  });

  it.each([
    ['a length', (bytes: number) => [head(`Content-Length: ${bytes}`), '']],
    [
      'chunks',
      (bytes: number) => [
        `${head('Transfer-Encoding: chunked')}${bytes.toString(16)}\r\n`,
        '\r\n0\r\n\r\n',
      ],
    ],
    [
      'compression',
      (bytes: number) => [head(`Content-Length: ${bytes}`, 'Content-Encoding: gzip'), ''],
    ],
  ])('answers and keeps the connection after a huge body with %s', async (_, frame) => {
    const { socket, receive } = await dial();
    const [before = '', after = ''] = frame(HUGE_BYTES);
    socket.write(before);
    socket.write(Buffer.alloc(HUGE_BYTES));
    socket.write(after);
    await receive('HTTP/1.1 400 ');
    socket.write(`${head('Content-Length: 1')}a`);
    expect(await receive('61')).toContain('HTTP/1.1 200 ');
  });

  it('answers before a body that is announced too large was sent', async () => {
    const { socket, receive } = await dial();
    socket.write(head('Content-Length: 100000000'));
    expect(await receive('body-too-large')).toMatch(/^HTTP\/1.1 400 /);
  });

  it('cuts off a refused body that never ends', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { socket, receive } = await dial();
    socket.write(head('Content-Length: 100000000'));
    await receive('body-too-large');
    expect(socket.closed).toBe(false);
    vi.advanceTimersByTime(5_000);
    await once(socket, 'close');
  });

  it('notices that the caller hung up', async () => {
    const { socket } = await dial();
    const requested = once(server, 'request');
    socket.write(`${head('Content-Length: 100')}half`);
    await requested;
    socket.destroy();
    await expect
      .poll(() => failures)
      .toEqual([expect.objectContaining({ reason: 'request-invalid' })]);
  });
});
