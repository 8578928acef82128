import { describe, expect, it } from 'vitest';
import {
  fold,
  hasChanged,
  type Placement,
  type Said,
  type Word,
} from '../../../src/domain/positions/placement.ts';
import { PRICE, placed } from './a-position.ts';

const said = ['pending', 'nothing', 'done', 'undone', 'other', 'never-seen', 'silent'] as const;

const AT = 1_000;

const answered = (before: Placement, what: Said, further = {}) =>
  fold(before, { at: AT, source: 'inquiry', said: what, ...further });

/** A word after each thing that is said, in the order of `said`. "+" stands for what was done before. */
const table: readonly (readonly [before: Word, done: bigint, after: string])[] = [
  ['none', 0n, 'pending nothing done+ undone other nothing none'],
  ['pending', 0n, 'pending nothing done+ undone other nothing pending'],
  ['nothing', 0n, 'pending nothing done+ undone other nothing nothing'],
  ['done', PRICE, 'done+ nothing done+ undone other+ done+ done+'],
  ['undone', 0n, 'pending nothing done+ undone other nothing undone'],
  ['other', 0n, 'pending nothing done+ undone other other other'],
  ['other', PRICE, 'other+ nothing done+ undone other+ other+ other+'],
];

const cases = table.flatMap(([word, done, after]) =>
  after.split(' ').map((expected, index) => ({
    name: `${word}${done > 0n ? ', done' : ''}, then ${said[index]}: ${expected}`,
    before: placed({ word, done, saidAt: word === 'none' ? null : 1 }),
    what: said[index] as Said,
    expected,
  })),
);

describe('what a provider says of a placement', () => {
  it.each(cases)('$name', ({ before, what, expected }) => {
    const after = answered(before, what);
    expect(`${after.word}${after.done > 0n ? '+' : ''}`).toBe(expected);
    expect(after.done).toBe(expected.endsWith('+') ? PRICE : 0n);
    expect(after.saidAt).toBe(what === 'silent' ? before.saidAt : AT);
    expect(after.silentSince).toBe(what === 'silent' ? AT : null);
  });

  it('done has the amount and the reference of the provider', () => {
    const after = answered(placed(), 'done', {
      amount: 60n,
      providerReference: 'MP1',
      words: 'ok',
    });
    expect(after).toMatchObject({ done: 60n, providerReference: 'MP1', words: 'ok' });
    const undone = answered(after, 'undone');
    expect(undone).toMatchObject({ done: 0n, providerReference: 'MP1', words: null });
  });

  it('an older word changes nothing, and one of the same time does', () => {
    const before = placed({ word: 'done', done: PRICE, saidAt: AT });
    expect(fold(before, { at: AT - 1, source: 'statement', said: 'undone' })).toEqual(before);
    expect(fold(before, { at: AT, source: 'statement', said: 'undone' }).done).toBe(0n);
  });

  it('a callback is a doubt that changes no word, and the first one counts', () => {
    const before = placed({ word: 'done', done: PRICE, saidAt: 1 });
    const doubted = fold(before, { at: AT, source: 'callback', said: 'undone' });
    expect(doubted).toEqual({ ...before, doubtedAt: AT });
    expect(fold(doubted, { at: AT + 1, source: 'callback', said: 'done' })).toEqual(doubted);
  });

  it('an answer explains the news that came before the question, and no later one', () => {
    const doubted = placed({ word: 'done', done: PRICE, saidAt: 1, doubtedAt: AT });
    expect(answered(doubted, 'done').doubtedAt).toBeNull();
    expect(fold(doubted, { at: AT - 1, source: 'inquiry', said: 'done' }).doubtedAt).toBe(AT);
  });

  it('silence lasts since the first question in vain, until an answer', () => {
    const silent = answered(placed(), 'silent');
    expect(fold(silent, { at: AT + 9, source: 'inquiry', said: 'silent' }).silentSince).toBe(AT);
    expect(fold(silent, { at: AT + 9, source: 'inquiry', said: 'never-seen' })).toMatchObject({
      word: 'nothing',
      silentSince: null,
    });
  });

  it.each([
    ['the time alone', { saidAt: 7, silentSince: 3, doubtedAt: 4 }, false],
    ['the word', { word: 'undone' }, true],
    ['the amount', { done: 60n }, true],
    ['the words', { words: 'other' }, true],
  ] as const)('a change of %s is kept: %s', (_, changes, expected) => {
    const before = placed({ word: 'done', done: PRICE, saidAt: 1 });
    expect(hasChanged(before, { ...before, ...changes })).toBe(expected);
  });
});
