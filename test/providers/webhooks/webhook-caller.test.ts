import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWebhookCaller, type WebhookAnswer } from '../../../src/providers/webhook-caller.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { closedAddress, type RawServer, startRawServer, switchProtocol } from '../raw-server.ts';

let dns: DnsServer;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.stop());
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function receiver(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RawServer> {
  const server = await startRawServer(handle);
  open.push(server);
  return server;
}

/** A receiver that speaks no HTTP, and counts the connections to it. */
async function rawReceiver(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  open.push({ close });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
  };
}

/** A short limit is for those alone who wait for it: a machine may hold up an answer for as long. */
const call = (url: string, { allowsPrivate = true, timeoutMs = 20_000 } = {}) =>
  createWebhookCaller({ dnsServers: [dns.address], timeoutMs, allowsPrivate }).call({
    url,
    headers: { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' },
    body: '{"ብር":100}',
  });

const failed = (problem: string, status: number | null = null): Partial<WebhookAnswer> => ({
  isDelivered: false,
  status,
  problem: expect.stringContaining(problem),
});

describe('a receiver that answers', () => {
  it('gets the body with its headers, and answers with an excerpt', async () => {
    const bodies: string[] = [];
    const { url } = await receiver((request, response) => {
      request.setEncoding('utf8').on('data', (text) => {
        bodies.push(`${request.headers['webhook-id']} ${text}`);
        response.end('thank\r\n\u0007 you');
      });
    });
    expect(await call(url)).toMatchObject({
      isDelivered: true,
      status: 200,
      excerpt: 'thank you',
      problem: null,
    });
    expect(bodies).toEqual(['evt_1 {"ብር":100}']);
  });

  it('is reached on this machine by its name, which no DNS server knows', async () => {
    const { url } = await receiver((_, response) => response.end());
    const named = url.replace('127.0.0.1', 'localhost');
    expect(named).toContain('localhost');
    expect(await call(named)).toMatchObject({ isDelivered: true });
    const refused = { isDelivered: false, problem: 'The address is not on the public internet.' };
    expect(await call(named.replace('http:', 'https:'), { allowsPrivate: false })).toMatchObject(
      refused,
    );
  });

  it.each([200, 201, 202, 204, 299])('with %d has it', async (status) => {
    const { url } = await receiver((_, response) => response.writeHead(status).end());
    expect(await call(url)).toMatchObject({ isDelivered: true, status, excerpt: null });
  });

  it.each([300, 400, 401, 404, 410, 429, 500, 503])('with %d does not', async (status) => {
    const { url } = await receiver((_, response) => response.writeHead(status).end('no'));
    expect(await call(url)).toMatchObject({ ...failed(`${status}`, status), excerpt: 'no' });
  });

  it.each([301, 302, 303, 307, 308])('with %d is not followed', async (status) => {
    const inside = await receiver((_, response) => response.end());
    const { url } = await receiver((_, response) =>
      response.writeHead(status, { Location: `${inside.url}/admin` }).end(),
    );
    expect(await call(url)).toMatchObject(failed('redirects', status));
    expect(inside.requests).toEqual([]);
  });

  it('with another protocol does not, and is heard at once', async () => {
    const { url } = await receiver(switchProtocol);
    expect(await call(url)).toMatchObject(failed('answered 101', 101));
  });

  it('is read to 64 KB only', async () => {
    let sent = 0;
    const { url } = await receiver((_, response) => {
      const chunk = Buffer.alloc(16_384, 'x');
      const send = () => {
        while (sent < 10_000_000 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return response.once('drain', send);
        }
        return response.end();
      };
      send();
    });
    const answer = await call(url);
    expect(answer).toMatchObject({ isDelivered: true, status: 200 });
    expect(answer.excerpt).toHaveLength(500);
    expect(sent).toBeLessThan(10_000_000);
  });

  it('has it although its body drips without end', async () => {
    const { url } = await receiver((_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const answer = await call(url, { timeoutMs: 1_000 });
    expect(answer).toMatchObject({ isDelivered: true, excerpt: expect.stringMatching(/^\.+$/) });
  });
});

describe('a receiver that does not answer', () => {
  it('hangs for no longer than the limit', async () => {
    const { url } = await receiver(() => undefined);
    expect(await call(url, { timeoutMs: 300 })).toMatchObject(
      failed('did not answer within 0.3 s'),
    );
  });

  it('may drop the connection', async () => {
    const { url } = await receiver((request) => request.socket.destroy());
    expect(await call(url)).toMatchObject(failed('closed the connection'));
  });

  it('may speak garbage', async () => {
    const { port } = await rawReceiver((socket) => socket.end('\u0000\u0001 garbage\r\n\r\n'));
    expect(await call(`http://127.0.0.1:${port}/`)).toMatchObject(failed('did not answer in HTTP'));
  });

  it('may send headers without end', async () => {
    const { port } = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const flood = setInterval(() => socket.write(`x: ${'y'.repeat(4_000)}\r\n`), 1);
      socket.on('close', () => clearInterval(flood));
    });
    expect(await call(`http://127.0.0.1:${port}/`)).toMatchObject(failed('did not answer in HTTP'));
  });

  it('may speak no TLS', async () => {
    const { port } = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await call(`https://127.0.0.1:${port}/`)).toMatchObject(failed('connection'));
  });

  it('may refuse the connection', async () => {
    expect(await call(await closedAddress())).toMatchObject(failed('refused the connection'));
  });

  it('may have no address, or a name server that is silent', async () => {
    expect(await call('http://nobody.example/')).toMatchObject(failed('no address'));
    dns.replies.set('silent.example', 'silence');
    expect(await call('http://silent.example/', { timeoutMs: 300 })).toMatchObject({
      isDelivered: false,
    });
  });
});

describe('a private address', () => {
  const privateNames = {
    'loopback.example': ['127.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    'network.example': ['10.0.0.8', 'fd00::8'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'six.example': ['::1'],
    'nat64.example': ['64:ff9b::7f00:1'],
  };

  it.each(Object.keys(privateNames))('is not reached by the name %s', async (name) => {
    const addresses = privateNames[name as keyof typeof privateNames];
    dns.replies.set(name, { addresses });
    const inside = await rawReceiver(() => undefined);
    const url = `https://${name}:${inside.port}/`;
    expect(await call(url, { allowsPrivate: false })).toMatchObject(failed('public internet'));
    expect(inside.connections()).toBe(0);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'is not reached by the address %s',
    async (host) => {
      const inside = await rawReceiver(() => undefined);
      const url = `https://${host}:${inside.port}/`;
      expect(await call(url, { allowsPrivate: false })).toMatchObject(failed('public internet'));
      expect(inside.connections()).toBe(0);
    },
  );

  it('is not reached by a name that changes its address after it was checked', async () => {
    const inside = await rawReceiver(() => undefined);
    const url = `https://rebinding.example:${inside.port}/`;
    dns.replies.set('rebinding.example', { addresses: ['203.1.113.7'], ttl: 0 });
    await call(url, { allowsPrivate: false, timeoutMs: 50 });
    dns.replies.set('rebinding.example', { addresses: ['127.0.0.1'], ttl: 0 });
    expect(await call(url, { allowsPrivate: false })).toMatchObject(failed('public internet'));
    expect(inside.connections()).toBe(0);
  });

  it('is reached where the setting admits it', async () => {
    const { url, requests } = await receiver((_, response) => response.end());
    dns.replies.set('loopback.example', { addresses: ['127.0.0.1'] });
    const { port } = new URL(url);
    expect((await call(`http://loopback.example:${port}/hooks`)).isDelivered).toBe(true);
    expect(requests).toEqual(['POST /hooks']);
  });

  it('is not the only reason to refuse: plain http is refused, too', async () => {
    dns.replies.set('public.example', { addresses: ['203.1.113.7'] });
    const answer = await call('http://public.example/', { allowsPrivate: false });
    expect(answer).toMatchObject(failed('https://'));
  });
});
