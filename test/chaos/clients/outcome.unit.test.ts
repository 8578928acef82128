import { describe, expect, test } from 'vitest';
import { asFirstTold, type Outcome, outcomeOf } from '../../../chaos/clients/outcome.ts';
import { messageOf, type Reason } from '../../../src/domain/refusals.ts';

const answered = (status: number, body: object) =>
  outcomeOf({ kind: 'answered', status, text: JSON.stringify(body) });

const refused = (reason: Reason, detail?: string) =>
  answered(400, {
    success: false,
    statusCode: 400,
    message: messageOf(reason, detail),
    data: { reason },
  });

describe('what a caller knows', () => {
  test.each<[string, Outcome, Outcome]>([
    ['a broken connection', outcomeOf({ kind: 'lost', why: 'x' }), { kind: 'open', why: 'lost' }],
    [
      'no connection',
      outcomeOf({ kind: 'lost', why: 'ECONNREFUSED' }),
      { kind: 'unheard', why: 'not-connected' },
    ],
    [
      'a success',
      answered(200, { success: true, statusCode: 200, message: 'Done', data: {} }),
      { kind: 'done' },
    ],
    [
      'a top-up that is accepted',
      answered(200, { success: true, statusCode: 200, message: '', data: { transactionId: 1 } }),
      { kind: 'open', why: 'processing' },
    ],
    ['still processing', refused('still-processing'), { kind: 'open', why: 'still-processing' }],
    ['a suspension', refused('account-suspended'), { kind: 'unheard', why: 'account-suspended' }],
    [
      'a failed top-up, with its detail',
      refused('topup-failed', 'barred'),
      { kind: 'refused', reason: 'topup-failed', isBound: true },
    ],
    [
      'a failed top-up that was delivered since',
      refused('topup-delivered-since'),
      { kind: 'refused', reason: 'topup-delivered-since', isBound: true },
    ],
    [
      'a failed top-up that is being retried',
      refused('topup-retried-since'),
      { kind: 'refused', reason: 'topup-retried-since', isBound: true },
    ],
    [
      'a wrong code, which counts',
      refused('verification-code-incorrect'),
      { kind: 'refused', reason: 'verification-code-incorrect', isBound: true },
    ],
    [
      'a refusal that is carried out anew',
      refused('voucher-redeemed'),
      { kind: 'refused', reason: 'voucher-redeemed', isBound: false },
    ],
  ])('after %s', (_what, outcome, expected) => {
    expect(outcome).toEqual(expected);
  });

  test('is nothing after an answer that is none of the service', () => {
    const outcome = outcomeOf({ kind: 'answered', status: 502, text: '<html>' });
    expect(outcome).toEqual({ kind: 'open', why: 'unreadable' });
  });
});

test('a repetition of a failed top-up is the first answer, whatever became of it since', () => {
  const told = (reason: 'topup-failed' | 'topup-delivered-since') =>
    asFirstTold(JSON.stringify({ message: messageOf(reason, 'barred'), data: { reason } }));
  expect(told('topup-delivered-since')).toBe(told('topup-failed'));
});

test('a repetition of a bulk order is the first answer, however far the order is', () => {
  const answer = (bulkOrder: object) => JSON.stringify({ success: true, data: { bulkOrder } });
  const first = answer({ id: 7, status: 'RUNNING', generated: 0, endedAt: null });
  const later = answer({ id: 7, status: 'COMPLETED', generated: 2, endedAt: '2026-01-01' });
  const other = answer({ id: 8, status: 'RUNNING', generated: 0, endedAt: null });
  expect(asFirstTold(later)).toBe(asFirstTold(first));
  expect(asFirstTold(other)).not.toBe(asFirstTold(first));
});
