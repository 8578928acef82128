import { expect, test } from 'vitest';
import { readOptions, UsageError } from '../../bench/options.js';

const names = ['P1', 'P2', 'P3', 'P3b'];

test.each([
  [[], { only: names, rounds: 8, seconds: 2, json: false }],
  [['--json'], { only: names, rounds: 8, seconds: 2, json: true }],
  [['--only', 'p3B'], { only: ['P3b'], rounds: 8, seconds: 2, json: false }],
  [['--only', 'p2'], { only: ['P2'], rounds: 8, seconds: 2, json: false }],
  [
    ['--only', 'P3', '--only=P1', '--rounds', '1', '--seconds', '0.5'],
    { only: ['P1', 'P3'], rounds: 1, seconds: 0.5, json: false },
  ],
])('reads %j', (commandArguments, expected) => {
  expect(readOptions(commandArguments, names)).toEqual(expected);
});

test.each([
  [['--only', 'P9'], 'There is no benchmark P9'],
  [['--only'], '--only'],
  [['--rounds', '0'], '--rounds cannot be "0"'],
  [['--rounds', '2.5'], '--rounds cannot be "2.5"'],
  [['--rounds', 'many'], '--rounds cannot be "many"'],
  [['--seconds=-1'], '--seconds cannot be "-1"'],
  [['--seconds', 'Infinity'], '--seconds cannot be "Infinity"'],
  [['--fast'], '--fast'],
  [['P1'], 'P1'],
])('refuses %j and says how it is used', (commandArguments, message) => {
  const read = () => readOptions(commandArguments, names);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
  expect(read).toThrow('Usage: npm run bench -- [--only P1|P2|P3|P3b]');
});
