import { createHash, randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCodecServer } from '../../../src/runtime/temporal/codec-server.ts';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';

const UI = 'http://localhost:8233';
const payloadKeys = [{ id: 'payload-1', key: randomBytes(32) }];
const secret = { msisdn: '+251911234567' };

let server: Awaited<ReturnType<typeof startCodecServer>>;

beforeAll(async () => {
  server = await startCodecServer({ port: 0, uiOrigins: [UI], payloadKeys });
});
afterAll(() => server?.stop());

/** A payload as the UI sends it: JSON with base64. */
const toJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
  ),
  data: base64(data ?? new Uint8Array()),
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

async function encrypted(value: unknown, keys = payloadKeys): Promise<Payload> {
  const [payload] = await createPayloadCodec(keys).encode([
    defaultPayloadConverter.toPayload(value),
  ]);
  return payload ?? {};
}

const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { Origin: UI },
) => fetch(server.url + path, { method: 'POST', headers, body });

const decode = async (payloads: Payload[], headers?: Record<string, string>) =>
  post('/decode', JSON.stringify({ payloads: payloads.map(toJson) }), headers);

describe('the codec server', () => {
  it('decodes for the UI', async () => {
    const plain = defaultPayloadConverter.toPayload('plain');
    const response = await decode([await encrypted(secret), plain]);
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(UI);
    expect(response.headers.get('vary')).toContain('Origin');
    expect(await response.json()).toEqual({
      payloads: [toJson(defaultPayloadConverter.toPayload(secret)), toJson(plain)],
    });
  });

  it('tells the check of its container that it answers, and nothing else', async () => {
    const response = await fetch(`${server.url}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'up', checks: {} });
  });

  it('answers the preflight of the UI', async () => {
    const response = await fetch(`${server.url}/decode`, {
      method: 'OPTIONS',
      headers: {
        Origin: UI,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-namespace',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(UI);
    expect(response.headers.get('access-control-allow-headers')).toContain('x-namespace');
  });

  it.each([
    ['another site', { Origin: 'https://evil.example' }],
    ['another port', { Origin: 'http://localhost:8234' }],
    ['a file', { Origin: 'null' }],
    ['nobody', {}],
  ])('refuses %s', async (_name, headers: Record<string, string>) => {
    for (const response of [
      await decode([await encrypted(secret)], headers),
      await fetch(`${server.url}/decode`, { method: 'OPTIONS', headers }),
    ]) {
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await response.text()).not.toContain('msisdn');
    }
  });

  it('does not encode', async () => {
    const body = JSON.stringify({ payloads: [toJson(defaultPayloadConverter.toPayload(secret))] });
    expect((await post('/encode', body)).status).toBe(404);
    expect((await fetch(`${server.url}/decode`, { headers: { Origin: UI } })).status).toBe(404);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['another shape', '{"payloads":{}}'],
    ['no base64', '{"payloads":[{"data":"§§"}]}'],
    ['bytes', new Uint8Array([255, 254, 0])],
    ['too much', `{"payloads":[],"filler":"${'x'.repeat(9_000_000)}"}`],
  ])('refuses garbage and lives on: %s', async (_name, body) => {
    const response = await post('/decode', body);
    expect(response.status).toBe(400);
    expect(response.headers.get('access-control-allow-origin')).toBe(UI);
    expect((await decode([await encrypted(secret)])).status).toBe(200);
  });

  it('refuses payloads of another key, and altered ones', async () => {
    const foreign = await encrypted(secret, [{ id: 'payload-9', key: randomBytes(32) }]);
    expect((await decode([foreign])).status).toBe(400);
    const payload = await encrypted(secret);
    const altered = { ...payload, data: Buffer.from(payload.data ?? []).reverse() };
    expect((await decode([altered])).status).toBe(400);
  });

  it('listens on the loopback address only, and ends when it is told to', async () => {
    const other = await startCodecServer({ port: 0, uiOrigins: [UI], payloadKeys });
    expect(new URL(other.url).hostname).toBe('127.0.0.1');
    await other.stop();
    await expect(fetch(other.url)).rejects.toThrow();
  });

  it('keeps a connection after an answer longer than the proxy in front of it', async () => {
    const minute = { port: 0, uiOrigins: [UI], payloadKeys, idleTimeoutSeconds: 60 };
    const other = await startCodecServer(minute);
    const { headers } = await fetch(`${other.url}/authenticate`);
    expect(headers.get('Keep-Alive')).toBe('timeout=60');
    await other.stop();
  });

  it('says when its port is taken', async () => {
    const port = Number(new URL(server.url).port);
    await expect(startCodecServer({ port, uiOrigins: [UI], payloadKeys })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

describe('the codec server with operators', () => {
  const basic = (name: string, password: string) =>
    `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const digestOf = (password: string) => createHash('sha256').update(password).digest();
  const lines: string[] = [];
  /** A call that names no source has one of its own. */
  let sources = 0;
  let guarded: Awaited<ReturnType<typeof startCodecServer>>;

  beforeAll(async () => {
    guarded = await startCodecServer({
      host: '0.0.0.0',
      port: 0,
      uiOrigins: [UI],
      payloadKeys,
      callsPerMinute: 5,
      refusalsPerMinute: 4,
      sourceOf: (remoteAddress, forwardedFor) => {
        sources += 1;
        const address = forwardedFor || `${remoteAddress} ${sources}`;
        return { address, group: address };
      },
      operators: [
        { name: 'looks', passwordDigest: digestOf('p1') },
        { name: 'hurries', passwordDigest: digestOf('p3') },
      ],
      logger: pino({}, { write: (line: string) => void lines.push(line) }),
    });
  });
  afterAll(() => guarded?.stop());

  const ask = async (path: string, payload: Payload, headers: Record<string, string>) =>
    fetch(guarded.url.replace('0.0.0.0', '127.0.0.1') + path, {
      method: 'POST',
      headers: { Origin: UI, 'X-Namespace': 'default', ...headers },
      body: JSON.stringify({ payloads: [toJson(payload)] }),
    });

  it.each([
    ['nobody', {}],
    ['another password', { Authorization: basic('looks', 'p2') }],
    ['another name', { Authorization: basic('nobody', 'p1') }],
    ['an empty password', { Authorization: basic('looks', '') }],
    ['no Basic', { Authorization: 'Bearer p1' }],
    ['garbage', { Authorization: 'Basic ====' }],
  ])('asks %s to sign in', async (_name, headers: Record<string, string>) => {
    const response = await ask('/decode', await encrypted(secret), headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.text()).not.toContain('msisdn');
  });

  it('tells the proxy who has signed in', async () => {
    const url = `${guarded.url.replace('0.0.0.0', '127.0.0.1')}/authenticate`;
    expect((await fetch(url)).status).toBe(401);
    const response = await fetch(url, { headers: { Authorization: basic('looks', 'p1') } });
    expect(response.status).toBe(204);
    expect(response.headers.get('x-operator')).toBe('looks');
  });

  it('decodes for those who may look, writes down who, and never what', async () => {
    const headers = { Authorization: basic('looks', 'p1') };
    const response = await ask('/decode', await encrypted(secret), headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      operator: 'looks',
      payloads: 1,
      namespace: 'default',
    });
    expect(lines.join()).not.toContain(secret.msisdn.slice(4));
    const plain = defaultPayloadConverter.toPayload(secret);
    expect((await ask('/encode', plain, headers)).status).toBe(404);
  });

  it('lets nobody ask without end', async () => {
    const headers = { Authorization: basic('hurries', 'p3') };
    const payload = await encrypted(secret);
    const statuses: number[] = [];
    for (let call = 0; call < 6; call += 1)
      statuses.push((await ask('/decode', payload, headers)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  describe('a sign-in that is refused', () => {
    const url = () => guarded.url.replace('0.0.0.0', '127.0.0.1');
    const from = (address: string, authorization: string, path = '/authenticate') =>
      fetch(url() + path, {
        method: path === '/authenticate' ? 'GET' : 'POST',
        headers: { Origin: UI, 'X-Forwarded-For': address, Authorization: authorization },
      });
    const warnings = () =>
      lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);

    it('is logged with its origin and source, and never with the credential', async () => {
      lines.splice(0);
      expect((await from('203.0.113.1', basic('looks', 'guess-4711'))).status).toBe(401);
      expect((await from('203.0.113.1', 'Bearer guess-4712', '/decode')).status).toBe(401);
      expect((await fetch(`${url()}/authenticate`)).status).toBe(401);
      expect(warnings()).toEqual([
        expect.objectContaining({
          source: '203.0.113.1',
          origin: UI,
          msg: 'A sign-in was refused',
        }),
        expect.objectContaining({ source: '203.0.113.1', origin: UI, isBlocked: false }),
      ]);
      const log = lines.join();
      for (const part of ['guess', 'looks', Buffer.from('looks:guess-4711').toString('base64')])
        expect(log).not.toContain(part);
    });

    it('is limited by address, before the password is looked at', async () => {
      const statuses: number[] = [];
      for (let guess = 0; guess < 5; guess += 1)
        statuses.push((await from('203.0.113.2', basic('looks', `guess-${guess}`))).status);
      expect(statuses).toEqual([401, 401, 401, 401, 429]);
      for (const path of ['/authenticate', '/decode']) {
        const right = await from('203.0.113.2', basic('looks', 'p1'), path);
        expect(right.status).toBe(429);
        expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await from('203.0.113.3', basic('looks', 'p1'))).status).toBe(204);
    });

    it('costs those who sign in rightly nothing', async () => {
      for (let call = 0; call < 10; call += 1)
        expect((await from('203.0.113.4', basic('looks', 'p1'))).status).toBe(204);
    });
  });

  it('does not listen for others without operators', async () => {
    await expect(
      startCodecServer({ host: '0.0.0.0', port: 0, uiOrigins: [UI], payloadKeys }),
    ).rejects.toThrow('needs operators');
  });
});
