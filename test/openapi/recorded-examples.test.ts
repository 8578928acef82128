import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signatureHeader } from '../../clients/typescript/src/index.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { type DemoAccess, makeDemoData } from '../../src/local/start/demo-data.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
import { call, newestCode } from '../support/clients.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

/**
 * The examples of the documents are what the service answers to these calls on the demo data. After a change
 * of an answer: `RECORD_EXAMPLES=1 npx vitest run --project integration test/openapi/recorded-examples.test.ts`,
 * then `npm run docs`.
 */
const isRecording = process.env.RECORD_EXAMPLES === '1';

type Recorded = Record<string, { request?: unknown; answer: unknown }>;
type Surface = 'partner' | 'merchant';

const PUBLIC_URL = 'https://api.example.com';
const OWNER = '+251911234567';

let stack: Stack;
let demo: DemoAccess;
const recorded: Record<Surface, Recorded> = { partner: {}, merchant: {} };

beforeAll(async () => {
  stack = await startStack({ PUBLIC_URL });
  demo = await makeDemoData(stack.database, {
    digests: stack.digests,
    keyCopies: undefined,
    environment: 'test',
  });
  await recordPartner();
  await recordMerchant();
});
afterAll(() => stack?.stop());

/** Values that differ with every run, by the name of their field. */
const FIXED: Readonly<Record<string, string>> = {
  key: 'gvs_test_0a1b2c3d4e5f_EXAMPLE',
  accessToken: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  voucherCode: '7H3K-9M2P-QX4R-T6WV',
  code: '7H3K-9M2P-QX4R-T6WV',
  verificationCode: '123456',
  serialNumber: '482193756041827305',
  referenceNumber: '5b1f6c1e-7a43-4a53-9a0f-8f6d2c9e1b70',
  referenceNo: '5b1f6c1e-7a43-4a53-9a0f-8f6d2c9e1b70',
  platformReferenceNumber: 'RDM-0123456789ABCDEF',
  providerReference: '5b1f6c1e-7a43-4a53-9a0f-8f6d2c9e1b70',
  day: '2026-01-31',
  expirationDate: '2027-01-31T09:30:00.000Z',
  promoEndDate: '2026-02-28T09:30:00.000Z',
};
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function normalised(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => normalised(one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [field, normalised(inner, field)]),
    );
  if (typeof value !== 'string') return value;
  // The attempt is told by the end of its reference.
  if (name === 'ourReference')
    return value.replace(/^[0-9a-f]+/, '82544c134bb7aa5e73a3347a0bfb59a3');
  if (value.startsWith('evt_')) return 'evt_4711';
  if (value.startsWith('RDM-')) return 'RDM-0123456789ABCDEF';
  if (/^[0-9]{16}-[0-9]+-[a-z]+$/.test(value)) return '1795687200000000-4711-gift';
  if (name === 'description') return value.replace(/[0-9]{18}/, FIXED.serialNumber ?? '');
  if (name === 'next' && !value.startsWith('https:')) return 'MGExYjJjM2Q0ZTVmIDQ3MTE';
  return FIXED[name] ?? (TIME.test(value) ? '2026-01-31T09:30:00.000Z' : value);
}

const bases: Record<Surface, string> = {
  partner: partnerRoutes.basePath,
  merchant: merchantRoutes.basePath,
};
const tokens: Partial<Record<Surface, string>> = {};

/** Makes a call and records it under its endpoint; its answer, as it was. */
async function record(
  surface: Surface,
  route: string,
  sent: { readonly body?: object; readonly path?: string; readonly status?: number } = {},
) {
  const [method = '', template = ''] = route.split(' ');
  const { body, path = template, status = 200 } = sent;
  const token = tokens[surface];
  const text = body && JSON.stringify(body);
  const key = createPrivateKey(demo.merchant.privateKeyPem);
  const answer = await call(stack.url + bases[surface] + path, {
    method,
    ...(text ? { body: text } : {}),
    headers: {
      ...(token ? { 'x-api-token': token } : {}),
      ...(surface === 'merchant' && text ? { 'x-signature': signatureHeader(key, text) } : {}),
    },
  });
  expect(answer.status, `${route}: ${JSON.stringify(answer.body)}`).toBe(status);
  if (status === 200)
    recorded[surface][route] = {
      ...(body ? { request: normalised(body) } : {}),
      answer: normalised(answer.body),
    };
  return answer.body;
}

async function logIn(surface: Surface): Promise<void> {
  const { accessToken } = await record(surface, 'POST /auth/login', {
    body: { key: demo[surface].apiKey },
  });
  tokens[surface] = accessToken;
}

const SALE = {
  exchangeRate: '57.25',
  currency: 'USD',
  originatingCountry: 'US',
  foreignCurrencyAmount: '1.75',
};

/** A voucher of 500 ETB for the demo merchant. */
const generate = () =>
  record('partner', 'POST /topup-transactions/generate-voucher', {
    body: gift(),
  });

const gift = () => ({
  denominationId: 3,
  merchantId: demo.merchant.id,
  msisdn: OWNER,
  ...SALE,
  foreignCurrencyAmount: '8.75',
});

async function recordPartner(): Promise<void> {
  await logIn('partner');
  const get = (path: string, query = '') =>
    record('partner', `GET ${path}`, { path: path + query });
  await get('/test');
  await get('/key');
  await get('/merchants', '?limit=1');
  await get('/merchant-categories', '?limit=1');
  await get('/promos', '?limit=1');
  await get('/product-list', '?limit=1&q=productCategory.categoryName=PACKAGES');
  await get('/product-categories-list', '?limit=1');
  await get('/gift-denominations', '?limit=1');
  await get('/info/get-current-balance');
  await record('partner', 'POST /partner-gift-denomination-prices', {
    body: { denominationId: 3, sellingPriceUsd: '4.80' },
  });
  await get('/partner-gift-denomination-prices', '?limit=1');
  const { id: voucherId, voucherCode } = (await generate()).data.voucher;
  await record('partner', 'POST /topup-transactions/initiate-claim', {
    body: { voucherCode, amount: 200 },
  });
  await record('partner', 'POST /quote', { body: { kind: 'GIFT', ...gift() } });
  await recordBulkOrder();
  await record('partner', 'POST /vouchers/:voucherId/resend', {
    path: `/vouchers/${voucherId}/resend`,
  });
  const verificationCode = await newestCode(stack, OWNER);
  await record('partner', 'POST /topup-transactions/redeem-gift', {
    body: { voucherCode, verificationCode },
  });
  const airtime = 'POST /topup-transactions/airtime-topup';
  await record('partner', airtime, { body: { amount: 100, msisdn: OWNER, ...SALE } });
  await record('partner', 'POST /topup-transactions/airtime-package-topup', {
    body: { productId: 3, msisdn: OWNER, ...SALE },
  });
  // 02: the operator refuses the number.
  const failed = await record('partner', airtime, {
    body: { amount: 100, msisdn: '+251911234502', ...SALE },
    status: 424,
  });
  const { transactionId } = failed.data;
  await record('partner', 'POST /topup-transactions/retry-topup', {
    body: { transactionId, msisdn: OWNER },
  });
  await get('/topup-transactions', '?limit=1');
  await record('partner', 'GET /topup-transactions/:transactionId', {
    path: `/topup-transactions/${transactionId}`,
  });
  await get('/vouchers', '?limit=1');
  await record('partner', 'GET /vouchers/:voucherId', { path: `/vouchers/${voucherId}` });
  await record('partner', 'POST /vouchers/:voucherId/cancel', {
    path: `/vouchers/${voucherId}/cancel`,
  });
  await get('/transactions', '?limit=1');
  await recordEvents('partner', 'voucher.redeemed', 1);
}

async function recordBulkOrder(): Promise<void> {
  const line = { denominationId: 3, merchantId: demo.merchant.id, msisdn: OWNER };
  const order = 'POST /vouchers/bulk';
  const { data } = await record('partner', order, {
    body: { lines: [1, 2].map((number) => ({ reference: `order-417/${number}`, ...line })) },
  });
  const path = `/bulk-orders/${data.bulkOrder.id}`;
  const read = () => record('partner', 'GET /bulk-orders/:bulkOrderId', { path });
  await until(async () => expect((await read()).data.bulkOrder.status).toBe('COMPLETED'));
  await record('partner', 'GET /bulk-orders/:bulkOrderId/lines', { path: `${path}/lines` });
  await record('partner', 'POST /bulk-orders/:bulkOrderId/cancel', {
    path: `${path}/cancel`,
  });
}

/** The events of a type once they are numbered. */
const recordEvents = (surface: Surface, type: string, count: number) =>
  until(async () => {
    const path = `/events?limit=${count}&type=${type}`;
    const { data } = await record(surface, 'GET /events', { path });
    expect(data.events).toHaveLength(count);
  });

async function recordMerchant(): Promise<void> {
  const { voucherCode } = (await generate()).data.voucher;
  await logIn('merchant');
  await record('merchant', 'POST /test', {});
  await record('merchant', 'GET /key', {});
  const metadata = '{"shop":"Bole","item":"Coffee"}';
  await record('merchant', 'POST /topup-transactions/initiate-claim', {
    body: { voucherCode, amount: 200, idempotencyKey: 'claim-2026-000417', metadata },
  });
  await record('merchant', 'GET /topup-transactions/:voucherCode', {
    path: `/topup-transactions/${voucherCode}`,
  });
  const verificationCode = await newestCode(stack, OWNER);
  await record('merchant', 'POST /topup-transactions/redeem-gift', {
    body: { voucherCode, verificationCode, idempotencyKey: 'redeem-2026-000417', metadata },
  });
  const list = await record('merchant', 'GET /redemptions', { path: '/redemptions?limit=1' });
  await record('merchant', 'GET /payouts', { path: '/payouts?limit=1' });
  const [{ id }] = list.data;
  await record('merchant', 'POST /redemptions/:redemptionId/reverse', {
    path: `/redemptions/${id}/reverse`,
    body: { reason: 'Wrong amount at the till', idempotencyKey: 'reverse-2026-000417' },
  });
  await recordEvents('merchant', 'payout.completed', 2);
}

it.each([
  ['partner', partnerRoutes.endpoints],
  ['merchant', merchantRoutes.endpoints],
] as const)('the examples of the %s API are its answers', (surface, endpoints) => {
  const routeOf = ({ method, path }: Endpoint) => `${method} ${path}`;
  expect(Object.keys(recorded[surface]).toSorted()).toEqual(endpoints.map(routeOf).toSorted());
  const file = `src/openapi/examples/${surface}.json`;
  const text = `${JSON.stringify(recorded[surface], null, 2)}\n`;
  if (isRecording) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
});
