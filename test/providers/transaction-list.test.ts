import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Airtime } from '../../src/providers/airtime/airtime.ts';
import { createDtOneAirtime } from '../../src/providers/airtime/dt-one/client.ts';
import { createGsmaMobileMoney } from '../../src/providers/mobile-money/gsma/client.ts';
import type { MobileMoney } from '../../src/providers/mobile-money/mobile-money.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { answerWith, startRawServer } from './raw-server.ts';

/** The lists of the adapters, over HTTP. */
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

/** The listed references, each with its status. */
async function listed(provider: Pick<Airtime, 'listTransactions'>, since: Date) {
  const list = await provider.listTransactions?.(since);
  if (list?.kind !== 'listed') throw new Error(JSON.stringify(list));
  return list.transactions;
}

test('payouts of several pages are listed once each, those of another time and account are not', async () => {
  const gsma = gsmaAt(sandbox.mobileMoneyUrl);
  await gsma.pay(payment());
  const since = new Date(Date.now() + 1);
  while (Date.now() <= since.getTime());
  const payments = Array.from({ length: 120 }, () => payment());
  await Promise.all(payments.map(gsma.pay));
  const failed = payment('004');
  await gsma.pay(failed);
  await createGsmaMobileMoney({
    baseUrl: sandbox.mobileMoneyUrl,
    account: 'other',
    timeoutSeconds: 5,
  }).pay(payment());

  const found = await listed(gsma, since);
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

test('a reversed payout is reversed, and its reversal is no payout', async () => {
  const gsma = gsmaAt(sandbox.mobileMoneyUrl);
  const paid = payment();
  const outcome = await gsma.pay(paid);
  if (outcome.kind !== 'delivered') throw new Error(outcome.kind);
  await gsma.reversals?.reverse({
    reference: randomUUID(),
    payment: paid,
    paymentReference: outcome.providerReference,
    description: 'Reversal',
  });
  const found = await listed(gsma, new Date(Date.now() - 60_000));
  expect(found.map(({ reference, status }) => [reference, status])).toEqual([
    [paid.reference, 'reversed'],
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
  const found = await listed(dtOne, new Date(Date.now() - 3 * 24 * 3_600_000));
  expect(found.map(({ reference }) => reference).toSorted()).toEqual(
    [...orders.map(({ reference }) => reference), 'package'].toSorted(),
  );
  expect(found.find(({ reference }) => reference === 'package')).toMatchObject({
    status: 'pending',
    productId: '2001',
    party: '+251911223014',
  });
});

test.each([
  ['an error', answerWith(503, { errorCategory: 'serviceUnavailable' })],
  ['a page for people', answerWith(200, '<html></html>')],
  ['an entry that cannot be read', answerWith(200, [{ status: 'what?' }])],
])('%s is no list', async (_name, handle) => {
  const server = await startRawServer(handle);
  for (const provider of [gsmaAt(server.url), dtOneAt(server.url)])
    expect(await provider.listTransactions?.(new Date(Date.now() - 1_000))).toMatchObject({
      kind: 'not-listed',
    });
  await server.close();
});
