import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { type AccessClaims, createAccessTokens } from '../../../src/http/access/access-token.ts';

const LIFETIME_SECONDS = 300;
const START = Date.parse('2026-01-01T00:00:00Z');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const clock = { now: START };
const options = {
  privateKeyPem: pem(privateKey),
  furtherKeyPems: [],
  lifetimeSeconds: LIFETIME_SECONDS,
  issuer: 'voucher-topup-service',
  now: () => clock.now,
};
const claims: AccessClaims = {
  audience: 'partner',
  companyId: 17,
  apiKeyId: 4,
  tokenVersion: 2,
};

const verified = { ...claims, issuedAt: START / 1_000, isExpired: false };

const tokens = await createAccessTokens(options);
const fresh = () => createAccessTokens(options);
const decode = (token: string) =>
  token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
const [header, payload] = decode(tokens.issue(claims));
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A token that our own key signed, with parts changed. */
function forge(change: { header?: object; payload?: object; key?: KeyObject }): Promise<string> {
  return new SignJWT({ ...payload, ...change.payload })
    .setProtectedHeader({ ...header, ...change.header })
    .sign(change.key ?? privateKey, { crit: { exp: true } });
}

describe('access tokens', () => {
  it('carry what the specification asks for (5)', () => {
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: 'voucher-topup-service',
      aud: 'partner',
      sub: '17',
      jti: expect.any(String),
      iat: START / 1_000,
      exp: START / 1_000 + LIFETIME_SECONDS,
      api_key_id: 4,
      token_version: 2,
    });
  });

  it('are verified into the claims they were issued for, by every process with the key', async () => {
    const token = tokens.issue(claims);
    expect(await tokens.verify(token, 'partner')).toEqual(verified);
    expect(await tokens.verify(token, 'partner')).toEqual(verified);
    expect(await (await fresh()).verify(token, 'partner')).toEqual(verified);
  });

  it('differ although they are issued in the same second', async () => {
    expect(tokens.issue(claims)).not.toBe(tokens.issue(claims));
  });

  it('count for their own API only, remembered or not', async () => {
    const token = tokens.issue(claims);
    expect(await tokens.verify(token, 'merchant')).toBeUndefined();
    expect(await tokens.verify(token, 'partner')).toEqual(verified);
    expect(await tokens.verify(token, 'merchant')).toBeUndefined();
  });

  it.each([
    ['at once', 0, true],
    ['a slow clock', -5, true],
    ['a wrong clock', -6, false],
    ['the end of their life', LIFETIME_SECONDS, true],
    ['the leeway', LIFETIME_SECONDS + 4, true],
    ['after the leeway', LIFETIME_SECONDS + 5, false],
    ['a day', 86_400, false],
  ])('live until their end: %s', async (_, afterSeconds, isAlive) => {
    const token = tokens.issue(claims);
    const remembering = await fresh();
    await remembering.verify(token, 'partner');
    clock.now = START + afterSeconds * 1_000;
    // A slow clock sees a token of the future, which is none at all.
    const dead = afterSeconds < 0 ? undefined : { ...verified, isExpired: true };
    const expected = isAlive ? verified : dead;
    expect(await (await fresh()).verify(token, 'partner')).toEqual(expected);
    if (afterSeconds >= 0) expect(await remembering.verify(token, 'partner')).toEqual(expected);
    clock.now = START;
  });

  const { privateKey: otherKey, publicKey: otherPublicKey } = generateKeyPairSync('ed25519');
  const otherPublicJwk = otherPublicKey.export({ format: 'jwk' });
  const without = (claim: string) => ({ payload: { [claim]: undefined } });
  it.each([
    ['another key', { key: otherKey }],
    ['another key id', { header: { kid: 'other' } }],
    ['no key id', { header: { kid: undefined } }],
    ['another issuer', { payload: { iss: 'someone-else' } }],
    ['no issuer', without('iss')],
    ['another audience', { payload: { aud: 'portal' } }],
    ['no audience', without('aud')],
    ['another type', { header: { typ: 'JWT' } }],
    ['no type', { header: { typ: undefined } }],
    ['no expiry', without('exp')],
    ['no time of issue', without('iat')],
    ['no id', without('jti')],
    ['no company', without('sub')],
    ['a company that is no number', { payload: { sub: '1 or 1=1' } }],
    ['no API key', without('api_key_id')],
    ['no version', without('token_version')],
    ['a key of its own', { header: { jwk: otherPublicJwk }, key: otherKey }],
    ['a key of its own, and our signature', { header: { jwk: otherPublicJwk } }],
    ['an address of keys', { header: { jku: 'https://keys.example/jwks.json' } }],
    ['an address of a certificate', { header: { x5u: 'https://keys.example/key.pem' } }],
    ['something critical', { header: { crit: ['exp'], exp: 1 } }],
    ['a time of issue in the future', { payload: { iat: START / 1_000 + 60 } }],
  ])('are refused with %s', async (_, change) => {
    expect(await tokens.verify(await forge({}), 'partner')).toEqual(verified);
    expect(await tokens.verify(await forge(change), 'partner')).toBeUndefined();
  });

  const unsigned = `${encode({ ...header, alg: 'none' })}.${encode(payload)}.`;
  const confused = `${encode({ ...header, alg: 'HS256' })}.${encode(payload)}`;
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' });
  const confusion = createHmac('sha256', publicPem).update(confused).digest('base64url');
  it.each([
    ['nothing', ''],
    ['a word', 'token'],
    ['two points', '..'],
    ['no signature', unsigned],
    ['the public key used as a secret', `${confused}.${confusion}`],
    ['five parts', 'a.b.c.d.e'],
    ['a token with a space', ' a.b.c'],
    ['an oversize token', `${'a'.repeat(50_000)}.b.c`],
  ])('are refused when they are %s', async (_, token) => {
    expect(await tokens.verify(token, 'partner')).toBeUndefined();
  });

  it('are refused with one character changed, also after the true one is known', async () => {
    const token = tokens.issue(claims);
    await tokens.verify(token, 'partner');
    const index = token.lastIndexOf('.') + 5;
    const changed = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A');
    expect(await tokens.verify(changed + token.slice(index + 1), 'partner')).toBeUndefined();
  });

  it('that are older than our tokens live are expired, whatever end they name', async () => {
    const token = await forge({ payload: { iat: START / 1_000 - 306 } });
    expect(await tokens.verify(token, 'partner')).toMatchObject({ isExpired: true });
  });

  it('of further keys are accepted, and those keys are published', async () => {
    const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
    const next = await createAccessTokens({
      ...options,
      privateKeyPem: pem(otherKey),
      furtherKeyPems: [spki(publicKey)],
    });
    expect(await next.verify(tokens.issue(claims), 'partner')).toEqual(verified);
    expect(await tokens.verify(next.issue(claims), 'partner')).toBeUndefined();
    const told = await createAccessTokens({ ...options, furtherKeyPems: [spki(otherPublicKey)] });
    expect(await told.verify(next.issue(claims), 'partner')).toEqual(verified);
    expect(next.jwks.map(({ x }) => x)).toEqual([
      otherPublicJwk.x,
      publicKey.export({ format: 'jwk' }).x,
    ]);
    expect(next.jwks.every((jwk) => !('d' in jwk))).toBe(true);
  });

  it('are made with Ed25519 only', async () => {
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    await expect(createAccessTokens({ ...options, privateKeyPem: pem(elliptic) })).rejects.toThrow(
      RangeError,
    );
    await expect(createAccessTokens({ ...options, privateKeyPem: 'no key' })).rejects.toThrow();
  });
});
