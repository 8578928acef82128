import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readCodecServerConfig } from '../../../src/config/config.ts';
import { listen } from '../../../src/runtime/process/health.ts';
import {
  createTokenCheck,
  startCodecServer,
  toJson,
} from '../../../src/runtime/temporal/codec-server.ts';
import { createPayloadCodec } from '../../../src/runtime/temporal/payload-codec.ts';

const UI = 'http://localhost:8233';
const ISSUER = 'https://identity.example';
const AUDIENCE = 'temporal-ui';
const SECRET = '+251911234567';
const payloadKeys = [{ id: 'payload-1', key: randomBytes(32) }];
const basic = (password: string) => `Basic ${Buffer.from(`looks:${password}`).toString('base64')}`;

const own = await generateKeyPair('RS256');
const strange = await generateKeyPair('RS256');
const publicPem = Buffer.from(await exportSPKI(own.publicKey));
const good = { sub: 'abebe@example.com', groups: ['staff', 'support'] };

let keySet = '';
let provider: Server;
let keysUrl: string;
let codec: Awaited<ReturnType<typeof startCodecServer>>;
const lines: string[] = [];

const settingsOf = (url: string) =>
  readCodecServerConfig({
    CODEC_SERVER_TOKEN_ISSUER: ISSUER,
    CODEC_SERVER_TOKEN_AUDIENCE: AUDIENCE,
    CODEC_SERVER_TOKEN_KEYS_URL: url,
    CODEC_SERVER_TOKEN_CLAIMS: 'decode:groups=support,decode:role=on=call',
    PAYLOAD_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  }).codec;

const start = (url = keysUrl) =>
  startCodecServer({
    port: 0,
    uiOrigins: [UI],
    payloadKeys,
    operators: [
      {
        name: 'looks',
        passwordDigest: createHash('sha256').update('p1').digest(),
      },
    ],
    checkToken: createTokenCheck(settingsOf(url)),
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
  });

beforeAll(async () => {
  keySet = JSON.stringify({ keys: [{ ...(await exportJWK(own.publicKey)), kid: 'one' }] });
  provider = createServer((_request, response) => void response.end(keySet));
  keysUrl = `http://127.0.0.1:${await listen(provider, { host: '127.0.0.1', port: 0 }, () => undefined)}/keys`;
  codec = await start();
});
beforeEach(() => void lines.splice(0));
afterAll(async () => {
  await codec?.stop();
  provider?.close();
});

interface TokenParts {
  readonly claims?: Record<string, unknown>;
  readonly issuer?: string;
  readonly audience?: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly key?: CryptoKey | Uint8Array;
  readonly expires?: string;
}

const tokenOf = ({ claims = good, ...parts }: TokenParts = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: parts.alg ?? 'RS256', kid: parts.kid ?? 'one' })
    .setIssuer(parts.issuer ?? ISSUER)
    .setAudience(parts.audience ?? AUDIENCE)
    .setExpirationTime(parts.expires ?? '1h')
    .sign(parts.key ?? own.privateKey);

async function ask(
  authorization: string | undefined,
  { path = '/decode', origin = UI, url = codec.url, referer = '' } = {},
): Promise<Response> {
  const plain = defaultPayloadConverter.toPayload(SECRET);
  const [sealed = {}] = await createPayloadCodec(payloadKeys).encode([plain]);
  const headers = { Origin: origin, 'X-Namespace': 'gifts', Referer: referer };
  return fetch(url + path, {
    method: 'POST',
    headers: authorization === undefined ? headers : { ...headers, Authorization: authorization },
    body: JSON.stringify({ payloads: [sealed, sealed].map(toJson) }),
  });
}

const contents = Buffer.from(JSON.stringify(SECRET)).toString('base64');

it('decodes for a good token, and writes down who, what and how much, without contents', async () => {
  const token = await tokenOf();
  const referer = `${UI}/namespaces/gifts/workflows/topup%2F7/0198-run/history?token=x`;
  const response = await ask(`Bearer ${token}`, { referer });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(contents);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    operator: 'token:abebe@example.com',
    namespace: 'gifts',
    payloads: 2,
    workflowId: 'topup/7',
    runId: '0198-run',
  });
  for (const hidden of [token, token.split('.')[2] ?? '', SECRET, contents, 'token=x'])
    expect(lines[0]).not.toContain(hidden);
});

it('encodes for nobody, and tells the proxy the name of a person', async () => {
  const token = await tokenOf({ claims: { sub: 'sara', groups: 'support' } });
  expect((await ask(`Bearer ${token}`, { path: '/encode' })).status).toBe(404);
  expect((await ask(`Bearer ${token}`)).status).toBe(200);
  const headers = { Authorization: `Bearer ${token}` };
  const known = await fetch(`${codec.url}/authenticate`, { headers });
  expect([known.status, known.headers.get('x-operator')]).toEqual([204, 'token:sara']);
});

it('still knows operators by their password, and a value with an equals sign', async () => {
  expect((await ask(basic('p1'))).status).toBe(200);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ operator: 'looks', payloads: 2 });
  expect((await ask(basic('p2'))).status).toBe(401);
  const onCall = await tokenOf({ claims: { sub: 'sara', role: 'on=call' } });
  expect((await ask(`Bearer ${onCall}`)).status).toBe(200);
});

it('does not count tokens that have expired as guesses: the new one is taken', async () => {
  const old = await tokenOf({ expires: '1h ago' });
  for (let call = 0; call < 21; call += 1) expect((await ask(`Bearer ${old}`)).status).toBe(401);
  expect((await ask(`Bearer ${await tokenOf()}`)).status).toBe(200);
});

const endless = () =>
  new SignJWT(good)
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .sign(own.privateKey);

it.each<[string, () => string | Promise<string>]>([
  ['another issuer', () => tokenOf({ issuer: 'https://evil.example' })],
  ['another audience', () => tokenOf({ audience: 'mail' })],
  [
    'no signature',
    () =>
      new UnsecuredJWT(good)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setExpirationTime('1h')
        .encode(),
  ],
  ['the public key as a secret', () => tokenOf({ alg: 'HS256', key: publicPem })],
  ['an end in the past', () => tokenOf({ expires: '2 minutes ago' })],
  ['no end', endless],
  ['an unknown key', () => tokenOf({ kid: 'two', key: strange.privateKey })],
  ['the signature of another key', () => tokenOf({ key: strange.privateKey })],
  ['no claim', () => tokenOf({ claims: { sub: 'abebe' } })],
  ['a claim that is not allowed', () => tokenOf({ claims: { sub: 'abebe', groups: ['sales'] } })],
  ['a part of a claim', () => tokenOf({ claims: { sub: 'abebe', groups: 'support-trainees' } })],
  ['no name', () => tokenOf({ claims: { groups: ['support'] } })],
  ['a name with a line', () => tokenOf({ claims: { ...good, sub: 'a\nb' } })],
  ['no token', () => 'p1'],
  ['a long text that is no token', () => 'x'.repeat(10_000)],
])('refuses a token with %s', async (_name, make) => {
  const token = await make();
  const response = await ask(`Bearer ${token}`);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(await response.text()).not.toContain(contents);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['A sign-in was refused']);
  if (token.length > 2) expect(lines.join()).not.toContain(token);
});

it('refuses nobody, and another origin with a good token', async () => {
  expect((await ask(undefined)).status).toBe(401);
  const origin = 'https://evil.example';
  expect((await ask(`Bearer ${await tokenOf()}`, { origin })).status).toBe(403);
  expect(lines).toEqual([]);
});

it.each(['not JSON', '{}', '{"keys":[{"kty":"RSA","kid":"one","alg":"RS256","n":1}]}'])(
  'says that it cannot check tokens while the keys are broken: %s',
  async (broken) => {
    const [whole, other] = [keySet, await start()];
    keySet = broken;
    try {
      const token = await tokenOf();
      const response = await ask(`Bearer ${token}`, { url: other.url });
      expect([response.status, await response.text()]).toEqual([
        503,
        'The keys of the identity provider cannot be read',
      ]);
      expect(lines.join()).toContain('cannot be read');
      expect(lines.join()).not.toContain(token);
      expect((await ask(basic('p1'), { url: other.url })).status).toBe(200);
    } finally {
      keySet = whole;
      await other.stop();
    }
  },
);

it('needs somebody who can sign in, and all settings of tokens or none', () => {
  const PAYLOAD_KEYS = `k1:${randomBytes(32).toString('base64')}`;
  expect(() => readCodecServerConfig({ PAYLOAD_KEYS })).toThrow(
    'CODEC_SERVER_OPERATORS: is not set',
  );
  const half = { PAYLOAD_KEYS, CODEC_SERVER_TOKEN_ISSUER: ISSUER };
  for (const name of ['AUDIENCE', 'KEYS_URL', 'CLAIMS'])
    expect(() => readCodecServerConfig(half)).toThrow(`CODEC_SERVER_TOKEN_${name}: is not set`);
  expect(() => settingsOf('http://identity.example/keys')).toThrow('must begin with https');
});
