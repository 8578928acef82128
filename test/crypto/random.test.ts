import { describe, expect, it } from 'vitest';
import {
  isApiKeyOf,
  randomApiKey,
  randomSerialNumber,
  randomVerificationCode,
} from '../../src/crypto/random.ts';

const times = (count: number, make: () => string) => Array.from({ length: count }, make);

describe('random values', () => {
  it.each([6, 8] as const)('are codes of %i digits that start with every digit', (digits) => {
    const codes = times(2_000, () => randomVerificationCode(digits));
    expect(codes.every((code) => /^[0-9]+$/.test(code) && code.length === digits)).toBe(true);
    expect(new Set(codes.map((code) => code[0])).size).toBe(10);
  });

  it('are serial numbers of 18 digits, all different', () => {
    const serials = times(2_000, randomSerialNumber);
    expect(serials.every((serial) => /^[0-9]{18}$/.test(serial))).toBe(true);
    expect(new Set(serials).size).toBe(2_000);
  });

  it.each([
    ['test', 'gvs_test_'],
    ['production', 'gvs_live_'],
  ] as const)('are API keys of the %s environment', (environment, label) => {
    const { key, prefix } = randomApiKey(environment);
    expect(key).toMatch(new RegExp(`^${label}0[0-9A-Za-z]{29}$`));
    expect(prefix).toBe(key.slice(0, 13));
    expect(new Set(times(500, () => randomApiKey(environment).key)).size).toBe(500);
  });
});

describe('isApiKeyOf', () => {
  const { key } = randomApiKey('test');
  it.each([
    ['its own key', 'test', key, true],
    ['a key of the other environment', 'production', key, false],
    ['a key cut short', 'test', key.slice(0, -1), false],
    ['a longer key', 'test', `${key}0`, false],
    ['a key of another cell', 'test', key.replace('gvs_test_0', 'gvs_test_1'), false],
    ['another label', 'test', key.replace('gvs_test_', 'gvs_demo_'), false],
    ['a line break', 'test', `${key}\n`, false],
    ['nothing', 'test', '', false],
  ] as const)('judges %s', (_, environment, text, expected) => {
    expect(isApiKeyOf(environment, text)).toBe(expected);
  });
});
