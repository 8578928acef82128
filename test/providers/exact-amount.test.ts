import { expect, it } from 'vitest';
import { exactAmount } from '../../src/providers/outcome.ts';

it.each([
  ['97.5', '97.50'],
  ['97.500000', '97.50'],
  ['1', '1.00'],
  ['0.125', '0.125'],
  ['999', '999.00'],
  ['1000', undefined],
  ['0.1251', undefined],
  ['0', undefined],
  ['0.000', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1e2', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['01', undefined],
  ['1.', undefined],
  ['.5', undefined],
  [' 1', undefined],
  ['1,5', undefined],
  ['١', undefined],
  ['', undefined],
])('%j with three digits before and after the point is %j', (amount, exact) => {
  expect(exactAmount(amount, { wholeDigits: 3, decimals: 3 })).toBe(exact);
});
