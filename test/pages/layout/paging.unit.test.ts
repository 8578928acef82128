import { expect, test } from 'vitest';
import { paging } from '../../../src/pages/layout/paging.ts';
import { plainText } from '../../../src/rendering/html.ts';

const shown = (page: number, totalItems: number, isAtLeast: boolean) => {
  const content = paging({ path: '/vouchers', values: {}, page, limit: 25, totalItems, isAtLeast });
  return plainText(content).replace(/\s+/g, ' ').trim();
};

test.each([
  [1, 30, false, '1–25 of 30 Next'],
  [2, 30, false, '26–30 of 30 Previous'],
  [1, 1_000, true, '1–25 of 1,000+ Next'],
  [41, 1_026, true, '1,001–1,025 of 1,026+ Previous Next'],
])('page %i of %i rows (at least: %s): %s', (page, totalItems, isAtLeast, expected) => {
  expect(shown(page, totalItems, isAtLeast)).toBe(expected);
});
