import { describe, expect, it } from 'vitest';
import {
  delaySecondsOf,
  payoutBehaviour,
  smsBehaviour,
  suffixRows,
  topupBehaviour,
} from '../../src/sandbox/scenarios.ts';

it('every suffix has one row', () => {
  const suffixes = suffixRows.map(({ suffix }) => suffix);
  expect(suffixes).toEqual([...new Set(suffixes)].sort());
});

describe('delaySecondsOf', () => {
  it.each([
    ['+251911000000', 0],
    ['+251911000100', 3],
    ['+251911000208', 20],
    ['+251911000314', 300],
    ['+251911000414', 0],
    ['+251911000120', 0],
    ['till', 0],
    ['', 0],
  ])('%j waits %d s', (number, seconds) => {
    expect(delaySecondsOf(number)).toBe(seconds);
  });
});

it('suffixes that mean nothing to a service succeed', () => {
  expect(smsBehaviour('+251911000005')).toEqual({ isReceived: true, answer: 'queued' });
  const success = { books: 'completed', answer: 'transaction', callback: 'once' };
  expect(payoutBehaviour('+251911000019')).toEqual(success);
  expect(payoutBehaviour('')).toEqual(success);
  expect(topupBehaviour('+251911000019', 'ETHIO_TELECOM')).toEqual(success);
  expect(topupBehaviour('+251911234567', 'ETHIO_TELECOM')).toEqual(success);
});
