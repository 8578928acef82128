import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Airtime } from '../../src/providers/airtime/airtime.ts';
import { createDtOneAirtime } from '../../src/providers/airtime/dt-one/client.ts';
import { createGsmaMobileMoney } from '../../src/providers/mobile-money/gsma/client.ts';
import type { MobileMoney } from '../../src/providers/mobile-money/mobile-money.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { answerWith, startRawServer } from './raw-server.ts';
import { since, statementLines } from './statement-lines.ts';

/** The statements of the adapters, over HTTP. */
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, delayScale: 0 });
});
afterEach(() => sandbox.close());

const gsmaAt = (baseUrl: string): MobileMoney =>
  createGsmaMobileMoney({ baseUrl, account: '2999', timeoutSeconds: 5 });
const dtOneAt = (baseUrl: string): Airtime =>
  createDtOneAirtime({
    baseUrl,
    key: 'key',
    secret: 'secret',
    rangedProducts: { ETHIO_TELECOM: 1001, SAFARICOM_ETHIOPIA: 1002 },
    timeoutSeconds: 5,
  });

const payment = (suffix = '000') => ({
  reference: randomUUID(),
  amount: '20.00',
  currency: 'ETB',
  payee: [{ key: 'msisdn', value: `+251911223${suffix}` }],
  description: 'Gift voucher redemption RDM-1, voucher GV-1',
});

test('payouts of several pages, shorter than we ask for, are listed once each; those of another time and account are not', async () => {
  const gsma = gsmaAt(sandbox.mobileMoneyUrl);
  await gsma.pay(payment());
  const begin = new Date(Date.now() + 1);
  while (Date.now() <= begin.getTime());
  const payments = Array.from({ length: 120 }, () => payment());
  await Promise.all(payments.map(gsma.pay));
  const failed = payment('004');
  await gsma.pay(failed);
  await createGsmaMobileMoney({
    baseUrl: sandbox.mobileMoneyUrl,
    account: 'other',
    timeoutSeconds: 5,
  }).pay(payment());

  const found = await statementLines(gsma, since(begin));
  expect(found.map(({ reference }) => reference).toSorted()).toEqual(
    [...payments, failed].map(({ reference }) => reference).toSorted(),
  );
  const [first] = payments;
  expect(found.find(({ reference }) => reference === first?.reference)).toMatchObject({
    status: 'completed',
    amount: '20.00',
    currency: 'ETB',
    party: first?.payee.map(({ key, value }) => `${key} ${value}`).join(),
    description: first?.description,
  });
  expect(found.find(({ reference }) => reference === failed.reference)?.status).toBe('failed');
});

test('a reversed payout is reversed, and its reversal is a line of its own', async () => {
  const gsma = gsmaAt(sandbox.mobileMoneyUrl);
  const paid = payment();
  const outcome = await gsma.pay(paid);
  if (outcome.kind !== 'delivered') throw new Error(outcome.kind);
  const reversal = {
    reference: randomUUID(),
    payment: paid,
    paymentReference: outcome.providerReference,
    description: 'Reversal',
  };
  await gsma.reversals?.reverse(reversal);
  const found = await statementLines(gsma, since(new Date(Date.now() - 60_000)));
  expect(found.map(({ kind, reference, status }) => [kind, reference, status])).toEqual([
    ['reversal', reversal.reference, 'completed'],
    ['payment', paid.reference, 'reversed'],
  ]);
});

test('top-ups of several pages and days are listed once each', async () => {
  const dtOne = dtOneAt(sandbox.airtimeUrl);
  const orders = Array.from({ length: 60 }, (_, index) => ({
    reference: `order-${index}`,
    msisdn: '+251911223000',
    product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '15.00' } as const,
  }));
  await Promise.all(orders.map(dtOne.send));
  const package_ = { kind: 'package', providerProductId: 2001 } as const;
  await dtOne.send({ reference: 'package', msisdn: '+251911223014', product: package_ });
  const found = await statementLines(dtOne, since(new Date(Date.now() - 3 * 24 * 3_600_000)));
  expect(found.map(({ reference }) => reference).toSorted()).toEqual(
    [...orders.map(({ reference }) => reference), 'package'].toSorted(),
  );
  expect(found.find(({ reference }) => reference === 'package')).toMatchObject({
    status: 'pending',
    productId: '2001',
    party: '+251911223014',
  });
});

test('an amount and a balance that DT One leaves empty are none, and not 0', async () => {
  const listed = {
    id: 7,
    external_id: 'order-7',
    creation_date: new Date().toISOString(),
    status: { class: { id: 7, message: 'COMPLETED' } },
    requested_values: { destination: { unit: 'ETB', amount: null } },
  };
  const balance = { unit_type: 'CURRENCY', unit: 'ETB', available: null };
  const server = await startRawServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://dt-one');
    const page = searchParams.get('page') === '1' ? [listed] : [];
    answerWith(200, pathname === '/balances' ? [balance] : page)(request, response);
  });
  const dtOne = dtOneAt(server.url);
  const [line] = await statementLines(dtOne, since(new Date(Date.now() - 60_000)));
  expect(line).toMatchObject({ reference: 'order-7', status: 'completed', amount: null });
  expect(await dtOne.balance?.()).toMatchObject({ kind: 'unknown' });
  await server.close();
});

test.each([
  ['an error', answerWith(503, { errorCategory: 'serviceUnavailable' })],
  ['a page for people', answerWith(200, '<html></html>')],
  ['an entry that cannot be read', answerWith(200, [{ status: 'what?' }])],
])('%s is no list', async (_name, handle) => {
  const server = await startRawServer(handle);
  for (const provider of [gsmaAt(server.url), dtOneAt(server.url)])
    await expect(statementLines(provider, since(new Date()))).rejects.toThrow(/list/);
  await server.close();
});
