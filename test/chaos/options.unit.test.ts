import { describe, expect, test } from 'vitest';
import { faultNames } from '../../chaos/faults/faults.ts';
import { readOptions } from '../../chaos/options.ts';

describe('the command line of the chaos', () => {
  test('has a new seed, a minute, twenty clients and every fault', () => {
    const options = readOptions([]);
    expect(options).toMatchObject({ minutes: 1, clients: 20, faults: faultNames });
    expect(options.seed).toBeGreaterThan(0);
    expect(readOptions([]).seed).not.toBe(options.seed);
  });

  test('takes what is given', () => {
    const given = ['--seed', '7', '--minutes', '0.5', '--clients', '3', '--faults', 'kill-api'];
    expect(readOptions(given)).toEqual({
      seed: 7,
      minutes: 0.5,
      clients: 3,
      faults: ['kill-api'],
    });
    expect(readOptions(['--faults', 'none']).faults).toEqual([]);
  });

  test.each([
    [['--seed', 'x'], '--seed cannot be "x"'],
    [['--seed', '1.5'], '--seed cannot be "1.5"'],
    [['--minutes', '0'], '--minutes cannot be "0"'],
    [['--clients', '-1'], "'--clients' argument is ambiguous"],
    [['--faults', 'rain'], 'There is no fault "rain"'],
    [['--storm'], "Unknown option '--storm'"],
  ])('refuses %j', (given, problem) => {
    expect(() => readOptions(given)).toThrow(problem);
  });
});
