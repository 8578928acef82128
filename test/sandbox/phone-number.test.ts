import { describe, expect, it } from 'vitest';
import { canonicalNumber } from '../../src/sandbox/requests.ts';

describe('canonicalNumber', () => {
  it.each([
    ['0911223344', '+251911223344'],
    ['251911223344', '+251911223344'],
    ['+251911223344', '+251911223344'],
    [' 251911223344', '+251911223344'],
    ['00251 911-22-33-44', '+251911223344'],
    ['+447700900123', '+447700900123'],
    ['2999', '2999'],
    [' till-7 ', 'till-7'],
    ['', ''],
  ])('%j is %j', (text, number) => {
    expect(canonicalNumber(text)).toBe(number);
  });
});
