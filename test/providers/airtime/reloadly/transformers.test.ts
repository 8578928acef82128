import { describe, expect, it } from 'vitest';
import {
  errorCodes,
  readFoundOrders,
  readOrderAnswer,
  type TopupRequest,
  toTopupRequest,
} from '../../../../src/providers/airtime/reloadly/transformers.ts';

const reference = 'T-9f3c1c0e2a7b4d55-1';
const request: TopupRequest = {
  operatorId: 3001,
  amount: 97.5,
  useLocalAmount: true,
  customIdentifier: reference,
  recipientPhone: { countryCode: 'ET', number: '+251911234567' },
};
const answer = (status: number, body: unknown) => ({
  kind: 'answered' as const,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const topup = (more: object = {}) => ({
  transactionId: 13172,
  status: 'SUCCESSFUL',
  operatorTransactionId: 'OP1',
  customIdentifier: reference,
  recipientPhone: '251911234567',
  // What the account pays, in its own currency, and what the phone got.
  requestedAmount: 0.65,
  requestedAmountCurrencyCode: 'USD',
  deliveredAmount: 97.5,
  deliveredAmountCurrencyCode: 'ETB',
  ...more,
});
const unsaid = { deliveredAmount: null, deliveredAmountCurrencyCode: null };
const page = (...content: object[]) => answer(200, { content });
const error = (status: number, errorCode: string, message = 'Words') =>
  answer(status, { timeStamp: 1, message, path: '/topups-async', errorCode, details: [] });

const unknown = expect.objectContaining({ kind: 'unknown' });
const ofAmount = (amount: string) =>
  expect.objectContaining({
    disagrees: true,
    otherAmount: { amount, outcome: { kind: 'delivered', providerReference: 'OP1' } },
  });
const disagreeing = expect.objectContaining({ kind: 'unknown', disagrees: true });
const refused = (code: string, retryCanHelp: boolean) =>
  expect.objectContaining({ kind: 'refused', code, retryCanHelp });
const reversal = expect.any(String);

describe('an inquiry', () => {
  const cases: [name: string, content: object[], outcome: unknown][] = [
    ['SUCCESSFUL', [topup()], { kind: 'delivered', providerReference: 'OP1' }],
    [
      'Successful',
      [topup({ status: 'Successful' })],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
    [
      'without an id of the operator',
      [topup({ operatorTransactionId: null })],
      { kind: 'delivered', providerReference: '13172' },
    ],
    ['PROCESSING', [topup({ status: 'PROCESSING' })], unknown],
    ['a status that is new', [topup({ status: 'DOUBTFUL' })], unknown],
    ['no status', [topup({ status: null })], unknown],
    [
      'an empty number and currency',
      [topup({ recipientPhone: '', deliveredAmountCurrencyCode: '' })],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
    ['FAILED', [topup({ status: 'FAILED' })], refused('FAILED', false)],
    [
      'REFUNDED before the operator completed it',
      [topup({ status: 'REFUNDED', operatorTransactionId: null })],
      refused('REFUNDED', false),
    ],
    [
      'REFUNDED after the operator completed it',
      [topup({ status: 'REFUNDED' })],
      { kind: 'delivered', providerReference: 'OP1', reversal },
    ],
    ['nothing', [], { kind: 'not-listed' }],
    ['another number', [topup({ recipientPhone: '251911234568' })], disagreeing],
    ['another national number', [topup({ recipientPhone: '0911234568' })], disagreeing],
    [
      'the national number',
      [topup({ recipientPhone: '0911234567' })],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
    // A conversion by way of the account's currency rounds: 5 GBP were 4.9985 in a public sample.
    [
      'an amount that conversion rounded',
      [topup({ deliveredAmount: 96.9123 })],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
    ['less', [topup({ deliveredAmount: 96.4 })], ofAmount('96.40')],
    ['more', [topup({ deliveredAmount: 98.6 })], ofAmount('98.60')],
    ['no amount of a success', [topup({ deliveredAmount: 0 })], disagreeing],
    ['another currency', [topup({ deliveredAmountCurrencyCode: 'USD' })], disagreeing],
    [
      'an account in birr that says no delivered amount',
      [topup({ ...unsaid, requestedAmount: 97.5, requestedAmountCurrencyCode: 'ETB' })],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
    [
      'another amount of an account in birr that says no delivered one',
      [topup({ ...unsaid, requestedAmount: 9.75, requestedAmountCurrencyCode: 'ETB' })],
      ofAmount('9.75'),
    ],
    [
      'only what the account pays',
      [topup(unsaid)],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
    [
      'a failure that delivered nothing',
      [topup({ status: 'FAILED', deliveredAmount: 0 })],
      refused('FAILED', false),
    ],
    [
      'our reference twice',
      [topup(), topup({ transactionId: 2 })],
      expect.objectContaining({ kind: 'unknown', disagrees: true, takenAs: '13172' }),
    ],
    [
      'our reference in another case',
      [topup({ customIdentifier: reference.toLowerCase() })],
      unknown,
    ],
    [
      'the latest, of others',
      [topup({ customIdentifier: 'other' }), topup({ customIdentifier: null })],
      unknown,
    ],
    [
      'ours among others',
      [topup({ customIdentifier: 'other' }), topup()],
      { kind: 'delivered', providerReference: 'OP1' },
    ],
  ];
  it.each(cases)('that finds %s', (_name, content, outcome) => {
    expect(readFoundOrders(page(...content), request)).toEqual(outcome);
    // One version of the protocol lists without a page.
    expect(readFoundOrders(answer(200, content), request)).toEqual(outcome);
  });

  it.each([
    [500, page().body],
    [404, page().body],
    [200, ''],
    [200, '<html>'],
    [200, { content: 'none' }],
    [200, {}],
  ])('with HTTP status %d and %j proves nothing', (status, body) => {
    expect(readFoundOrders(answer(status, body), request)).toEqual(unknown);
  });
});

describe('the answer to an order', () => {
  it.each([
    ['an id', answer(200, { transactionId: 4602843 }), unknown],
    ['a top-up', answer(200, topup()), { kind: 'delivered', providerReference: 'OP1' }],
    ['a top-up of another', answer(200, topup({ customIdentifier: 'other' })), unknown],
    ['a top-up that differs', answer(200, topup({ deliveredAmount: 1 })), disagreeing],
    ['nothing to read', answer(200, ''), unknown],
    ['JSON of another shape', answer(200, {}), unknown],
    ['a redirect', answer(302, ''), unknown],
    [
      '429',
      { ...answer(429, ''), retryAfterSeconds: 7 },
      expect.objectContaining({ kind: 'not-sent', retryAfterSeconds: 7 }),
    ],
    ['401', error(401, 'TOKEN_EXPIRED'), expect.objectContaining({ kind: 'not-sent' })],
    ['401 of a gateway', answer(401, 'no'), unknown],
    ['an error without JSON', answer(400, 'Bad Request'), unknown],
    ['an error that is new', error(400, 'NEW_ERROR'), unknown],
    ['403', error(403, 'NOT_AUTHORIZED'), unknown],
    ['500', error(500, 'INTERNAL_SERVER_ERROR'), unknown],
    // A refusal with a status of the server may come after the order was made.
    ['a refusal with 500', error(500, 'INVALID_AMOUNT'), unknown],
  ] as const)('with %s', (_name, given, outcome) => {
    expect(readOrderAnswer(given, request)).toEqual(outcome);
  });

  it.each(Object.entries(errorCodes))('with the error %s is %s', (code, meaning) => {
    const read = readOrderAnswer(error(400, code), request);
    if (meaning === 'look-up') expect(read).toMatchObject({ kind: 'look-up', otherwise: unknown });
    else expect(read).toEqual(refused(code, meaning === 'passing'));
  });

  it.each([
    ['an id', answer(200, { transactionId: 7 }), '7'],
    ['a status', answer(200, topup({ status: 'PROCESSING' })), '13172'],
    ['another amount', answer(200, topup({ status: 'PROCESSING', deliveredAmount: 1 })), '13172'],
    ['another amount of a success', answer(200, topup({ deliveredAmount: 1 })), '13172'],
    ['another number', answer(200, topup({ recipientPhone: '0911234568' })), '13172'],
    ['a used reference', error(400, 'CUSTOM_IDENTIFIER_ALREADY_USED'), reference],
    ['another error', error(400, 'TOPUP_TRANSACTION_FAILED'), undefined],
  ])('with %s tells the id of what was taken', (_, given, takenAs) => {
    const read = readOrderAnswer(given, request);
    const outcome = read.kind === 'look-up' ? read.otherwise : read;
    expect(outcome.kind === 'unknown' && outcome.takenAs).toBe(takenAs);
  });

  it('does not show a number of the provider', () => {
    const read = readOrderAnswer(
      error(400, 'INVALID_RECIPIENT_PHONE', 'Not valid: +251 911 234 567'),
      request,
    );
    expect(read).toMatchObject({ message: 'Not valid: ***67' });
  });
});

describe('toTopupRequest', () => {
  const order = {
    reference,
    msisdn: '+251911234567',
    product: { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '97.500000' },
  } as const;
  const operatorIds = { ETHIO_TELECOM: 3001, SAFARICOM_ETHIOPIA: 3002 };

  it('writes birr as a number, and the id of the operator', () => {
    expect(toTopupRequest(order, operatorIds)).toEqual(request);
    const product = { ...order.product, operator: 'SAFARICOM_ETHIOPIA' } as const;
    expect(toTopupRequest({ ...order, product }, operatorIds)).toMatchObject({ operatorId: 3002 });
  });

  it.each([
    [{ msisdn: '+254711234567' }],
    [{ msisdn: '0911234567' }],
    [{ reference: '' }],
    [{ reference: 'x'.repeat(41) }],
    [{ product: { kind: 'package', providerProductId: 2001 } as const }],
    [{ product: { ...order.product, amount: '97.505' } }],
    [{ product: { ...order.product, amount: '0' } }],
  ])('cannot write %j', (change) => {
    expect(toTopupRequest({ ...order, ...change }, operatorIds)).toEqual({
      problem: expect.any(String),
    });
  });
});
