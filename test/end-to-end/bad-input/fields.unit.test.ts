import { describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/domain/refusals.ts';
import { readBody } from '../../../src/http/body/read-body.ts';
import { merchantRoutes } from '../../../src/merchant/routes.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { CLAIM, GENERATE, REDEEM } from '../gift/gift-scene.ts';
import { noAmounts, noDecimals, noIds, noNumbers, noRates, PRICE } from './bad-values.ts';

/** Fields of the right request with the wrong content, by the declaration of every endpoint of the gift path. */
interface GoodRequest {
  readonly surface: Surface;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const both = ['partner', 'merchant'] as const;
const key = { idempotencyKey: '7f5c1fd2' };
const voucherCode = 'AAAA-AAAA-AAAA-AAAA';

const claimOf = (surface: Surface): GoodRequest => ({
  surface,
  path: CLAIM,
  body: { voucherCode, amount: 40, ...(surface === 'merchant' && key) },
});
const redemptionOf = (surface: Surface): GoodRequest => ({
  surface,
  path: REDEEM,
  body: {
    voucherCode,
    verificationCode: '123456',
    msisdn: '+251911234550',
    ...(surface === 'merchant' && key),
  },
});
const anonymousRedemptionOf = (surface: Surface): GoodRequest => ({
  surface,
  path: REDEEM,
  body: { voucherCode, amount: 40, ...(surface === 'merchant' && key) },
});
const claims = both.map(claimOf);
const redemptions = both.map(redemptionOf);
const anonymousRedemptions = both.map(anonymousRedemptionOf);
const generation: GoodRequest = {
  surface: 'partner',
  path: GENERATE,
  body: {
    denominationId: 1,
    merchantId: 2,
    msisdn: '0911234550',
    exchangeRate: '57.2',
    currency: 'USD',
    originatingCountry: 'US',
    foreignCurrencyAmount: '1.75',
  },
};
const price: GoodRequest = {
  surface: 'partner',
  path: PRICE,
  body: { denominationId: 1, sellingPriceUsd: '1.10' },
};
/** What the endpoint makes of a request: its body, or what is wrong. */
async function read({ surface, path, body }: GoodRequest, change: object = {}) {
  const { endpoints } = surface === 'partner' ? partnerRoutes : merchantRoutes;
  const endpoint = endpoints.find((one) => one.method === 'POST' && one.path === path);
  if (!endpoint) throw new Error(`No endpoint is at ${path}`);
  const text = JSON.stringify({ ...body, ...change });
  const done = await readBody(endpoint, Buffer.from(text), 'application/json');
  if ('reason' in done) throw new Error(done.detail);
  return done.result;
}

const bulk: GoodRequest = {
  surface: 'partner',
  path: '/vouchers/bulk',
  body: { lines: [{ reference: 'a', ...generation.body }] },
};
const quote: GoodRequest = {
  surface: 'partner',
  path: '/quote',
  body: { kind: 'GIFT', ...generation.body },
};
const emptied = [...claims, ...redemptions, ...anonymousRedemptions, generation, price, quote];

describe('an empty text in a body says so', () => {
  const empty = ['', ' ', '\u202a\u00a0\u200b\n'];
  test.each(
    emptied.flatMap((request) =>
      // A code of another form is a wrong code, and no mistake of the request.
      Object.keys(request.body)
        .filter((field) => !field.endsWith('Code'))
        .map((field) => [`${request.surface} ${request.path}`, field, request] as const),
    ),
  )('%s: %s', async (_name, path, request) => {
    for (const text of empty)
      expect(await read(request, { [path]: text })).toEqual({
        ok: false,
        issues: [{ path, message: 'must not be empty' }],
      });
  });

  test.each(Object.keys(generation.body))('in a line of a bulk order: %s', async (field) => {
    for (const text of empty) {
      const lines = [{ reference: 'a', ...generation.body, [field]: text }];
      expect(await read(bulk, { lines })).toEqual({
        ok: false,
        issues: [{ path: `lines.0.${field}`, message: 'must not be empty' }],
      });
    }
  });
});

const cases = (requests: readonly GoodRequest[], field: string, values: readonly unknown[]) =>
  requests.map(
    (request) => [`${request.surface} ${request.path}`, field, request, values] as const,
  );

describe.each([
  ...cases([...claims, ...anonymousRedemptions], 'amount', noAmounts),
  ...cases([generation, price], 'denominationId', [...noIds, null]),
  ...cases([generation, redemptionOf('partner')], 'merchantId', noIds),
  ...cases([generation, ...redemptions], 'msisdn', noNumbers),
  ...cases([generation], 'exchangeRate', noRates),
  ...cases([generation], 'foreignCurrencyAmount', noRates),
  ...cases([price], 'sellingPriceUsd', [...noDecimals, null]),
  ...cases([generation], 'currency', ['', 'US', 'DOLLAR', 'US$', 5, {}, [], 'ÜSD']),
  ...cases([generation], 'originatingCountry', ['', 'Nowhere', 'XX', 'ZZ', 'U', 5, {}, []]),
  ...cases([generation], 'isRestricted', ['true', 'false', 0, 1, '', {}, []]),
  ...cases([...claims, ...redemptions], 'voucherCode', [
    ...['', null, 5, 1e21, true, {}, [], ['A'], { $ne: '' }, 'A'.repeat(101)],
  ]),
  ...cases(redemptions, 'verificationCode', [
    ...[12_345, true, {}, [], ['123456'], { $ne: '' }, '1'.repeat(101)],
  ]),
  ...cases([claimOf('merchant'), redemptionOf('merchant')], 'idempotencyKey', [
    ...['', ' ', 'k'.repeat(201), 'ключ', 'a\u0001b', 5, null, true, {}, []],
  ]),
  ...cases([claimOf('merchant'), redemptionOf('merchant')], 'metadata', [
    ...['', '{', 'text', "{'a':1}", '{"a":1} x', { a: 1 }, 5, true, [], `"${'m'.repeat(4_096)}"`],
  ]),
])('%s: %s', (_name, field, request, values) => {
  test('takes the right one', async () => {
    expect(await read(request)).toMatchObject({ ok: true });
  });

  test.each(values.map((value) => [JSON.stringify(value).slice(0, 60), value] as const))(
    'refuses %s',
    async (_shown, value) => {
      const issue = { path: field, message: expect.stringMatching(/^must \w+/) };
      const result = await read(request, { [field]: value });
      const issues = result.ok ? [] : result.issues;
      expect(issues.length).toBeGreaterThan(0);
      for (const one of issues) expect(one).toEqual(issue);
    },
  );
});
