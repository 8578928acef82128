import { describe, expect, it } from 'vitest';
import {
  type Answered,
  fold,
  hasChanged,
  type Placement,
  type Said,
} from '../../../src/domain/positions/placement.ts';
import { PRICE, placed } from './a-position.ts';

const answers = ['pending', 'nothing', 'done', 'undone', 'other', 'never-seen', 'silent'] as const;

const AT = 1_000;

const answered = (before: Placement, what: Answered, further = {}) =>
  fold(before, { at: AT, source: 'inquiry', said: what, ...further });

/** What a placement says after each answer, in the order of `answers`. "+" stands for what was done before. */
const table: readonly (readonly [before: Said, done: bigint, after: string])[] = [
  ['none', 0n, 'pending nothing done+ undone other nothing none'],
  ['pending', 0n, 'pending nothing done+ undone other nothing pending'],
  ['nothing', 0n, 'pending nothing done+ undone other nothing nothing'],
  ['done', PRICE, 'done+ nothing done+ undone other+ done+ done+'],
  ['undone', 0n, 'pending nothing done+ undone other nothing undone'],
  ['other', 0n, 'pending nothing done+ undone other other other'],
  ['other', PRICE, 'other+ nothing done+ undone other+ other+ other+'],
];

const cases = table.flatMap(([said, done, after]) =>
  after.split(' ').map((expected, index) => ({
    name: `${said}${done > 0n ? ', done' : ''}, then ${answers[index]}: ${expected}`,
    before: placed({ said, done, saidAt: said === 'none' ? null : 1 }),
    what: answers[index] as Answered,
    expected,
  })),
);

describe('what a provider says of a placement', () => {
  it.each(cases)('$name', ({ before, what, expected }) => {
    const after = answered(before, what);
    expect(`${after.said}${after.done > 0n ? '+' : ''}`).toBe(expected);
    expect(after.done).toBe(expected.endsWith('+') ? PRICE : 0n);
    expect(after.saidAt).toBe(what === 'silent' ? before.saidAt : AT);
    expect(after.silentSince).toBe(what === 'silent' ? AT : null);
  });

  it('done has the amount and the reference of the provider', () => {
    const after = answered(placed(), 'done', {
      amount: 60n,
      providerReference: 'MP1',
      message: 'ok',
    });
    expect(after).toMatchObject({ done: 60n, providerReference: 'MP1', message: 'ok' });
    const undone = answered(after, 'undone');
    expect(undone).toMatchObject({ done: 0n, providerReference: 'MP1', message: null });
  });

  it.each(['done', 'other', 'nothing', 'undone'] as const)(
    'the first answer, %s, drops the id of the request',
    (said) => {
      const taken = placed({ providerReference: 'S1' });
      expect(answered(taken, said).providerReference).toBeNull();
      const told = answered(taken, said, { providerReference: 'MP1' });
      expect(told.providerReference).toBe('MP1');
      expect(answered({ ...told, saidAt: 1 }, said).providerReference).toBe('MP1');
    },
  );

  it('done by the word of a person keeps an amount that is known already', () => {
    const booked = { at: AT, source: 'person', said: 'done', providerReference: 'LETTER' } as const;
    expect(fold(placed({ said: 'done', done: 60n, saidAt: 1 }), booked).done).toBe(60n);
    expect(fold(placed(), booked)).toMatchObject({ done: PRICE, providerReference: 'LETTER' });
  });

  it('an older answer changes nothing, and one of the same time does', () => {
    const before = placed({ said: 'done', done: PRICE, saidAt: AT });
    expect(fold(before, { at: AT - 1, source: 'statement', said: 'undone' })).toEqual(before);
    expect(fold(before, { at: AT, source: 'statement', said: 'undone' }).done).toBe(0n);
  });

  it.each([
    ['done', 'nothing'],
    ['other', 'nothing'],
    ['nothing', 'done'],
  ] as const)('an older answer %s is a doubt in the newer one, %s', (said, newer) => {
    const before = placed({ said: newer, done: newer === 'done' ? PRICE : 0n, saidAt: AT });
    const older = { at: AT - 1, source: 'statement', said } as const;
    expect(fold(before, older)).toEqual({ ...before, doubtedAt: AT - 1 });
    expect(fold(before, { ...older, readAt: AT + 1 }).doubtedAt).toBe(AT + 1);
  });

  it('an answer explains the news that came before the question, and no later one', () => {
    const doubted = placed({ said: 'done', done: PRICE, saidAt: 1, doubtedAt: AT });
    expect(answered(doubted, 'done').doubtedAt).toBeNull();
    expect(fold(doubted, { at: AT - 1, source: 'inquiry', said: 'done' }).doubtedAt).toBe(AT);
  });

  it('silence lasts since the first question in vain, until an answer', () => {
    const silent = answered(placed(), 'silent');
    expect(fold(silent, { at: AT + 9, source: 'inquiry', said: 'silent' }).silentSince).toBe(AT);
    expect(fold(silent, { at: AT + 9, source: 'inquiry', said: 'never-seen' })).toMatchObject({
      said: 'nothing',
      silentSince: null,
    });
  });

  it.each([
    ['the time alone', { saidAt: 7, silentSince: 3, doubtedAt: 4 }, false],
    ['the answer', { said: 'undone' }, true],
    ['the amount', { done: 60n }, true],
    ['the message', { message: 'other' }, true],
  ] as const)('a change of %s is kept: %s', (_, changes, expected) => {
    const before = placed({ said: 'done', done: PRICE, saidAt: 1 });
    expect(hasChanged(before, { ...before, ...changes })).toBe(expected);
  });
});
