import { readCommandLine } from '../test/harness/command-line.ts';
import { SMALLEST_HISTORY } from './growth/history.ts';

export interface BenchOptions {
  /** Names of benchmarks, in the order of the table of them. */
  readonly only: readonly string[];
  /** Pairs of measurements per comparison. */
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  /** Vouchers of the two histories that P6 compares, the smaller first. */
  readonly vouchers: readonly [number, number];
  /** Calls of each side of which P6 takes the slowest. */
  readonly calls: number;
  /** How long P16 goes on. */
  readonly minutes: number;
  readonly json: boolean;
}

const usage = (names: readonly string[]) =>
  `Usage: npm run bench -- [--only ${names.join('|')}]… [--rounds N] [--seconds N]
    [--vouchers N,M] [--calls N] [--minutes N] [--json]

  --only     runs only this benchmark; may be given several times
  --rounds   pairs of measurements per comparison (8)
  --seconds  length of one measurement (2)
  --vouchers the two histories that P6 compares (100000,1000000)
  --calls    calls of each kind that P6 makes (5000)
  --minutes  how long P16 goes on (5)
  --json     prints the results as one JSON object in the last line as well`;

/**
 * Reads the command line of the benchmarks called `names`.
 *
 * @throws {UsageError}
 */
export function readOptions(
  commandArguments: readonly string[],
  names: readonly string[],
): BenchOptions {
  const { values, refuse, number } = readCommandLine(commandArguments, {
    usage: usage(names),
    options: {
      only: { type: 'string', multiple: true },
      rounds: { type: 'string', default: '8' },
      seconds: { type: 'string', default: '2' },
      vouchers: { type: 'string', default: '100000,1000000' },
      calls: { type: 'string', default: '5000' },
      minutes: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
    },
  });
  const isAskedFor = (name: string) =>
    values.only?.some((one) => one.toLowerCase() === name.toLowerCase()) ?? true;
  const unknown = values.only?.find(
    (one) => !names.some((name) => name.toLowerCase() === one.toLowerCase()),
  );
  if (unknown !== undefined) refuse(`There is no benchmark ${unknown}`);
  return {
    only: names.filter(isAskedFor),
    rounds: number('rounds', values.rounds, Number.isInteger),
    seconds: number('seconds', values.seconds, Number.isFinite),
    vouchers: histories(values.vouchers, refuse),
    calls: number('calls', values.calls, Number.isInteger),
    minutes: number('minutes', values.minutes, Number.isFinite),
    json: values.json,
  };
}

function histories(text: string, refuse: (problem: string) => never): readonly [number, number] {
  const [few = 0, many = 0, ...others] = text.split(',').map(Number);
  const areHistories = [few, many].every(
    (vouchers) => Number.isInteger(vouchers) && vouchers >= SMALLEST_HISTORY,
  );
  if (others.length > 0 || !areHistories || few > many)
    refuse(
      `--vouchers cannot be "${text}": two numbers from ${SMALLEST_HISTORY} on, like 100000,1000000`,
    );
  return [few, many];
}
