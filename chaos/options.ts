import { randomInt } from 'node:crypto';
import { readCommandLine } from '../test/harness/command-line.ts';
import { type FaultName, faultNames } from './faults/faults.ts';

export interface ChaosOptions {
  /** Drives the workload, the faults and their times. */
  readonly seed: number;
  /** How long clients work while faults happen; draining comes on top. */
  readonly minutes: number;
  readonly clients: number;
  readonly faults: readonly FaultName[];
}

const usage = `Usage: npm run chaos -- [--seed N] [--minutes M] [--clients N] [--faults NAME,…|none]

  --seed     repeats the random choices of an earlier run (a new seed)
  --minutes  how long clients work and faults happen (1)
  --clients  how many work at the same time (20)
  --faults   only these of ${faultNames.join(', ')} (all)`;

/**
 * Reads the command line.
 *
 * @throws {UsageError}
 */
export function readOptions(commandArguments: readonly string[]): ChaosOptions {
  const { values, refuse, number } = readCommandLine(commandArguments, {
    usage,
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: '1' },
      clients: { type: 'string', default: '20' },
      faults: { type: 'string' },
    },
  });
  const isWhole = Number.isSafeInteger;
  return {
    seed: values.seed === undefined ? randomInt(1, 2 ** 31) : number('seed', values.seed, isWhole),
    minutes: number('minutes', values.minutes, Number.isFinite),
    clients: number('clients', values.clients, isWhole),
    faults: readFaults(values.faults, refuse),
  };
}

function readFaults(text: string | undefined, refuse: (problem: string) => never): FaultName[] {
  if (text === undefined) return [...faultNames];
  if (text === 'none') return [];
  return text
    .split(',')
    .map((name) => faultNames.find((one) => one === name) ?? refuse(`There is no fault "${name}"`));
}
