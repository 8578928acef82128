import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/domain/refusals.ts';
import type { Answer } from '../../support/clients.ts';
import {
  CLAIM,
  done,
  GENERATE,
  type Gift,
  type GiftScene,
  newOwner,
  REDEEM,
  setGiftScene,
} from '../gift/gift-scene.ts';
import { PRICE } from './bad-values.ts';
import { expectHarmless, expectRefusal } from './refusals.ts';

/** A field of the right request with the wrong content, on every endpoint of the gift path. */
let scene: GiftScene;
let claimed: Readonly<Record<Surface, { gift: Gift; verificationCode: string }>>;
let anonymous: Gift;

beforeAll(async () => {
  scene = await setGiftScene();
  const claimBy = async (client: GiftScene['asPartner'] | GiftScene['asMerchant']) => {
    const gift = await scene.gift();
    return { gift, verificationCode: await scene.claimed(client, gift) };
  };
  claimed = {
    partner: await claimBy(scene.asPartner),
    merchant: await claimBy(scene.asMerchant),
  };
  anonymous = await scene.gift({ owner: null });
});
afterAll(() => scene?.stop());

/** A request that would be carried out as it is. */
interface GoodRequest {
  readonly surface: Surface;
  readonly path: string;
  body(): Record<string, unknown>;
}

const claimOf = (surface: Surface): GoodRequest => ({
  surface,
  path: CLAIM,
  body: () => ({ voucherCode: claimed[surface].gift.voucherCode, amount: 40 }),
});
const redemptionOf = (surface: Surface): GoodRequest => ({
  surface,
  path: REDEEM,
  body: () => {
    const { gift, verificationCode } = claimed[surface];
    return { voucherCode: gift.voucherCode, verificationCode, msisdn: gift.owner };
  },
});
const anonymousRedemptionOf = (surface: Surface): GoodRequest => ({
  surface,
  path: REDEEM,
  body: () => ({ voucherCode: anonymous.voucherCode, amount: 40 }),
});
const generation: GoodRequest = {
  surface: 'partner',
  path: GENERATE,
  body: () => ({
    denominationId: scene.partner.denominations[100],
    merchantId: scene.merchant.id,
    msisdn: '0911234550',
    exchangeRate: '57.2',
    currency: 'USD',
    originatingCountry: 'US',
    foreignCurrencyAmount: '1.75',
  }),
};
const price: GoodRequest = {
  surface: 'partner',
  path: PRICE,
  body: () => ({ denominationId: scene.partner.denominations[100], sellingPriceUsd: '1.10' }),
};

/** Sends a good request with some fields replaced. */
function send({ surface, path, body }: GoodRequest, change: object): Promise<Answer> {
  const { post } = surface === 'partner' ? scene.asPartner : scene.asMerchant;
  return post(path, { ...body(), ...change });
}

/** That a changed field is refused by its name, and nothing was done. */
async function expectFieldRefused(request: GoodRequest, field: string, value: unknown) {
  const before = await scene.holdings();
  const prices = await priceCount();
  const answer = await send(request, { [field]: value });
  expectRefusal(answer, request.surface, 400, { reason: 'request-invalid', says: `${field}: ` });
  expectHarmless(answer, scene);
  if (request.surface === 'partner')
    expect(answer.body.data.issues).toEqual([
      { path: field, message: expect.stringMatching(/^must \w+/) },
    ]);
  expect(await scene.holdings()).toEqual(before);
  expect(await priceCount()).toBe(prices);
}

async function priceCount(): Promise<number> {
  const { count } = await scene.stack.database
    .selectFrom('partner_gift_denomination_prices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

const named = (requests: readonly GoodRequest[]) =>
  requests.map((request) => [`${request.surface} ${request.path}`, request] as const);

/** One field each: which values are refused is proven by fields.unit.test.ts. */
test.each([
  [claimOf('partner'), 'amount', 0],
  [claimOf('merchant'), 'metadata', '{'],
  [anonymousRedemptionOf('partner'), 'amount', '1e2'],
  [anonymousRedemptionOf('merchant'), 'amount', -1],
  [redemptionOf('partner'), 'msisdn', 'abc'],
  [redemptionOf('merchant'), 'idempotencyKey', ' '],
  [generation, 'denominationId', '1; drop table vouchers'],
  [price, 'sellingPriceUsd', null],
] as const)('$0.surface $0.path refuses its $1 $2', expectFieldRefused);

describe('several wrong fields', () => {
  test('are all named, to the partner one by one', async () => {
    const answer = await send(generation, { denominationId: 0, msisdn: 'x', currency: 'x' });
    const paths = answer.body.data.issues.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['denominationId', 'msisdn', 'currency']);
    for (const path of paths) expect(answer.body.message).toContain(`${path}: `);
  });

  test('are named beside the missing merchant', async () => {
    const change = { denominationId: 'x', msisdn: '12', merchantId: undefined };
    const answer = await send(generation, change);
    expectRefusal(answer, 'partner', 400, { reason: 'merchant-unspecified' });
    const paths = answer.body.data.issues.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['denominationId', 'msisdn', 'merchantId']);
    for (const path of paths) expect(answer.body.message).toContain(`${path}: `);
  });

  test('are named beside a wrong idempotency key', async () => {
    const answer = await scene.asPartner.post(
      generation.path,
      { ...generation.body(), msisdn: 'x' },
      { 'Idempotency-Key': 'k'.repeat(201) },
    );
    expect(answer.body.message).toMatch(/msisdn: .*Idempotency-Key: /);
  });

  test('are named in the message to the merchant', async () => {
    const { body } = await send(claimOf('merchant'), { amount: -1, metadata: '{' });
    expect(body.message).toMatch(/amount: .*metadata: /);
    expect(body.data).toBeNull();
  });
});

describe('what was sent', () => {
  test.each(
    named([
      generation,
      price,
      claimOf('partner'),
      claimOf('merchant'),
      redemptionOf('partner'),
      redemptionOf('merchant'),
    ]),
  )('never comes back in a refusal of %s', async (_name, request) => {
    const canary = `canary-${randomUUID()}`;
    const fields = Object.keys(request.body());
    for (const value of [canary, { [canary]: canary }, [canary], `${canary}${'x'.repeat(200)}`]) {
      const change = Object.fromEntries(fields.map((field) => [field, value]));
      const answer = await send(request, {
        ...change,
        metadata: canary,
        idempotencyKey: `${canary}\n`,
      });
      expect([400, 404]).toContain(answer.status);
      expectHarmless(answer, scene);
      expect(JSON.stringify(answer.body)).not.toContain('canary');
    }
  });

  test('is a wrong code, and not an invalid request, where it could be one', async () => {
    const before = await scene.holdings();
    for (const surface of ['partner', 'merchant'] as const) {
      const statusCode = surface === 'partner' ? 403 : 4035;
      for (const verificationCode of ['abcdef', '12345６', "' or 1=1", '0'.repeat(100)].slice(
        surface === 'partner' ? 0 : 2,
      )) {
        const { body } = await send(redemptionOf(surface), { verificationCode });
        expect([statusCode, 429]).toContain(body.statusCode);
      }
    }
    expect(await scene.holdings()).toEqual(before);
  });

  test('is an unknown code, and not an invalid request, where it could be one', async () => {
    const codes = ['0', 'AAAA-AAAA-AAAA-AAAA', '-', "' or 1=1 --", '١٢٣٤', '😀', '%00', '../..'];
    for (const voucherCode of codes) {
      for (const surface of ['partner', 'merchant'] as const)
        for (const request of [claimOf(surface), redemptionOf(surface)]) {
          const answer = await send(request, { voucherCode });
          const statusCode = surface === 'partner' ? 404 : 4041;
          expectRefusal(answer, surface, statusCode, { reason: 'voucher-not-found' });
        }
    }
    for (const code of ["'%20or%201=1", '%F0%9F%98%80', '%00', '..%2f..', 'a'.repeat(100)]) {
      const answer = await scene.asMerchant.get(`/topup-transactions/${code}`);
      expectRefusal(answer, 'merchant', 4041, { reason: 'voucher-not-found' });
    }
    const long = await scene.asMerchant.get(`/topup-transactions/${'a'.repeat(101)}`);
    expectRefusal(long, 'merchant', 400, { reason: 'request-invalid', says: 'voucherCode: ' });
  });
});

describe('a hostile field', () => {
  test.each([
    ['__proto__', '{"__proto__":{"isRestricted":false,"polluted":true}}'],
    ['constructor', '{"constructor":{"prototype":{"polluted":true}}}'],
    ['__proto__ in a list', '{"x":[{"__proto__":{"polluted":true}}]}'],
    [
      'the names of columns',
      '{"status":"REDEEMED","amount":1,"partner_id":1,"partnerId":1,"id":1}',
    ],
    ['the names of methods', '{"toString":1,"hasOwnProperty":1,"then":1,"toJSON":1}'],
  ])('%s changes nothing of what is done', async (_what, text) => {
    const good = JSON.stringify({ ...generation.body(), msisdn: null });
    const { data } = done(
      await scene.asPartner.post(GENERATE, `${good.slice(0, -1)},${text.slice(1)}` as never),
    ).body;
    expect(data.voucher.amount).toBe('100.000000');
    const { is_restricted, partner_id } = await scene.stack.database
      .selectFrom('vouchers')
      .select(['is_restricted', 'partner_id'])
      .where('id', '=', Number(data.voucher.id))
      .executeTakeFirstOrThrow();
    expect([is_restricted, partner_id]).toEqual([true, scene.partner.id]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('in place of the wanted one by inheritance is a missing field', async () => {
    const text = JSON.stringify({ merchantId: scene.merchant.id }).replace(
      '{',
      '{"__proto__":{"denominationId":1,"msisdn":null},',
    );
    const answer = await scene.asPartner.post(GENERATE, text as never);
    expectRefusal(answer, 'partner', 400, { reason: 'request-invalid', says: 'denominationId: ' });
  });
});

describe('the metadata of a merchant', () => {
  test.each([
    '{"product":"ቡና ☕ <b>\\"&\'","price":12.50}',
    '"</script><script>alert(1)</script>"',
    '{"a":"\\u0000","b":"\\ud800"}',
    '{"__proto__":{"polluted":true}}',
    ' [ 1, 2 ] ',
    'null',
    `"${'m'.repeat(4_094)}"`,
  ])('comes back exactly as it was sent: %s', async (metadata) => {
    const gift = await scene.gift();
    const { voucherCode } = gift;
    const claim = done(await scene.asMerchant.post(CLAIM, { voucherCode, metadata, amount: 40 }));
    expect(claim.body.data.metadata).toBe(metadata);
  });

  test('is absent when there was none', async () => {
    const { voucherCode } = await scene.gift();
    const claim = done(
      await scene.asMerchant.post(CLAIM, { voucherCode, idempotencyKey: 'own key' }),
    );
    expect(claim.body.data).toEqual({
      message: expect.any(String),
      idempotencyKey: 'own key',
    });
  });
});

describe('codes and numbers as people write them', () => {
  test('are understood', async () => {
    const owner = newOwner();
    const gift = await scene.gift({
      owner: `0${owner.slice(4, 6)} ${owner.slice(6, 9)}-${owner.slice(9)}`,
    });
    const spelled = {
      ...gift,
      owner,
      voucherCode: ` ${gift.voucherCode.toLowerCase().replaceAll('-', ' ')}`,
    };
    const verificationCode = await scene.claimed(scene.asMerchant, spelled);
    const redeemed = await scene.asMerchant.post(REDEEM, {
      voucherCode: spelled.voucherCode,
      verificationCode: ` ${verificationCode.slice(0, 3)}-${verificationCode.slice(3)} `,
      msisdn: `251 ${owner.slice(4)}`,
    });
    expect(redeemed.status).toBe(200);
  });
});
