import { expect, test } from 'vitest';
import { readOptions } from '../../bench/options.ts';
import { UsageError } from '../harness/command-line.ts';

const names = ['P1', 'P2', 'P3', 'P3b'];
const growth = { vouchers: [100_000, 1_000_000], calls: 5_000, minutes: 5 };

test.each([
  [[], { only: names, rounds: 8, seconds: 2, json: false, ...growth }],
  [['--json'], { only: names, rounds: 8, seconds: 2, json: true, ...growth }],
  [['--only', 'p3B'], { only: ['P3b'], rounds: 8, seconds: 2, json: false, ...growth }],
  [['--only', 'p2'], { only: ['P2'], rounds: 8, seconds: 2, json: false, ...growth }],
  [
    ['--only', 'P3', '--only=P1', '--rounds', '1', '--seconds', '0.5'],
    { only: ['P1', 'P3'], rounds: 1, seconds: 0.5, json: false, ...growth },
  ],
  [
    ['--vouchers', '2000,20000', '--calls', '10'],
    {
      only: names,
      rounds: 8,
      seconds: 2,
      json: false,
      vouchers: [2_000, 20_000],
      calls: 10,
      minutes: 5,
    },
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
  [['--vouchers', '2000'], '--vouchers cannot be "2000"'],
  [['--vouchers', '20000,2000'], '--vouchers cannot be "20000,2000"'],
  [['--vouchers', '100,20000'], 'two numbers from 1800 on'],
  [['--vouchers', '2000,3000,4000'], '--vouchers cannot be "2000,3000,4000"'],
  [['--minutes', '0'], '--minutes cannot be "0"'],
  [['--calls', '0.5'], '--calls cannot be "0.5"'],
  [['--fast'], '--fast'],
  [['P1'], 'P1'],
])('refuses %j and says how it is used', (commandArguments, message) => {
  const read = () => readOptions(commandArguments, names);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
  expect(read).toThrow('Usage: npm run bench -- [--only P1|P2|P3|P3b]');
});
