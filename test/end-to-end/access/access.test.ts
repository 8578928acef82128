import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomApiKey } from '../../../src/crypto/random.ts';
import { addApiKey, addSourceAddresses } from '../../../src/db/catalogue/companies.ts';
import type { Reason, Surface } from '../../../src/domain/refusals.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { type Answer, call, merchantClient, partnerClient } from '../../support/clients.ts';
import { makeKey, makeMerchant, makePartner } from '../../support/companies.ts';
import { until, within } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { CLAIM, done, GENERATE, type GiftScene, REDEEM, setGiftScene } from '../gift/gift-scene.ts';

let scene: GiftScene;

const bases: Record<Surface, string> = {
  partner: partnerRoutes.basePath,
  merchant: merchantRoutes.basePath,
};

const login = (surface: Surface, key: string, headers: Record<string, string> = {}) =>
  call(`${scene.stack.url}${bases[surface]}/auth/login`, { body: { key }, headers });

/** The cheapest request that needs a token. */
const ask = (surface: Surface, headers: Record<string, string>) =>
  call(`${scene.stack.url}${bases[surface]}/test`, {
    method: surface === 'partner' ? 'GET' : 'POST',
    headers,
  });

const withToken = (surface: Surface, token: string) => ask(surface, { 'x-api-token': token });

const companyOf = (kind: Surface, { id }: { id: number }): Company => ({ kind, id });

function expectRefused(answer: Answer, surface: Surface, statusCode: number, reason: Reason): void {
  expectRefusal(answer, surface, statusCode, { reason });
}

/** Replaces the addresses that a company is registered with. */
async function setAddresses(company: Company, addresses: readonly string[]): Promise<void> {
  const { database } = scene.stack;
  await database
    .deleteFrom('source_addresses')
    .where(company.kind === 'partner' ? 'partner_id' : 'merchant_id', '=', company.id)
    .execute();
  if (addresses.length > 0) await addSourceAddresses(database, company, addresses);
}

const revokeKey = (apiKey: string) =>
  scene.stack.database
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('key_digest', '=', scene.stack.digests.apiKey(apiKey))
    .execute();

const suspend = ({ id }: { id: number }, status: 'ACTIVE' | 'SUSPENDED' = 'SUSPENDED') =>
  scene.stack.database.updateTable('partners').set({ status }).where('id', '=', id).execute();

describe('access', () => {
  beforeAll(async () => {
    scene = await setGiftScene({ ACCESS_TOKEN_LIFETIME_SECONDS: '300' });
  });
  afterAll(() => scene?.stop());

  describe('log-in', () => {
    const refusals: readonly (readonly [string, Surface, () => Promise<string>, number, Reason])[] =
      [
        ['an unknown key', 'partner', async () => randomApiKey('test').key, 401, 'api-key-invalid'],
        [
          'an unknown key',
          'merchant',
          async () => randomApiKey('test').key,
          401,
          'api-key-invalid',
        ],
        ['a key that is none', 'partner', async () => 'secret', 401, 'api-key-invalid'],
        ['a merchant’s key', 'partner', async () => scene.merchant.apiKey, 401, 'api-key-invalid'],
        ['a partner’s key', 'merchant', async () => scene.partner.apiKey, 401, 'api-key-invalid'],
        [
          'a key of the production environment',
          'partner',
          async () => {
            const { key, prefix } = randomApiKey('production');
            const digest = scene.stack.digests.apiKey(key);
            await addApiKey(scene.stack.database, companyOf('partner', scene.partner), {
              name: 'live',
              prefix,
              digest,
            });
            return key;
          },
          401,
          'api-key-invalid',
        ],
        [
          'a revoked key',
          'partner',
          async () => {
            const key = await makeKey(scene.stack, companyOf('partner', scene.partner));
            await revokeKey(key);
            return key;
          },
          401,
          'api-key-invalid',
        ],
        [
          'the key of a suspended partner',
          'partner',
          async () => {
            const partner = await makePartner(scene.stack);
            await suspend(partner);
            return partner.apiKey;
          },
          403,
          'account-suspended',
        ],
      ];
    test.each(refusals)(
      'refuses %s on the %s API',
      async (_what, surface, keyOf, statusCode, reason) => {
        const key = await keyOf();
        const answer = await login(surface, key);
        expectRefused(answer, surface, statusCode, reason);
        expect(JSON.stringify(answer.body)).not.toContain(key);
      },
    );

    test.each([
      ['a merchant’s key', () => scene.merchant.apiKey, 'this is a key of the merchant API'],
      [
        'a live key',
        () => randomApiKey('production').key,
        'this is a live key, and this is the test environment',
      ],
    ])('says that %s is one', async (_what, keyOf, says) => {
      const answer = await login('partner', keyOf());
      expectRefusal(answer, 'partner', 401, { reason: 'api-key-invalid', says });
    });

    test.each(['partner', 'merchant'] as const)(
      'takes a key with what is copied along on the %s API',
      async (surface) => {
        const key = scene[surface].apiKey;
        for (const copied of [`${key}\n`, ` ${key}\r\n`, `\t${key} `, `\u200b${key}\u00a0`])
          expect((await login(surface, copied)).status).toBe(200);
      },
    );

    test.each(['partner', 'merchant'] as const)(
      'answers a token and no more on the %s API',
      async (surface) => {
        const { status, body } = await login(surface, scene[surface].apiKey);
        expect(status).toBe(200);
        expect(body).toEqual({
          accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          success: true,
          statusCode: 200,
          message: expect.any(String),
        });
        const { exp = 0, iat = 0 } = decodeJwt(body.accessToken);
        expect(exp - iat).toBe(300);
        expect((await withToken(surface, body.accessToken)).body).toEqual({
          test: 'success',
        });
      },
    );

    test('lets a deactivated merchant in, so that its operations can tell it', async () => {
      const merchant = await makeMerchant(scene.stack);
      const { voucherCode } = await scene.gift({ merchant });
      await scene.stack.database
        .updateTable('merchants')
        .set({ status: 'DEACTIVATED' })
        .where('id', '=', merchant.id)
        .execute();
      const client = await merchantClient(scene.stack, merchant);
      expect((await client.get(`/topup-transactions/${voucherCode}`)).body.statusCode).toBe(4043);
    });
  });

  describe('registered addresses', () => {
    test.each([
      [['127.0.0.1'], 200],
      [['127.0.0.0/8'], 200],
      [['10.0.0.0/8', '127.0.0.1'], 200],
      // Nobody can register it any more; a row from before lets nobody in.
      [['0.0.0.0/0'], 403],
      [[], 403],
      [['10.0.0.0/8', '192.168.1.1'], 403],
      [['nobody.example'], 403],
    ])('%j: %i at log-in and at requests', async (addresses, status) => {
      const partner = await makePartner(scene.stack);
      const { token } = await partnerClient(scene.stack, partner);
      await setAddresses(companyOf('partner', partner), addresses);
      await until(async () => expect((await withToken('partner', token)).status).toBe(status));
      const answer = await login('partner', partner.apiKey);
      expect(answer.status).toBe(status);
      if (status === 403) {
        expectRefused(answer, 'partner', 403, 'address-not-registered');
        expect(answer.body.message).toContain('127.0.0.1');
      }
    });

    test('are asked of the connection: X-Forwarded-For is what anybody may write', async () => {
      const merchant = await makeMerchant(scene.stack);
      await setAddresses(companyOf('merchant', merchant), ['10.1.2.3']);
      for (const forwarded of ['10.1.2.3', '127.0.0.1, 10.1.2.3', '10.1.2.3, 127.0.0.1']) {
        const answer = await login('merchant', merchant.apiKey, { 'X-Forwarded-For': forwarded });
        expectRefused(answer, 'merchant', 403, 'address-not-registered');
      }
    });
  });

  describe('an access token', () => {
    const endpoints = [partnerRoutes, merchantRoutes].flatMap(({ surface, basePath, endpoints }) =>
      endpoints
        .filter(({ access }) => access !== 'public')
        .flatMap(({ method, path, aliases = [] }) =>
          [path, ...aliases].map((one) => [method, basePath + one, surface] as const),
        ),
    );
    test.each(endpoints)('is needed for %s %s', async (method, path, surface) => {
      const before = await scene.holdings();
      const url = scene.stack.url + path.replace(/:\w+/, '1');
      const body = method === 'POST' ? '{"not": json' : undefined;
      for (const headers of [{}, { 'x-api-token': '' }, { Authorization: 'Basic eDp5' }]) {
        const answer = await call(url, {
          method,
          body,
          headers: headers as Record<string, string>,
        });
        expectRefused(answer, surface, 401, 'token-invalid');
        expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
      }
      expect(await scene.holdings()).toEqual(before);
    });

    test.each(['partner', 'merchant'] as const)(
      'is taken from Authorization too, on the %s API',
      async (surface) => {
        const { accessToken } = (await login(surface, scene[surface].apiKey)).body;
        for (const scheme of ['Bearer', 'bearer', 'Bearer ', 'Bearer \t'])
          expect((await ask(surface, { Authorization: `${scheme} ${accessToken}` })).status).toBe(
            200,
          );
        for (const word of ['Bearer ', 'bearer ', 'BEARER  '])
          expect((await ask(surface, { 'x-api-token': word + accessToken })).status).toBe(200);
        for (const same of [`Bearer ${accessToken}`, '']) {
          const both = { Authorization: `Bearer ${accessToken}`, 'x-api-token': same };
          expect((await ask(surface, both)).status).toBe(200);
        }
        for (const wrong of [`Bearer${accessToken}`, `Basic ${accessToken}`, 'Bearer '])
          expect((await ask(surface, { 'x-api-token': wrong })).status).toBe(401);
        const contradiction = { Authorization: `Bearer ${accessToken}`, 'x-api-token': 'other' };
        expectRefusal(await ask(surface, contradiction), surface, 401, {
          reason: 'token-invalid',
          says: 'x-api-token and Authorization have different tokens',
        });
        // Node.js joins the lines of a header.
        const twice = { 'x-api-token': `${accessToken}, ${accessToken}` };
        expectRefusal(await ask(surface, twice), surface, 401, {
          reason: 'token-invalid',
          says: 'x-api-token was sent more than once',
        });
      },
    );

    test.each(['partner', 'merchant'] as const)(
      'of the %s API is none for the other',
      async (surface) => {
        const { accessToken } = (await login(surface, scene[surface].apiKey)).body;
        const other = surface === 'partner' ? 'merchant' : 'partner';
        expectRefusal(await withToken(other, accessToken), other, 401, {
          reason: 'token-invalid',
          says: `this is an access token of the ${surface} API`,
        });
        expect((await withToken(surface, accessToken)).status).toBe(200);
        expectRefused(await withToken(other, accessToken), other, 401, 'token-invalid');
      },
    );

    test.each(['partner', 'merchant'] as const)(
      'is not the API key itself, and the %s API says so',
      async (surface) => {
        const key = scene[surface].apiKey;
        for (const headers of [{ 'x-api-token': key }, { Authorization: `Bearer ${key}` }])
          expectRefusal(await ask(surface, headers as Record<string, string>), surface, 401, {
            reason: 'token-invalid',
            says: /this is an API key.*POST \/auth\/login/,
          });
      },
    );

    /** The stack's own token, signed again with its own key, with something changed. */
    async function forged(
      changes: Record<string, unknown> = {},
      header: Record<string, unknown> = {},
      key: KeyObject = createPrivateKey(scene.stack.config.secrets.accessTokenPrivateKey),
    ): Promise<string> {
      const genuine = scene.asPartner.token;
      const payload = { ...decodeJwt(genuine), jti: randomUUID(), ...changes };
      const { alg = 'EdDSA', ...rest } = { ...decodeProtectedHeader(genuine), ...header };
      return new SignJWT(payload)
        .setProtectedHeader({ alg, ...rest })
        .sign(key, { crit: { exp: true } });
    }

    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const seconds = (offset: number) => Math.floor(Date.now() / 1_000) + offset;

    test('signed again without a change is accepted, so that the changes below are what is refused', async () => {
      expect((await withToken('partner', await forged())).status).toBe(200);
    });

    const otherKey = () => generateKeyPairSync('ed25519').privateKey;
    const curveKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

    /** `test/http/access/access-token.test.ts` has all forgeries; these are refused by the company's row, or by the route. */
    const cases: readonly (readonly [string, () => Promise<string>])[] = [
      ['is expired', () => forged({ iat: seconds(-310), exp: seconds(-10) })],
      ['is for the other API', () => forged({ aud: 'merchant' })],
      ['names another company', () => forged({ sub: String(scene.partner.id + 1) })],
      ['names another API key', () => forged({ api_key_id: 999_999 })],
      ['is of a revoked version', () => forged({ token_version: 0 })],
      ['brings a certificate', () => forged({}, { x5c: ['MIIB'] })],
      ['is signed by another key', () => forged({}, {}, otherKey())],
      ['is signed by another kind of key', () => forged({}, { alg: 'ES256' }, curveKey())],
      [
        'was altered',
        async () => {
          const [head, , signature] = scene.asPartner.token.split('.');
          return `${head}.${encoded({ ...decodeJwt(scene.asPartner.token), sub: '2' })}.${signature}`;
        },
      ],
      ['is garbage', async () => 'garbage'],
    ];
    test.each(cases)('that %s is refused', async (_what, tokenOf) => {
      const token = await tokenOf();
      const answer = await withToken('partner', token);
      expectRefused(answer, 'partner', 401, 'token-invalid');
      expect(answer.body.message).toContain('log in again');
      expect((await ask('partner', { Authorization: `Bearer ${token}` })).status).toBe(401);
    });
  });

  describe('within two seconds everywhere', () => {
    const soon = (status: number, send: () => Promise<Answer>) =>
      within(2, async () => expect((await send()).status).toBe(status));

    test('a revoked key ends its tokens, and no others', async () => {
      const company = companyOf('partner', scene.partner);
      const [old, next] = [
        await makeKey(scene.stack, company),
        await makeKey(scene.stack, company),
      ];
      const tokens = await Promise.all(
        [old, next].map(async (key) => (await login('partner', key)).body.accessToken),
      );
      expect((await withToken('partner', tokens[0])).status).toBe(200);
      await revokeKey(old);
      await soon(401, () => withToken('partner', tokens[0]));
      expect((await withToken('partner', tokens[1])).status).toBe(200);
      expect((await login('partner', old)).status).toBe(401);
    });

    test('a suspended partner is shut out, and let in again', async () => {
      const partner = await makePartner(scene.stack);
      const { token } = await partnerClient(scene.stack, partner);
      await suspend(partner);
      await soon(403, () => withToken('partner', token));
      expectRefused(await withToken('partner', token), 'partner', 403, 'account-suspended');
      await suspend(partner, 'ACTIVE');
      await soon(200, () => withToken('partner', token));
    });
  });

  describe('what belongs to others', () => {
    test('a partner learns nothing of another partner’s voucher', async () => {
      const other = await makePartner(scene.stack);
      const asOther = await partnerClient(scene.stack, other);
      const gift = await scene.gift();
      const verificationCode = await scene.claimed(scene.asPartner, gift);
      const foreign = { voucherCode: gift.voucherCode, verificationCode };
      const unknown = { voucherCode: '0000-0000-0000-0000', verificationCode };
      for (const path of [CLAIM, REDEEM]) {
        const answer = await asOther.post(path, foreign);
        expectRefused(answer, 'partner', 404, 'voucher-not-found');
        expect(answer.body).toEqual((await asOther.post(path, unknown)).body);
      }
      expect((await asOther.get('/info/get-current-balance')).body.data.reservedBalance).toBe(0);
    });

    test('a merchant learns nothing of a voucher that is restricted to another', async () => {
      const client = await merchantClient(scene.stack, await makeMerchant(scene.stack));
      const { voucherCode } = await scene.gift();
      const unknown = '0000-0000-0000-0000';
      const detail = await client.get(`/topup-transactions/${voucherCode}`);
      expectRefused(detail, 'merchant', 4041, 'voucher-not-found');
      expect(detail.body).toEqual((await client.get(`/topup-transactions/${unknown}`)).body);
      const claim = await client.post(CLAIM, { voucherCode });
      expectRefused(claim, 'merchant', 4041, 'voucher-not-found');
      expect(claim.body).toEqual((await client.post(CLAIM, { voucherCode: unknown })).body);
    });

    test('who asks is told by the token alone, whatever the body says', async () => {
      const other = await makePartner(scene.stack);
      const before = await scene.asPartner.get('/info/get-current-balance');
      const asOther = await partnerClient(scene.stack, other);
      done(
        await asOther.post(GENERATE, {
          denominationId: other.denominations[100],
          merchantId: scene.merchant.id,
          msisdn: null,
          partnerId: scene.partner.id,
          companyId: scene.partner.id,
          company: { kind: 'partner', id: scene.partner.id },
        }),
      );
      const after = await scene.asPartner.get('/info/get-current-balance');
      expect(after.body.data).toEqual(before.body.data);
    });
  });
});

describe('a production environment behind a proxy', () => {
  beforeAll(async () => {
    scene = await setGiftScene({ ENVIRONMENT: 'production', TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => scene?.stop());

  test('refuses keys of the test environment and takes its own', async () => {
    const { key, prefix } = randomApiKey('test');
    const digest = scene.stack.digests.apiKey(key);
    await addApiKey(scene.stack.database, companyOf('partner', scene.partner), {
      name: 'test',
      prefix,
      digest,
    });
    expectRefused(await login('partner', key), 'partner', 401, 'api-key-invalid');
    expect((await login('partner', scene.partner.apiKey)).status).toBe(200);
  });

  test.each([
    ['8.8.8.8, 10.1.2.3', 200],
    ['10.1.2.3, 8.8.8.8', 403],
    ['10.1.2.3, nonsense', 403],
  ])('believes X-Forwarded-For: %s as far as the proxy wrote it: %i', async (forwarded, status) => {
    const partner = await makePartner(scene.stack);
    await setAddresses(companyOf('partner', partner), ['10.1.2.3']);
    const answer = await login('partner', partner.apiKey, { 'X-Forwarded-For': forwarded });
    expect(answer.status).toBe(status);
  });
});
