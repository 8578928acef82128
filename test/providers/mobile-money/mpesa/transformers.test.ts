import { describe, expect, it } from 'vitest';
import type { MpesaResult } from '../../../../src/domain/mpesa.ts';
import {
  judgeToken,
  payeeNumber,
  readInquiryAnswer,
  readPaymentAnswer,
  readResults,
  type ToldResult,
  toMpesaAmount,
} from '../../../../src/providers/mobile-money/mpesa/transformers.ts';

const answer = (status: number, body: unknown, retryAfterSeconds?: number) => ({
  kind: 'answered' as const,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
const error = (errorCode: string, errorMessage = 'Words') => ({
  requestId: '1',
  errorCode,
  errorMessage,
});
const accepted = (ResponseCode: unknown) => ({ ResponseCode, ResponseDescription: 'Words' });
const unknown = { kind: 'unknown', message: expect.any(String) };
const refused = (code: string, retryCanHelp: boolean) => ({
  kind: 'refused',
  code,
  message: 'Words',
  retryCanHelp,
});

describe('amounts', () => {
  it.each([
    ['1', '1'],
    ['97.000000', '97'],
    ['123456789.00', '123456789'],
    ['97.50', undefined],
    ['0.01', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['1234567890', undefined],
    ['x', undefined],
  ])('%s is %s', (amount, carried) => {
    expect(toMpesaAmount(amount)).toBe(carried);
  });
});

it.each([
  [[{ key: 'msisdn', value: '+251911000000' }], '251911000000'],
  [[{ key: 'MSISDN', value: '251911000000' }], '251911000000'],
  [[{ key: 'accountid', value: '2999' }], undefined],
  [[{ key: 'msisdn', value: '+2519 1100' }], undefined],
  [[], undefined],
])('the payee of %j is %s', (payee, number) => {
  expect(payeeNumber({ payee })).toBe(number);
});

describe('the answer to a payment', () => {
  it.each<[string, ReturnType<typeof answer>, object]>([
    ['accepted', answer(200, accepted('0')), unknown],
    ['accepted, as a number', answer(200, accepted(0)), unknown],
    ['a failure', answer(200, accepted('2040')), refused('2040', false)],
    ['another code', answer(200, accepted('26')), unknown],
    ['no JSON', answer(200, '<html>'), unknown],
    ['an invalid request', answer(400, error('400.002.02')), refused('400.002.02', false)],
    ['a 400 of a gateway', answer(400, '<html>'), unknown],
    ['a duplicate', answer(500, error('500.002.1001')), unknown],
    ['an internal error', answer(500, error('500.003.1001')), unknown],
    ['unavailable', answer(503, ''), unknown],
    ['not found', answer(404, error('404.001.01')), unknown],
    ['an invalid token', answer(404, error('404.001.03')), { kind: 'not-sent' }],
    ['wrong credentials', answer(401, error('401.002.01')), { kind: 'not-sent' }],
    ['a 401 of a gateway', answer(401, 'no'), unknown],
    ['a 401 with another error', answer(401, error('500.003.1001')), unknown],
    ['the limit of spikes', answer(500, error('500.003.02')), { kind: 'not-sent' }],
    ['the quota', answer(500, error('500.003.03')), { kind: 'not-sent' }],
    ['too many requests', answer(429, '', 5), { kind: 'not-sent', retryAfterSeconds: 5 }],
  ])('%s', (_name, given, outcome) => {
    expect(readPaymentAnswer(given)).toMatchObject(outcome);
  });

  it('hides numbers in its words', () => {
    const outcome = readPaymentAnswer(answer(400, error('400.002.02', 'Invalid 251911000000')));
    expect(outcome).toMatchObject({ message: 'Invalid ***00' });
  });
});

it('an inquiry is either accepted or unknown', () => {
  expect(readInquiryAnswer(answer(200, accepted('0')))).toBeUndefined();
  for (const given of [
    answer(200, accepted('1')),
    answer(404, error('404.001.01')),
    answer(200, ''),
  ])
    expect(readInquiryAnswer(given)).toEqual(unknown);
});

it.each([
  ['rejected', answer(401, error('401.002.01'))],
  ['rejected', answer(404, error('404.001.03'))],
  ['accepted', answer(401, error('500.003.1001'))],
  ['accepted', answer(200, accepted('0'))],
  ['doubtful', answer(401, 'no')],
  ['doubtful', answer(401, '{"fault":{"faultstring":"Invalid access token"}}')],
])('the token is %s', (verdict, given) => {
  expect(judgeToken(given)).toBe(verdict);
});

describe('results', () => {
  const inquiry = (changes: Partial<MpesaResult> = {}): MpesaResult => ({
    resultCode: '0',
    description: 'Words',
    transactionStatus: 'Completed',
    receipt: 'SG632NMUAB',
    difference: null,
    otherAmount: null,
    ...changes,
  });
  const told = (resultCode: string, changes: Partial<ToldResult> = {}): ToldResult => ({
    ...inquiry({ resultCode, transactionStatus: null }),
    isOverruled: false,
    ...changes,
  });
  const delivered = { kind: 'delivered', providerReference: 'SG632NMUAB' };
  const disagrees = { kind: 'unknown', disagrees: true };
  const ofAmount = (outcome: object) => ({
    ...disagrees,
    otherAmount: { amount: '98.00', outcome },
  });
  const failed = told('1', { receipt: null });

  it.each<[string, MpesaResult[], ToldResult | undefined, object]>([
    ['nothing', [], undefined, unknown],
    ['what it told alone', [], told('0'), unknown],
    ['completed', [inquiry()], undefined, delivered],
    [
      'completed, in other letters',
      [inquiry({ transactionStatus: ' COMPLETED ' })],
      undefined,
      delivered,
    ],
    ['completed, the receipt told before', [inquiry({ receipt: null })], told('0'), delivered],
    ['completed, without a receipt', [inquiry({ receipt: null })], undefined, unknown],
    ['completed, told as a failure', [inquiry()], failed, delivered],
    [
      'reversed',
      [inquiry({ transactionStatus: 'Reversed' })],
      told('0'),
      { ...delivered, reversal: expect.any(String) },
    ],
    ['pending', [inquiry({ transactionStatus: 'Pending' })], undefined, unknown],
    ['another word', [inquiry({ transactionStatus: 'Authorized' })], undefined, unknown],
    ['no status', [inquiry({ transactionStatus: null })], undefined, unknown],
    [
      'failed',
      [inquiry({ transactionStatus: 'Failed' })],
      undefined,
      { kind: 'refused', code: 'failed', retryCanHelp: true },
    ],
    [
      'failed, with an amount of nothing',
      [inquiry({ transactionStatus: 'Failed', otherAmount: '0.00' })],
      undefined,
      { kind: 'refused', code: 'failed', retryCanHelp: true },
    ],
    [
      'failed, and told why',
      [inquiry({ transactionStatus: 'Failed' })],
      failed,
      refused('1', true),
    ],
    ['failed, told as a success', [inquiry({ transactionStatus: 'Failed' })], told('0'), disagrees],
    ['a refused inquiry', [inquiry({ resultCode: 'SFC_IC0003' })], undefined, unknown],
    ['a refused inquiry, told as a success', [inquiry({ resultCode: '21' })], told('0'), delivered],
    [
      'a refused inquiry, told as a failure',
      [inquiry({ resultCode: '21' })],
      failed,
      refused('1', true),
    ],
    [
      'a refused inquiry, told before it was reversed',
      [inquiry({ resultCode: '21' })],
      told('0', { isOverruled: true }),
      unknown,
    ],
    [
      'completed, the receipt told before it was reversed',
      [inquiry({ receipt: null })],
      told('0', { isOverruled: true }),
      delivered,
    ],
    [
      'a refused inquiry, told in a code that we do not know',
      [inquiry({ resultCode: '21' })],
      told('17'),
      unknown,
    ],
    ['an amount that cannot be read', [inquiry({ difference: 'amount' })], undefined, disagrees],
    ['another amount', [inquiry({ otherAmount: '98' })], undefined, ofAmount(delivered)],
    [
      'another amount told',
      [inquiry({ resultCode: '21' })],
      told('0', { otherAmount: '98' }),
      ofAmount(delivered),
    ],
    [
      'another amount, reversed after it was completed',
      [inquiry(), inquiry({ otherAmount: '98', transactionStatus: 'Reversed' })],
      undefined,
      ofAmount({ ...delivered, reversal: expect.any(String) }),
    ],
    [
      'another amount that is pending',
      [inquiry({ otherAmount: '98', transactionStatus: 'Pending' })],
      undefined,
      { ...disagrees, message: expect.stringContaining('another amount') },
    ],
    [
      'another payee told',
      [inquiry({ resultCode: '21' })],
      told('0', { difference: 'payee' }),
      disagrees,
    ],
    [
      'pending before completed',
      [inquiry({ transactionStatus: 'Pending' }), inquiry()],
      undefined,
      delivered,
    ],
    [
      'completed before reversed',
      [inquiry(), inquiry({ transactionStatus: 'Reversed' })],
      undefined,
      { ...delivered, reversal: expect.any(String) },
    ],
  ])('%s', (_name, answers, payment, outcome) => {
    expect(readResults(answers, payment)).toMatchObject(outcome);
  });

  it.each([
    ['1', true],
    ['2', false],
    ['3', false],
    ['4', true],
    ['8', true],
    ['11', true],
    ['21', true],
    ['2001', true],
    ['2006', false],
    ['2028', false],
    ['2040', false],
    ['8006', true],
    ['SFC_IC0003', false],
  ])('code %s is a failure; a retry can help: %s', (code, retryCanHelp) => {
    expect(readResults([inquiry({ resultCode: '21' })], told(code))).toEqual(
      refused(code, retryCanHelp),
    );
  });

  it.each(['15', '17', '26', '1037', 'R000002', ''])('code %j is unknown', (code) => {
    expect(readResults([inquiry({ resultCode: '21' })], told(code))).toEqual(unknown);
  });
});
