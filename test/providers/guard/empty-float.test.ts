import { expect, it } from 'vitest';
import { createEmptyFloat } from '../../../src/providers/guard/empty-float.js';

const refused = (code: string) =>
  ({ kind: 'refused', code, message: 'words', retryCanHelp: true }) as const;

it.each([
  ['gsma', 'insufficientFunds'],
  ['mpesa', '1'],
  ['dt-one', '1006001'],
  ['dt-one', 'REJECTED-INSUFFICIENT-BALANCE'],
  ['reloadly', 'INSUFFICIENT_BALANCE'],
])('%s has no money of ours for a while after %s', (provider, code) => {
  let now = 1_000;
  const float = createEmptyFloat(provider, 300, () => now);
  expect(float.isEmpty()).toBe(false);
  float.note(refused(code));
  expect(float.isEmpty()).toBe(true);
  now += 299;
  float.note({ kind: 'unknown' });
  expect(float.isEmpty()).toBe(true);
  now += 1;
  expect(float.isEmpty()).toBe(false);
  float.note(refused(code));
  float.note({ kind: 'delivered' });
  expect(float.isEmpty()).toBe(false);
});

it.each([
  ['gsma', 'formatError'],
  ['mpesa', '2040'],
  ['dt-one', '1'],
  ['smpp', 'insufficientFunds'],
])('%s may have money after %s', (provider, code) => {
  const float = createEmptyFloat(provider, 300);
  float.note(refused(code));
  expect(float.isEmpty()).toBe(false);
});
