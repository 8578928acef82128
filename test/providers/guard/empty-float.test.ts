import { expect, it } from 'vitest';
import { createEmptyFloat } from '../../../src/providers/guard.ts';

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
  float.noteSending('ours', refused(code));
  expect(float.isEmpty()).toBe(true);
  now += 299;
  float.noteSending('ours', { kind: 'unknown' });
  expect(float.isEmpty()).toBe(true);
  now += 1;
  expect(float.isEmpty()).toBe(false);
  float.noteSending('ours', refused(code));
  float.noteSending('ours', { kind: 'delivered' });
  expect(float.isEmpty()).toBe(false);
});

it.each([
  ['gsma', 'formatError'],
  ['mpesa', '2040'],
  ['dt-one', '1'],
  ['smpp', 'insufficientFunds'],
])('%s may have money after %s', (provider, code) => {
  const float = createEmptyFloat(provider, 300);
  float.noteSending('ours', refused(code));
  expect(float.isEmpty()).toBe(false);
});

it('learns from an inquiry only about a sending that was still open', () => {
  let now = 1_000;
  const float = createEmptyFloat('mpesa', 300, () => now);
  const empty = refused('1');
  // One of yesterday, or of another worker.
  float.noteInquiry('yesterday', empty);
  expect(float.isEmpty()).toBe(false);

  float.noteSending('first', { kind: 'unknown' });
  now += 100;
  float.noteInquiry('first', { kind: 'unknown' });
  float.noteInquiry('first', empty);
  expect(float.isEmpty()).toBe(true);
  float.noteSending('second', { kind: 'delivered' });
  // The watch over refusals asks again: this is known already.
  float.noteInquiry('first', empty);
  expect(float.isEmpty()).toBe(false);
  // Counted since the sending.
  float.noteSending('third', { kind: 'unknown' });
  now += 300;
  float.noteInquiry('third', empty);
  expect(float.isEmpty()).toBe(false);
});

it('believes the latest sending, in whatever order the answers arrive', () => {
  let now = 1_000;
  const float = createEmptyFloat('mpesa', 300, () => now);
  for (const reference of ['first', 'second', 'third']) {
    float.noteSending(reference, { kind: 'unknown' });
    now += 1;
  }
  float.noteInquiry('second', refused('1'));
  float.noteInquiry('first', { kind: 'delivered' });
  expect(float.isEmpty()).toBe(true);
  float.noteInquiry('third', { kind: 'delivered' });
  expect(float.isEmpty()).toBe(false);
});
