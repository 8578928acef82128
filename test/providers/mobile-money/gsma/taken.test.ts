import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { createGsmaMobileMoney } from '../../../../src/providers/mobile-money/gsma/client.ts';
import type { ProviderInquiry } from '../../../../src/providers/outcome.ts';
import { answerWith, type RawServer, startRawServer } from '../../raw-server.ts';

/** Payments that a provider has taken, and that `/responses` does not know. */
const open: RawServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A provider that answers by path; the first row whose text is in the path counts. */
async function clientWith(rows: [path: string, status: number, body: unknown][]) {
  const server = await startRawServer((request, response) => {
    const row = rows.find(([path]) => request.url?.includes(path));
    if (row) answerWith(row[1], row[2])(request, response);
  });
  open.push(server);
  return createGsmaMobileMoney({ baseUrl: server.url, account: '2999', timeoutSeconds: 60 });
}

const payment = {
  reference: randomUUID(),
  amount: '97.500000',
  currency: 'ETB',
  payee: [{ key: 'msisdn', value: '+251911234567' }],
  description: 'Voucher redemption',
};
const transaction = { transactionReference: 'MM1', transactionStatus: 'completed' };
const duplicate = { errorCategory: 'businessRule', errorCode: 'duplicateRequest' };
const nothing = { errorCategory: 'identification', errorCode: 'identifierError' };
/** What an outcome says, and of an open one the id. */
const told = (outcome: ProviderInquiry) =>
  outcome.kind === 'unknown' ? [outcome.kind, outcome.takenAs] : [outcome.kind];

it.each([
  [404, nothing],
  [503, 'Service Unavailable'],
])('a duplicate was taken, where its inquiry says %i', async (status, said) => {
  const client = await clientWith([
    ['/disbursement', 400, duplicate],
    ['/responses/', status, said],
  ]);
  expect(told(await client.pay(payment))).toEqual(['unknown', payment.reference]);
});

it.each([
  ['is found by that', payment.reference, ['delivered']],
  ['is not found by the transaction of another payment', randomUUID(), ['unknown', undefined]],
  ['is not found by a transaction without a reference', undefined, ['unknown', undefined]],
])('a payment that was taken as a transaction %s', async (_, reference, found) => {
  const client = await clientWith([
    ['/disbursement', 201, { ...transaction, transactionStatus: 'pending' }],
    ['/responses/', 404, nothing],
    ['/requeststates/', 404, nothing],
    [
      '/transactions/MM1',
      200,
      { ...transaction, requestingOrganisationTransactionReference: reference },
    ],
  ]);
  expect(told(await client.pay(payment))).toEqual(['unknown', 'MM1']);
  expect(told(await client.findPayment(payment, 'MM1'))).toEqual(found);
});

it.each([
  ['/requeststates/S1', 'S1'],
  ['/transactions/MM1', 'MM1'],
])('a payment was taken under the id of %s, also where that is not answered', async (link, id) => {
  const client = await clientWith([
    ['/responses/', 200, { link }],
    [link, 503, 'Service Unavailable'],
  ]);
  expect(told(await client.findPayment(payment))).toEqual(['unknown', id]);
});

it('a payment is found by our reference where the provider uses it as its id', async () => {
  const error = { errorCategory: 'businessRule', errorCode: 'insufficientFunds' };
  const client = await clientWith([
    ['/responses/', 404, nothing],
    [`/requeststates/${payment.reference}`, 200, { status: 'failed', error }],
  ]);
  expect(told(await client.findPayment(payment, payment.reference))).toEqual(['refused']);
});

it('a payment that was taken is no resource while it is under way, nor where it has failed', async () => {
  const error = { errorCategory: 'businessRule', errorCode: 'insufficientFunds' };
  const client = await clientWith([
    ['/disbursement', 202, { serverCorrelationId: 'S1', status: 'pending' }],
    ['/responses/', 404, nothing],
    ['/requeststates/S1', 200, { serverCorrelationId: 'S1', status: 'failed', error }],
    ['/requeststates/S2', 200, { serverCorrelationId: 'S2', status: 'pending' }],
  ]);
  expect(told(await client.pay(payment))).toEqual(['unknown', 'S1']);
  expect(told(await client.findPayment(payment))).toEqual(['never-seen']);
  expect(told(await client.findPayment(payment, 'S2'))).toEqual(['unknown', 'S2']);
  expect(told(await client.findPayment(payment, 'S1'))).toEqual(['refused']);
});
