import { describe, expect, it } from 'vitest';
import {
  judgeToken,
  readLink,
  readPaymentAnswer,
  readRequestState,
  readTransaction,
  saysNeverSeen,
  toDisbursement,
  toGsmaAmount,
} from '../../../../src/providers/mobile-money/gsma/transformers.ts';
import type { Payment } from '../../../../src/providers/mobile-money/mobile-money.ts';

const reference = '0b7a9c52-3d4e-4f60-8a1b-2c3d4e5f6a7b';
const payment: Payment = {
  reference,
  amount: '97.50',
  currency: 'ETB',
  payee: [{ key: 'msisdn', value: '+251911234567' }],
  description: 'Voucher redemption',
};
const answer = (status: number, body: unknown) => ({
  kind: 'answered' as const,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const unknown = expect.objectContaining({ kind: 'unknown' });
const notSent = expect.objectContaining({ kind: 'not-sent' });
const lookUp = { kind: 'look-up', otherwise: unknown };
const delivered = { kind: 'delivered', providerReference: 'T1' };
const refused = (code: string, retryCanHelp: boolean, message = code) => ({
  kind: 'refused',
  code,
  message,
  retryCanHelp,
});
const failed = (code: string) =>
  refused(code, true, 'The mobile-money provider says that the payment failed.');

describe('toGsmaAmount', () => {
  it.each([
    ['97.5', '97.50'],
    ['97.500000', '97.50'],
    ['1', '1.00'],
    ['0.0001', '0.0001'],
    ['100.1230', '100.123'],
    ['999999999999999999', '999999999999999999.00'],
    ['1000000000000000000', undefined],
    ['0.00001', undefined],
    ['0', undefined],
    ['0.000000', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['NaN', undefined],
    ['', undefined],
    ['1,000', undefined],
    ['01', undefined],
    [' 1', undefined],
    ['1.', undefined],
    ['١', undefined],
  ])('%j is %j', (amount, written) => {
    expect(toGsmaAmount(amount)).toBe(written);
  });
});

it('toDisbursement names both parties, the reference and the date', () => {
  const now = new Date('2026-01-02T03:04:05Z');
  const long = { ...payment, description: 'x'.repeat(161) };
  expect(toDisbursement(long, '97.50', '2999', now)).toEqual({
    amount: '97.50',
    currency: 'ETB',
    debitParty: [{ key: 'accountid', value: '2999' }],
    creditParty: [{ key: 'msisdn', value: '+251911234567' }],
    requestingOrganisationTransactionReference: reference,
    descriptionText: 'x'.repeat(160),
    requestDate: '2026-01-02T03:04:05.000Z',
  });
});

describe('readPaymentAnswer', () => {
  const transaction = (transactionStatus: unknown, more: object = {}) => ({
    transactionReference: 'T1',
    transactionStatus,
    amount: '97.50',
    currency: 'ETB',
    requestingOrganisationTransactionReference: reference,
    ...more,
  });
  const error = (errorCategory: string, errorCode: string, more: object = {}) => ({
    errorCategory,
    errorCode,
    ...more,
  });
  const table: [status: number, body: unknown, outcome: unknown][] = [
    [201, transaction('completed'), delivered],
    [200, transaction('Completed'), delivered],
    [201, transaction(' SUCCESSFUL '), delivered],
    [201, { TransactionReference: 'T1', TransactionStatus: 'Completed' }, delivered],
    [201, transaction('completed', { amount: 97.5, transactionReference: 'T1' }), delivered],
    [201, transaction('completed', { amount: '97.5000', currency: 'etb' }), delivered],
    [201, transaction('completed', { amount: null }), delivered],
    [201, transaction('completed', { amount: '', currency: ' ' }), delivered],
    [
      201,
      transaction('failed', { requestingOrganisationTransactionReference: '' }),
      failed('failed'),
    ],
    [
      201,
      transaction('completed', {
        creditParty: [
          { key: 'msisdn', value: '+251911000001' },
          { key: 'accountid', value: '' },
        ],
      }),
      unknown,
    ],
    [201, transaction('failed'), failed('failed')],
    [201, transaction('failed', { amount: '0.00' }), failed('failed')],
    [201, transaction('Declined'), failed('declined')],
    [201, transaction('pending'), unknown],
    [201, transaction('not completed'), unknown],
    [201, transaction('reversed'), { ...delivered, reversal: expect.any(String) }],
    [
      201,
      transaction('completed', { creditParty: [{ key: 'msisdn', value: '+251911000001' }] }),
      unknown,
    ],
    [
      201,
      transaction('completed', { creditParty: [{ key: 'MSISDN', value: '0911000001' }] }),
      unknown,
    ],
    [
      201,
      transaction('completed', { creditParty: [{ key: 'msisdn', value: '0911234567' }] }),
      delivered,
    ],
    [
      201,
      transaction('completed', { creditParty: [{ key: 'msisdn', value: '911 234 567' }] }),
      delivered,
    ],
    [201, transaction('completed', { creditParty: 'somebody' }), delivered],
    [201, transaction(''), unknown],
    [201, transaction(7), unknown],
    [201, transaction('completed', { transactionReference: '' }), unknown],
    [201, transaction('completed', { transactionReference: 'T\u00001' }), unknown],
    [201, transaction('completed', { amount: '97.51' }), unknown],
    [201, transaction('completed', { amount: {} }), unknown],
    [201, transaction('completed', { currency: 'USD' }), unknown],
    [
      201,
      transaction('completed', { requestingOrganisationTransactionReference: 'another' }),
      unknown,
    ],
    [201, {}, unknown],
    [201, [], unknown],
    [201, 'null', unknown],
    [201, '<html>', unknown],
    [201, '{"__proto__":{"transactionStatus":"completed","transactionReference":"T1"}}', unknown],
    [204, '', unknown],

    [202, { status: 'pending', serverCorrelationId: 'S1' }, unknown],
    [202, { status: 'Completed', objectReference: 'T1' }, lookUp],
    [202, { status: 'completed' }, unknown],
    // A gateway may say as much.
    [202, { status: 'failed' }, unknown],
    [200, { status: 'failed', message: 'Upstream is busy' }, unknown],
    [202, { status: 'failed', serverCorrelationId: 'S1' }, failed('failed')],
    [202, { status: 'failed', NotificationMethod: 'polling' }, failed('failed')],
    [202, { status: 'failed', pollLimit: 5 }, failed('failed')],
    // An empty or unreadable reference is absent.
    [202, { status: 'failed', objectReference: '' }, unknown],
    [202, { status: 'failed', objectReference: 'not available' }, unknown],
    [202, { status: 'failed', objectReference: {}, pollLimit: 0 }, failed('failed')],
    [202, { status: 'completed', objectReference: '' }, unknown],
    [
      202,
      { status: 'failed', error: error('businessRule', 'insufficientFunds') },
      refused('insufficientFunds', true),
    ],
    [
      202,
      { Status: 'Failed', ErrorReference: error('BusinessRule', 'AccountBarred') },
      refused('accountBarred', false),
    ],
    [202, { status: 'failed', error: error('businessRule', 'duplicateRequest') }, lookUp],

    [400, error('businessRule', 'duplicateRequest'), lookUp],
    [400, error('BusinessRule', 'DuplicateRequest'), lookUp],
    [
      400,
      error('businessRule', 'dailyValueLimitExceeded'),
      refused('dailyValueLimitExceeded', true),
    ],
    [400, error('BusinessRule', 'RateLimitError'), refused('rateLimitError', true)],
    [
      400,
      error('validation', 'formatError', { errordescription: 'Bad payee 0911234567' }),
      refused('formatError', false, 'Bad payee ***67'),
    ],
    [
      400,
      error('Validation', 'FormatError', { errorDescription: 'Bad payee' }),
      refused('formatError', false, 'Bad payee'),
    ],
    [400, error('somethingNew', 'formatError'), unknown],
    [400, { message: 'Bad request' }, unknown],
    [400, '<html>Bad request</html>', unknown],
    [401, error('authorisation', 'clientAuthorisationError'), notSent],
    [401, 'The supplied authentication is invalid', unknown],
    [401, error('Authorisation', 'RequestDeclined'), refused('requestDeclined', false)],
    [404, error('identification', 'identifierError'), refused('identifierError', false)],
    [404, error('businessRule', 'identifierError'), unknown],
    [404, '', unknown],
    [429, 'slow down', notSent],
    [500, error('internal', 'genericError'), unknown],
    [503, error('serviceUnavailable', 'genericError'), unknown],
    [403, error('authorisation', 'requestDeclined'), unknown],
    [302, '', unknown],
  ];
  it.each(table)('%i %j', (status, body, outcome) => {
    expect(readPaymentAnswer(answer(status, body), payment)).toEqual(outcome);
  });
});

describe('readTransaction, asked about', () => {
  it.each([
    [200, { transactionReference: 'T1', transactionStatus: 'completed', amount: '1.00' }, unknown],
    [404, { transactionReference: 'T1', transactionStatus: 'completed' }, unknown],
    [500, '', unknown],
  ])('%i %j', (status, body, outcome) => {
    expect(readTransaction(answer(status, body), payment)).toEqual(outcome);
  });
});

describe('readRequestState', () => {
  it.each([
    [200, { status: 'completed', objectReference: 77 }, { kind: 'transaction', reference: '77' }],
    [200, { transactionStatus: 'completed' }, undefined],
    [404, { status: 'completed', objectReference: '77' }, undefined],
    [200, 'nonsense', undefined],
  ])('%i %j', (status, body, state) => {
    expect(readRequestState(answer(status, body), 'S1')).toEqual(state);
  });
});

describe('the id of a payment that was taken', () => {
  const duplicate = { errorCategory: 'businessRule', errorCode: 'duplicateRequest' };
  const pending = { transactionReference: 'T1', transactionStatus: 'pending' };
  it.each([
    [202, { status: 'pending', serverCorrelationId: 'S1', objectReference: 'T1' }, 'S1'],
    [202, { status: 'pending', objectReference: 'T1' }, 'T1'],
    [202, { status: 'completed', objectReference: 'T1' }, 'T1'],
    // A gateway may say as much: it names nothing of the provider.
    [202, { status: 'pending' }, undefined],
    [200, { status: 'completed', message: 'Request received' }, undefined],
    [202, { status: 'pending', notificationMethod: 'polling' }, reference],
    [400, duplicate, reference],
    [202, { status: 'failed', error: duplicate }, reference],
    [202, { status: 'queued', serverCorrelationId: 'S1' }, 'S1'],
    [202, { status: 'successful', objectReference: 'T1' }, 'T1'],
    [202, { status: 'rejected', error: duplicate }, reference],
    [200, { status: 'OK' }, undefined],
    [200, { status: 'success', message: 'Request received' }, undefined],
    [200, { status: 'rejected', message: 'Upstream is busy' }, undefined],
    [201, pending, 'T1'],
    [201, { ...pending, amount: '97.51' }, 'T1'],
    [201, { ...pending, currency: 'USD' }, 'T1'],
    [500, '', undefined],
    [202, '<html>', undefined],
  ])('%i %j: %s', (status, body, takenAs) => {
    const read = readPaymentAnswer(answer(status, body), payment);
    expect(read.kind === 'look-up' ? read.otherwise : read).toHaveProperty('kind', 'unknown');
    expect((read.kind === 'look-up' ? read.otherwise : read) as object).toEqual(
      takenAs === undefined
        ? expect.not.objectContaining({ takenAs: expect.anything() })
        : expect.objectContaining({ takenAs }),
    );
  });

  it('is that by which a state was asked for, where the state names none', () => {
    const read = readRequestState(answer(200, { status: 'pending', pollLimit: 5 }), 'S1');
    expect(read).toMatchObject({ kind: 'unknown', takenAs: 'S1' });
  });
});

describe('judgeToken', () => {
  it.each([
    [401, 'text', 'doubtful'],
    [401, { message: 'Unauthorized' }, 'doubtful'],
    [401, { errorCategory: 'authorisation', errorCode: 'clientAuthorisationError' }, 'rejected'],
    [401, { errorCategory: 'authorisation', errorCode: 'requestDeclined' }, 'accepted'],
    [403, 'text', 'accepted'],
    [200, '', 'accepted'],
  ])('%i %j: %j', (status, body, expected) => {
    expect(judgeToken(answer(status, body))).toBe(expected);
  });
});

describe('saysNeverSeen', () => {
  it.each([
    [404, { errorCategory: 'identification', errorCode: 'identifierError' }, true],
    [404, { errorCategory: 'Identification', errorCode: 'IdentifierError' }, true],
    [404, '', false],
    [404, { message: 'no Route matched with those values' }, false],
    [404, '<html>Not Found</html>', false],
    [200, { errorCategory: 'identification', errorCode: 'identifierError' }, false],
    [503, { errorCategory: 'identification', errorCode: 'identifierError' }, false],
  ])('%i %j: %j', (status, body, expected) => {
    expect(saysNeverSeen(answer(status, body))).toBe(expected);
  });
});

describe('readLink', () => {
  const transactions = { collection: 'transactions', id: 'T-1' };
  it.each([
    ['https://provider.example/v1.2/mm/transactions/T-1', transactions],
    ['http://169.254.169.254/transactions/T-1', transactions],
    ['/transactions/T-1', transactions],
    ['transactions/T-1', transactions],
    ['/Transactions/T-1', transactions],
    ['/requeststates/9f', { collection: 'requeststates', id: '9f' }],
    ['https://provider.example/accounts/T-1', undefined],
    ['/transactions/', undefined],
    ['/transactions/..', undefined],
    ['/transactions/T-1/reversals', undefined],
    ['/transactions/T-1?x=1', transactions],
    ['https://provider.example/transactions/T-1/?view=full#top', transactions],
    [' /transactions/T-1/ ', transactions],
    ['/transactions/?id=T-1', undefined],
    ['/elsewhere?next=/transactions/T-1', undefined],
    ['/transactions/T%2F..', undefined],
    ['/mytransactions/T-1', undefined],
    ['', undefined],
  ])('%j', (link, resource) => {
    expect(readLink(answer(200, { link }))).toEqual(resource);
  });

  it.each([
    [404, { link: '/transactions/T-1' }],
    [200, { link: 7 }],
    [200, 'garbage'],
  ])('none in %i %j', (status, body) => {
    expect(readLink(answer(status, body))).toBeUndefined();
  });
});
