import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findApiKey } from '../../../src/db/access/access.ts';
import { liftFence, raiseFence } from '../../../src/db/recovery.ts';
import type { Operation, Reason } from '../../../src/domain/refusals.ts';
import { messageOf } from '../../../src/domain/refusals.ts';
import { partnerRoutes } from '../../../src/partner/routes.ts';
import { type Answer, partnerClient, type RawPartner } from '../../support/clients.ts';
import { deposit, makeMerchant, makePartner, type TestPartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTopupProducts, type TopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { sale } from '../topups/topup-scene.ts';

type Kind = 'GIFT' | 'AIRTIME' | 'PACKAGE';

const calls: Readonly<Record<Kind, { readonly path: string; readonly operation: Operation }>> = {
  GIFT: { path: '/topup-transactions/generate-voucher', operation: 'generate-voucher' },
  AIRTIME: { path: '/topup-transactions/airtime-topup', operation: 'airtime-topup' },
  PACKAGE: {
    path: '/topup-transactions/airtime-package-topup',
    operation: 'airtime-package-topup',
  },
};

/** A partner of its own for each case, because cases change it. */
interface Side {
  readonly partner: TestPartner;
  readonly client: RawPartner;
  readonly products: TopupProducts;
  readonly keyId: number;
  readonly body: (kind: Kind, changes?: object) => object;
}

let stack: Stack;
let merchantId: number;
beforeAll(async () => {
  // Guards keep what they knew for a moment, so that the checks behind them are reached.
  stack = await startStack({
    ACCESS_CACHE_SECONDS: '2',
    VOUCHERS_PER_NUMBER_AND_DAY: '1',
    TOPUPS_PER_NUMBER_AND_DAY: '1',
  });
  merchantId = (await makeMerchant(stack)).id;
});
afterAll(() => stack?.stop());

let numbers = 0;
const freshNumber = (): string => {
  numbers += 1;
  return `+2519114${String(numbers).padStart(2, '0')}050`;
};

/** The changes of its key are there before its first log-in. */
async function side(
  options: { readonly giftWallet?: string; readonly airtime?: string; readonly key?: object } = {},
): Promise<Side> {
  const { giftWallet = '1000', airtime = '1000' } = options;
  const partner = await makePartner(stack, { giftWallet });
  const products = await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, airtime, 'airtime');
  const key = await findApiKey(stack.database, 'partner', stack.digests.apiKey(partner.apiKey));
  if (options.key) await set('api_keys', key?.id ?? Number.NaN, options.key);
  const client = await partnerClient(stack, partner);
  const msisdn = freshNumber();
  const bodies = {
    GIFT: { denominationId: partner.denominations[100], merchantId, msisdn },
    AIRTIME: { amount: '50', msisdn, ...sale },
    PACKAGE: { productId: products.ethioPackage, msisdn, ...sale },
  };
  const body = (kind: Kind, changes: object = {}) => ({ ...bodies[kind], ...changes });
  return { partner, client, products, keyId: key?.id ?? Number.NaN, body };
}

const quote = ({ client }: Side, kind: Kind, body: object): Promise<Answer> =>
  client.post('/quote', { kind, ...body });

const carryOut = ({ client }: Side, kind: Kind, body: object): Promise<Answer> =>
  client.post(calls[kind].path, body, { 'Idempotency-Key': randomUUID() });

const set = (table: 'partners' | 'api_keys', id: number, changes: object) =>
  stack.database.updateTable(table).set(changes).where('id', '=', id).execute();

const unproducted = async (): Promise<Side> => {
  const one = await side();
  await stack.database
    .deleteFrom('partner_products')
    .where('partner_id', '=', one.partner.id)
    .execute();
  return one;
};

/** A side after one call, and the body of another call. */
async function after(kind: Kind, one: Side, again: object = {}) {
  expect((await carryOut(one, kind, one.body(kind))).status).toBe(200);
  return { one, body: one.body(kind, again) };
}

type Arranged = { readonly one: Side; readonly body: object };
type Row = readonly [kind: Kind, reason: Reason, arrange: () => Promise<Arranged>, when?: string];

/** Refused requests change nothing, so that cases of wrong fields share a partner. */
let shared: Promise<Side> | undefined;
const unchanged = (): Promise<Side> => {
  shared ??= side();
  return shared;
};

const withBody = (kind: Kind, changes: object) => async () => {
  const one = await unchanged();
  return { one, body: one.body(kind, changes) };
};
const without = (kind: Kind, make: () => Promise<Side>) => async () => {
  const one = await make();
  return { one, body: one.body(kind) };
};
const OF_THE_CALLER: readonly Reason[] = ['account-suspended', 'token-invalid'];
const UNKNOWN = 999_999_999;
const KINDS = ['GIFT', 'AIRTIME', 'PACKAGE'] as const;

const rows: readonly Row[] = [
  ...KINDS.flatMap((kind): Row[] => [
    [kind, 'scope-missing', without(kind, () => side({ key: { scopes: ['read'] } }))],
    [
      kind,
      'account-suspended',
      without(kind, async () => {
        const one = await side();
        await set('partners', one.partner.id, { status: 'SUSPENDED' });
        return one;
      }),
    ],
    [
      kind,
      'token-invalid',
      without(kind, async () => {
        const one = await side();
        await set('api_keys', one.keyId, { revoked_at: new Date() });
        return one;
      }),
    ],
    [kind, 'product-not-accessible', without(kind, unproducted)],
    [kind, 'money-insufficient', without(kind, () => side({ giftWallet: '99.99', airtime: '14' }))],
    [kind, 'number-limit-reached', async () => after(kind, await side())],
    [
      kind,
      'daily-limit-reached',
      async () => {
        const limits = { daily_amount: '110', daily_operations: 1 };
        return after(kind, await side({ key: limits }), { msisdn: freshNumber() });
      },
    ],
    [
      kind,
      'number-limit-reached',
      async () => after(kind, await side({ key: { daily_operations: 1 } })),
      'and the daily limit as well',
    ],
  ]),
  ['GIFT', 'country-not-served', withBody('GIFT', { msisdn: '+14155552671' })],
  ['GIFT', 'denomination-not-found', withBody('GIFT', { denominationId: UNKNOWN })],
  ['GIFT', 'merchant-not-found', withBody('GIFT', { merchantId: UNKNOWN })],
  [
    'GIFT',
    'price-not-defined',
    async () => {
      const one = await unchanged();
      const denominationId = one.partner.denominations.unpriced;
      return { one, body: one.body('GIFT', { denominationId }) };
    },
  ],
  ['AIRTIME', 'number-not-served', withBody('AIRTIME', { msisdn: '+14155552671' })],
  ['AIRTIME', 'amount-out-of-range', withBody('AIRTIME', { amount: '4.99' })],
  ['PACKAGE', 'number-not-served', withBody('PACKAGE', { msisdn: '+14155552671' })],
  ['PACKAGE', 'operator-mismatch', withBody('PACKAGE', { msisdn: '0711234550' })],
  ['PACKAGE', 'product-not-accessible', withBody('PACKAGE', { productId: UNKNOWN }), 'unknown'],
];

test.each(rows.map(([kind, reason, arrange, when = '']) => [kind, reason, when, arrange] as const))(
  'the quote and the call answer the same: %s %s %s',
  async (kind, reason, _when, arrange) => {
    const { one, body } = await arrange();
    const quoted = await quote(one, kind, body);
    const refused = await carryOut(one, kind, body);
    const { statusCode, message } = refused.body;
    expect(message).toContain(messageOf(reason));
    if (OF_THE_CALLER.includes(reason) && quoted.status !== 200) {
      // The guards have learned it in the meantime, and refuse both calls.
      expect(quoted.body).toEqual(refused.body);
      return;
    }
    expect(quoted.body.data, quoted.body.message).toMatchObject({ kind, accepted: false });
    const { retryAfterSeconds, ...refusal } = quoted.body.data.refusal;
    expect(refusal).toEqual({ statusCode, message, reason: refused.body.data.reason });
    const pause = Number(refused.headers.get('Retry-After') ?? 0);
    expect(Math.abs((retryAfterSeconds ?? 0) - pause)).toBeLessThanOrEqual(60);
    expect(retryAfterSeconds === null).toBe(pause === 0);
  },
);

test.each([
  ['alone', {}],
  ['and every other mistake', { denominationId: 'x', msisdn: '12' }],
])('the quote names a missing merchant as the call does: %s', async (_what, wrong) => {
  const one = await side();
  const body = one.body('GIFT', { ...wrong, merchantId: null });
  const [quoted, refused] = [await quote(one, 'GIFT', body), await carryOut(one, 'GIFT', body)];
  expect(quoted.body.data.reason).toBe('merchant-unspecified');
  expect(quoted.body).toEqual(refused.body);
});

/** Answers to what was accepted, or to a repetition; a quote is about a new request. */
const OF_THE_COURSE: readonly Reason[] = [
  'database-failed',
  'key-reused',
  'still-processing',
  'generation-unknown',
  'topup-failed',
  'topup-delivered-since',
  'topup-retried-since',
];

test('every refusal of the calls before they are accepted has its row', () => {
  for (const kind of KINDS) {
    const endpoint = partnerRoutes.endpoints.find(
      ({ operation }) => operation === calls[kind].operation,
    );
    // A body without a merchant is compared above.
    const reached: Reason[] = ['merchant-unspecified'];
    for (const [of, reason] of rows) if (of === kind) reached.push(reason);
    const lacking = endpoint?.reasons.filter((reason) => !reached.includes(reason));
    expect(lacking?.filter((reason) => !OF_THE_COURSE.includes(reason))).toEqual([]);
  }
});

test.each([
  ['GIFT', '100.000000', '1.000000', null],
  ['AIRTIME', '50.000000', null, 'ETHIO_TELECOM'],
  ['PACKAGE', '15.000000', null, 'ETHIO_TELECOM'],
] as const)(
  'what a quote says of %s is charged, and quotes count nothing',
  async (kind, total, price, operator) => {
    const one = await side({ key: { daily_operations: 1 } });
    const wallet = kind === 'GIFT' ? 'gift' : 'airtime';
    const expected = {
      kind,
      accepted: true,
      amount: total,
      total,
      currency: 'ETB',
      wallet,
      balance: '1000.000000',
      sellingPriceUsd: price,
      operator,
      refusal: null,
    };
    for (let times = 0; times < 3; times += 1)
      expect((await quote(one, kind, one.body(kind))).body.data).toEqual(expected);
    expect((await carryOut(one, kind, one.body(kind))).status).toBe(200);
    const { balance } = await stack.database
      .selectFrom('ledger_accounts')
      .select('balance')
      .where('partner_id', '=', one.partner.id)
      .where('kind', '=', wallet)
      .executeTakeFirstOrThrow();
    expect(Number(balance)).toBe(1_000 - Number(total));
  },
);

test('a quote takes the fields of its call, by the same rules', async () => {
  const one = await unchanged();
  const wrong = (kind: string, body: object) => one.client.post('/quote', { kind, ...body });
  for (const kind of KINDS) {
    const spoiled = { ...one.body(kind), msisdn: 'nobody' };
    const refused = await wrong(kind, spoiled);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual((await carryOut(one, kind, spoiled)).body);
  }
  expect((await wrong('CAKE', {})).body.message).toContain(
    'kind: must be GIFT, AIRTIME or PACKAGE',
  );
});

test('the quote and the call answer the same while the service is being recovered', async () => {
  const one = await unchanged();
  const { database } = stack;
  const fenceId = await database
    .transaction()
    .execute((transaction) => raiseFence(transaction, new Date()));
  onTestFinished(() =>
    database.transaction().execute((transaction) => liftFence(transaction, fenceId)),
  );
  for (const kind of KINDS) {
    const refused = await until(async () => {
      // Until the process has seen the fence, the fields are read.
      const answer = await carryOut(one, kind, {});
      expect(answer.status).toBe(503);
      return answer;
    });
    const quoted = await quote(one, kind, one.body(kind));
    expect(quoted.body.data).toMatchObject({
      accepted: false,
      refusal: {
        statusCode: 503,
        reason: 'unavailable',
        message: refused.body.message,
        retryAfterSeconds: Number(refused.headers.get('Retry-After')),
      },
    });
  }
});
