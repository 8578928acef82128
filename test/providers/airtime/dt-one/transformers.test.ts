import { describe, expect, it } from 'vitest';
import {
  readFoundOrders,
  readOrderAnswer,
  type TransactionRequest,
} from '../../../../src/providers/airtime/dt-one/transformers.ts';

const reference = 'T-9f3c1c0e2a7b4d55-1';
const request: TransactionRequest = {
  external_id: reference,
  product_id: 11,
  auto_confirm: true,
  credit_party_identifier: { mobile_number: '+251911234567' },
  calculation_mode: 'DESTINATION_AMOUNT',
  destination: { unit_type: 'CURRENCY', unit: 'ETB', amount: 97.5 },
};
const answer = (status: number, body: unknown) => ({
  kind: 'answered' as const,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const unknown = expect.objectContaining({ kind: 'unknown' });
const notSent = expect.objectContaining({ kind: 'not-sent' });
const lookUp = { kind: 'look-up', otherwise: unknown };
const neverSeen = { kind: 'never-seen' };
const delivered = (providerReference = 'OP1') => ({ kind: 'delivered', providerReference });
const refused = (code: string, message: unknown, retryCanHelp: boolean) => ({
  kind: 'refused',
  code,
  message,
  retryCanHelp,
});

const classIds: Record<string, number> = {
  CREATED: 1,
  CONFIRMED: 2,
  REJECTED: 3,
  CANCELLED: 4,
  SUBMITTED: 5,
  COMPLETED: 7,
  REVERSED: 8,
  DECLINED: 9,
};
/** A transaction whose fine status is given; its class is the first word. */
function transaction(status: string, more: object = {}) {
  const [name = ''] = status.split('-');
  return {
    id: 2237512891,
    external_id: reference,
    operator_reference: 'OP1',
    status: { id: 70_000, message: status, class: { id: classIds[name], message: name } },
    pin: null,
    product: { id: 11 },
    credit_party_identifier: { mobile_number: '+251911234567' },
    ...more,
  };
}
const withClass = (id: unknown, message: unknown, fine: unknown = message) =>
  transaction('', { status: { message: fine, class: { id, message } } });

describe('readOrderAnswer', () => {
  const error = (code: unknown, message: unknown = 'Words') => ({ errors: [{ code, message }] });
  const table: [status: number, body: unknown, outcome: unknown][] = [
    [201, transaction('COMPLETED'), delivered()],
    [200, transaction('COMPLETED'), delivered()],
    [201, transaction('COMPLETED', { pin: { code: '1234', serial: 'x' } }), delivered()],
    [201, transaction('COMPLETED', { operator_reference: null }), delivered('2237512891')],
    [201, transaction('COMPLETED', { operator_reference: 'a b' }), delivered('2237512891')],
    [201, transaction('COMPLETED', { operator_reference: 'a\u0000' }), delivered('2237512891')],
    [
      201,
      JSON.stringify(transaction('COMPLETED', { operator_reference: null })).replace(
        '2237512891',
        '9223372036854775807',
      ),
      delivered(reference),
    ],
    [201, transaction('COMPLETED', { external_id: null, product: null }), delivered()],
    [201, transaction('COMPLETED', { product: { id: '11' } }), delivered()],
    [201, transaction('COMPLETED', { product: 'what' }), delivered()],
    [201, transaction('COMPLETED', { product: { id: null } }), delivered()],
    [201, transaction('COMPLETED', { external_id: '', operator_reference: 'OP1' }), delivered()],
    [
      201,
      transaction('COMPLETED', { requested_values: { destination: { unit: 'ETB', amount: '' } } }),
      delivered(),
    ],
    [
      201,
      transaction('COMPLETED', {
        requested_values: { destination: { unit: 'ETB', amount: null } },
      }),
      delivered(),
    ],
    [201, transaction('COMPLETED', { external_id: 'T-other' }), unknown],
    [201, transaction('COMPLETED', { product: { id: 12 } }), unknown],
    [
      201,
      transaction('COMPLETED', { credit_party_identifier: { mobile_number: '+251911234568' } }),
      unknown,
    ],
    ...['251911234567', '0911234567', '911234567'].map(
      (mobile_number): [number, unknown, unknown] => [
        201,
        transaction('COMPLETED', { credit_party_identifier: { mobile_number } }),
        delivered(),
      ],
    ),
    [
      201,
      transaction('REVERSED'),
      { ...delivered(), reversal: expect.stringContaining('reversed') },
    ],
    [201, transaction('CREATED'), unknown],
    [201, transaction('CONFIRMED'), unknown],
    [201, transaction('SUBMITTED'), unknown],

    [201, withClass(7, 'Completed'), delivered()],
    [201, withClass('7', ' completed '), delivered()],
    [201, withClass(7, null), delivered()],
    [201, withClass(null, 'COMPLETED'), delivered()],
    [
      201,
      withClass(9, 'Declined', 'Declined-Exception'),
      refused('DECLINED-EXCEPTION', 'Declined: exception.', true),
    ],
    [201, withClass(9, 'COMPLETED'), unknown],
    [201, withClass(7, 'DECLINED'), unknown],
    [201, withClass(7, 'COMPLETED', 'DECLINED-EXCEPTION'), unknown],
    [201, withClass(9, 'DECLINED', 'COMPLETED'), unknown],
    [201, withClass(7, 'COMPLETED', 'DONE'), delivered()],
    [201, withClass(7, 'COMPLETED', null), delivered()],
    [201, withClass(9, 'DECLINED', 'NO-STOCK'), refused('NO-STOCK', 'No: stock.', false)],
    [201, withClass(6, 'DONE'), unknown],
    [201, withClass(6, null), unknown],
    [201, withClass(null, 'PARTIALLY-COMPLETED'), unknown],
    [201, withClass(null, null), unknown],
    [201, withClass(7.5, 'COMPLETED'), unknown],
    [201, transaction('', { status: 'COMPLETED' }), unknown],
    [201, {}, unknown],
    [201, [transaction('COMPLETED')], unknown],
    [201, 'null', unknown],
    [201, '<html>', unknown],
    [204, '', unknown],

    [400, error(1_007_001), lookUp],
    [400, error('1007001'), lookUp],
    [400, { errors: [{ code: 1_003_002 }, { code: 1_007_001 }] }, lookUp],
    [
      400,
      error(1_006_001, 'Insufficient balance'),
      refused('1006001', 'Insufficient balance', true),
    ],
    [400, error(1_003_002, 'Out of range'), refused('1003002', 'Out of range', false)],
    [400, error(1_003_003), refused('1003003', 'Words', false)],
    [400, error(1_005_003, 'Bad +251911234567'), refused('1005003', 'Bad ***67', false)],
    [400, error(1_000_400, ''), refused('1000400', 'Error 1000400.', false)],
    [400, error(1_007_500), refused('1007500', 'Words', false)],
    [
      400,
      { errors: [{ code: 1_003_002, message: 'a' }, { code: 1_005_003 }] },
      refused('1003002', 'a', false),
    ],
    [404, error(1_003_001, 'Not available'), refused('1003001', 'Not available', false)],
    [400, error(1_007_002), unknown],
    [400, { errors: [{ code: 1_003_002 }, { code: 1_009_001 }] }, unknown],
    [400, error(9_999_999), unknown],
    [400, error(null), unknown],
    [400, { errors: [] }, unknown],
    [400, 'Bad Request', unknown],
    [404, error(1_000_404), unknown],
    [404, '<html>', unknown],
    [500, error(1_006_001), unknown],
    [503, error(1_009_503), unknown],
    [500, error(1_009_001), unknown],
    [401, error(1_000_401), notSent],
    [401, 'The supplied authentication is invalid', unknown],
    [429, error(1_000_429), notSent],
    [403, error(1_006_001), unknown],
    [302, '', unknown],
  ];
  it.each(table)('%i %j', (status, body, outcome) => {
    expect(readOrderAnswer(answer(status, body), request)).toEqual(outcome);
  });

  it('says how long to wait when there were too many requests', () => {
    const limited = { ...answer(429, ''), retryAfterSeconds: 7 };
    expect(readOrderAnswer(limited, request)).toMatchObject({ retryAfterSeconds: 7 });
    expect(readOrderAnswer(answer(429, ''), request)).not.toHaveProperty('retryAfterSeconds');
  });

  it.each([
    ['REJECTED-INVALID-CREDIT-PARTY', 'Rejected: invalid credit party.', false],
    ['REJECTED-BARRED-DEBIT-PARTY', 'Rejected: barred debit party.', false],
    ['REJECTED-INELIGIBLE-CREDIT-PARTY', 'Rejected: ineligible credit party.', false],
    ['REJECTED-INSUFFICIENT-BALANCE', 'Rejected: insufficient balance.', true],
    [
      'REJECTED-LIMITATIONS-ON-CREDIT-PARTY-AMOUNT',
      'Rejected: limitations on credit party amount.',
      true,
    ],
    [
      'DECLINED-LIMITATIONS-ON-CUSTOMER-QUANTITY',
      'Declined: limitations on customer quantity.',
      true,
    ],
    ['DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE', 'Declined: operator currently unavailable.', true],
    ['DECLINED-DUPLICATED-TRANSACTION', 'Declined: duplicated transaction.', false],
    ['DECLINED-EXCEPTION', 'Declined: exception.', true],
    ['DECLINED-SOMETHING-NEW', 'Declined: something new.', false],
    ['DECLINED', 'Declined.', false],
    ['REJECTED', 'Rejected.', false],
    ['CANCELLED', 'Cancelled.', false],
  ])('%s is refused: %s', (status, message, retryCanHelp) => {
    const outcome = readOrderAnswer(answer(201, transaction(status)), request);
    expect(outcome).toEqual(refused(status, message, retryCanHelp));
  });
});

describe('readFoundOrders, asked by our reference', () => {
  const found = transaction('COMPLETED');
  const several = expect.objectContaining({ disagrees: true, takenAs: String(found.id) });
  it.each<[number, unknown, unknown]>([
    [200, [], neverSeen],
    [200, [found], delivered()],
    [200, [transaction('DECLINED')], refused('DECLINED', 'Declined.', false)],
    [200, [transaction('SUBMITTED')], unknown],
    [200, [transaction('REVERSED')], { ...delivered(), reversal: expect.any(String) }],
    [200, [{ ...found, product: { id: 12 } }], delivered()],
    [200, [{ ...found, external_id: 'T-other' }], unknown],
    [200, [{ ...found, external_id: null }], unknown],
    [200, [{ ...found, external_id: 'T-other' }, found], delivered()],
    [200, [found, found], several],
    [200, [transaction('DECLINED'), found], several],
    [200, [{}], unknown],
    [200, [null], unknown],
    [200, found, unknown],
    [200, {}, unknown],
    [200, { errors: [] }, unknown],
    [200, 'null', unknown],
    [200, '', unknown],
    [200, '<html>', unknown],
    [206, [], unknown],
    [404, [], unknown],
    [404, { errors: [{ code: 1_008_004 }] }, unknown],
    [401, '', unknown],
    [429, '', unknown],
    [500, [], unknown],
  ])('%i %j', (status, body, outcome) => {
    expect(readFoundOrders(answer(status, body), request)).toEqual(outcome);
  });

  const destination = { unit_type: 'CURRENCY', unit: 'ETB', amount: 97.5 };
  it.each([
    ['number', { credit_party_identifier: { mobile_number: '+251911234568' } }],
    ['currency', { requested_values: { destination: { ...destination, unit: 'USD' } } }],
  ])('one with another %s is not ours', (name, change) => {
    const outcome = readFoundOrders(answer(200, [{ ...found, ...change }]), request);
    expect(outcome).toEqual({
      kind: 'unknown',
      message: `The provider knows a top-up with another ${name}.`,
      disagrees: true,
      takenAs: String(found.id),
    });
  });

  it.each([
    ['is under way', 200, { ...transaction('SUBMITTED') }, String(found.id)],
    [
      'is under way with another amount',
      200,
      {
        ...transaction('SUBMITTED'),
        requested_values: { destination: { ...destination, amount: 97.51 } },
      },
      String(found.id),
    ],
    ['was sent before', 400, { errors: [{ code: 1_007_001, message: '' }] }, request.external_id],
  ])('a top-up that %s was taken', (_, status, body, takenAs) => {
    const read = readOrderAnswer(answer(status, body), request);
    expect(read.kind === 'look-up' ? read.otherwise : read).toMatchObject({
      kind: 'unknown',
      takenAs,
    });
  });

  it('one with another amount says what became of it', () => {
    const requested_values = { destination: { ...destination, amount: 97.51 } };
    const outcome = readFoundOrders(answer(200, [{ ...found, requested_values }]), request);
    expect(outcome).toEqual({
      kind: 'unknown',
      message: 'The provider knows a top-up with another amount.',
      disagrees: true,
      otherAmount: { amount: '97.51', outcome: readFoundOrders(answer(200, [found]), request) },
      takenAs: String(found.id),
    });
  });

  it('a package of another product is not ours', () => {
    const { destination: _amount, calculation_mode: _mode, ...aPackage } = request;
    const other = [{ ...found, product: { id: 12 } }];
    expect(readFoundOrders(answer(200, other), aPackage)).toMatchObject({ disagrees: true });
  });
});
