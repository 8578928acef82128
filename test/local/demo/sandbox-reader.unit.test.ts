import { expect, test } from 'vitest';
import { parseMsisdn } from '../../../src/domain/phone.ts';
import { newPhoneNumber } from '../../../src/local/demo/scene.ts';

test.each(['ethio', 'safaricom'] as const)('drawn numbers of %s are accepted', (operator) => {
  // One in twenty was not: of 500 at least one would be refused.
  const drawn = Array.from({ length: 500 }, () => newPhoneNumber('success', operator));
  expect(drawn.filter((number) => parseMsisdn(number) !== number)).toEqual([]);
});
