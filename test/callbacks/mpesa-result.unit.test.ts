import { describe, expect, it } from 'vitest';
import { readMpesaResult } from '../../src/callbacks/mpesa.ts';

const reference = '812d34d3-13f2-4c71-9aa4-bf3e2d5393ca';
const payment = { amount: '97.000000', payee: [{ key: 'msisdn', value: '+251911000000' }] };

const paid = (changes: object = {}, parameters: object = {}) => ({
  Result: {
    ResultType: 0,
    ResultCode: 0,
    ResultDesc: 'Words',
    OriginatorConversationID: reference,
    ConversationID: 'AG_20260101_1',
    TransactionID: 'SG632NMUAB',
    ResultParameters: {
      ResultParameter: Object.entries({
        TransactionAmount: 97,
        TransactionReceipt: 'SG632NMUAB',
        ReceiverPartyPublicName: '251911000000 - A PERSON',
        ...parameters,
      }).map(([Key, Value]) => ({ Key, Value })),
    },
    ...changes,
  },
});
const asked = (parameters: object = {}) => ({
  Result: {
    ResultCode: '0',
    ResultDesc: 'Words',
    OriginatorConversationID: '3213-416199-2',
    ConversationID: 'AG_20260101_2',
    ResultParameters: {
      ResultParameter: Object.entries({
        OriginatorConversationID: reference,
        TransactionStatus: 'Completed',
        Amount: '97.00',
        ReceiptNo: 'SG632NMUAB',
        CreditPartyName: '251911000000 - A PERSON',
        TransactionReason: undefined,
        ...parameters,
      }).map(([Key, Value]) => ({ Key, Value })),
    },
  },
});
const same = { difference: null, otherAmount: null };
const read = (kind: 'payment' | 'inquiry', body: unknown) =>
  readMpesaResult(kind, reference, body, payment);

it('reads the result of a payment and the answer to an inquiry, without the number', () => {
  const common = { reference, description: 'Words', receipt: 'SG632NMUAB', ...same };
  const ofPayment = read('payment', paid());
  expect(ofPayment).toEqual({
    ...common,
    kind: 'payment',
    conversationId: 'AG_20260101_1',
    resultCode: '0',
    transactionStatus: null,
  });
  const ofInquiry = read('inquiry', asked());
  expect(ofInquiry).toEqual({
    ...common,
    kind: 'inquiry',
    conversationId: 'AG_20260101_2',
    resultCode: '0',
    transactionStatus: 'Completed',
  });
  expect(JSON.stringify([ofPayment, ofInquiry])).not.toContain('911000000');
});

it('reads a failure, whose receipt proves nothing', () => {
  const body = paid({ ResultCode: 2040, ResultParameters: undefined });
  expect(read('payment', body)).toMatchObject({ resultCode: '2040', receipt: null });
});

describe('a difference', () => {
  it.each([
    ['reference', 'payment', paid({ OriginatorConversationID: 'another' })],
    ['amount', 'payment', paid({}, { TransactionAmount: 'much' })],
    ['payee', 'payment', paid({}, { ReceiverPartyPublicName: '251911000001 - ANOTHER' })],
    ['reference', 'inquiry', asked({ OriginatorConversationID: 'another' })],
    ['payee', 'inquiry', asked({ CreditPartyName: '251911000001' })],
    ['payee', 'payment', paid({}, { ReceiverPartyPublicName: '0911000001 - ANOTHER' })],
    ['payee', 'payment', paid({}, { ReceiverPartyPublicName: '911000001 - ANOTHER' })],
  ] as const)('of the %s of a result of an %s is found', (difference, kind, body) => {
    expect(read(kind, body)).toMatchObject({ difference, otherAmount: null });
  });

  it.each([
    ['payment', paid({}, { TransactionAmount: '1,098.00' }), '1098.00'],
    ['inquiry', asked({ Amount: '97.50' }), '97.50'],
  ] as const)('of nothing but the amount of a result of an %s has the amount', (...row) => {
    const [kind, body, otherAmount] = row;
    expect(read(kind, body)).toMatchObject({ difference: null, otherAmount });
  });

  it('of the payee counts before that of the amount', () => {
    const body = paid({}, { TransactionAmount: 98, ReceiverPartyPublicName: '251911000001' });
    expect(read('payment', body)).toMatchObject({ difference: 'payee', otherAmount: null });
  });

  it.each([
    ['a masked number', paid({}, { ReceiverPartyPublicName: '2519****0001 - A PERSON' })],
    ['no name', paid({}, { ReceiverPartyPublicName: null })],
    ['the national number', paid({}, { ReceiverPartyPublicName: '0911000000 - A PERSON' })],
    ['nine digits', paid({}, { ReceiverPartyPublicName: '911000000 - A PERSON' })],
    ['a number with 00', paid({}, { ReceiverPartyPublicName: ' 00251911000000' })],
    ['an empty reference', paid({ OriginatorConversationID: '' })],
    ['an empty amount', paid({}, { TransactionAmount: ' ' })],
    ['an empty name', paid({}, { ReceiverPartyPublicName: '' })],
    ['blanks around the amount', paid({}, { TransactionAmount: ' 97.00 ' })],
    ['no parameters', paid({ ResultParameters: undefined })],
    ['the reference in capitals', paid({ OriginatorConversationID: reference.toUpperCase() })],
  ])('is not seen in %s', (_name, body) => {
    expect(read('payment', body)).toMatchObject(same);
  });
});

it('compares an amount with groups of thousands, and a payee that is stored in national form', () => {
  const grouped = paid({}, { TransactionAmount: '1,097.00' });
  const ours = { amount: '1097.000000', payee: [{ key: 'msisdn', value: '0911000000' }] };
  const result = readMpesaResult('payment', reference, grouped, ours);
  expect(result).toMatchObject(same);
});

it('an empty receipt is absent: the transaction names it', () => {
  expect(read('payment', paid({}, { TransactionReceipt: '' }))).toMatchObject({
    receipt: 'SG632NMUAB',
  });
  const answered = read('inquiry', asked({ OriginatorConversationID: '', Amount: '' }));
  expect(answered).toMatchObject({ difference: null, transactionStatus: 'Completed' });
});

describe.each(['ResultType', 'OriginatorConversationID', 'TransactionID'])(
  '%s of another type',
  (field) => {
    it.each([{}, true, [1]])('such as %j is absent', (value) => {
      expect(read('payment', paid({ [field]: value }))).toEqual(read('payment', paid()));
    });
  },
);

it.each([
  ['an empty object', {}],
  ['no code', paid({ ResultCode: undefined })],
  ['a message that others follow', paid({ ResultType: 1 })],
  ['no conversation', paid({ ConversationID: '' })],
  ['a long conversation', paid({ ConversationID: 'x'.repeat(101) })],
])('%s is no result', (_name, body) => {
  expect(read('payment', body)).toBeUndefined();
});

it('reads parameters that are not what they should be as missing', () => {
  const alone = paid({
    ResultParameters: { ResultParameter: { Key: 'TransactionReceipt', Value: 'SG1' } },
  });
  expect(read('payment', alone)).toMatchObject({ receipt: 'SG1' });
  const odd = paid({ ResultParameters: { ResultParameter: 'none' } });
  expect(read('payment', odd)).toMatchObject({ receipt: 'SG632NMUAB' });
  const spaces = paid({ TransactionID: undefined }, { TransactionReceipt: 'a b' });
  expect(read('payment', spaces)).toMatchObject({ receipt: null });
});

it('keeps no number that the provider writes into its words', () => {
  const refused = read(
    'payment',
    paid({ ResultCode: 2001, ResultDesc: 'No account 251911000000' }),
  );
  expect(refused?.description).toBe('No account ***00');
  const ofInquiry = read('inquiry', asked({ TransactionStatus: 'Paid to 0911 000 000' }));
  expect(ofInquiry?.transactionStatus).toBe('Paid to ***00');
});
