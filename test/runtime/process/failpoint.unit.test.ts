import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  createFailpoint,
  failpoints,
  isFailpoint,
  passStep,
} from '../../../src/runtime/process/failpoint.ts';

describe('a failpoint', () => {
  it('is nothing where none is set', () => {
    const failpoint = createFailpoint(undefined);
    for (const name of Object.values(failpoints).flat()) expect(failpoint(name)).toBeUndefined();
  });

  it('throws once, at its step only', async () => {
    const failpoint = createFailpoint('redeem-paid:throw');
    expect(failpoint('redeem-paying')).toBeUndefined();
    await expect(failpoint('redeem-paid')).rejects.toThrow('redeem-paid');
    expect(failpoint('redeem-paid')).toBeUndefined();
  });

  it('halts for a while, or for ever', async () => {
    const ended = (setting: string) =>
      Promise.race([
        createFailpoint(setting)('topup-sent')?.then(() => 'went on'),
        sleep(1_500).then(() => 'still there'),
      ]);
    expect(await Promise.all(['topup-sent:delay', 'topup-sent:hang'].map(ended))).toEqual([
      'went on',
      'still there',
    ]);
  });

  it.each([
    ['airtime-topup', 'requested', 'topup-requested'],
    ['airtime-package-topup', 'known', 'topup-known'],
    ['retry-topup', 'answered', 'retry-answered'],
    ['redeem-gift', 'known', 'redeem-known'],
    ['list', 'known', undefined],
  ] as const)('of %s, %s, is %s', (operation, step, expected) => {
    const passed: string[] = [];
    const failpoint = (name: string) => {
      passed.push(name);
      return undefined;
    };
    expect(passStep(failpoint, operation, step)).toBeUndefined();
    expect(passed).toEqual(expected ? [expected] : []);
  });

  it.each([
    ['redeem-paid', true],
    ['redeem-paid:kill', true],
    ['generate-committed:throw', true],
    ['claim-sent:hang', true],
    ['topup-numbered:delay', true],
    ['retry-numbered', false],
    ['redeem-paid:explode', false],
    ['redeem', false],
  ])('setting %s is one: %s', (setting, isOne) => {
    expect(isFailpoint(setting)).toBe(isOne);
  });
});
