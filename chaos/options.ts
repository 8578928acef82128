import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { UsageError } from '../bench/options.js';
import { type FaultName, faultNames } from './faults/fault-names.js';

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
  const refuse = (problem: string): never => {
    throw new UsageError(`${problem}\n\n${usage}`);
  };
  const values = parse(commandArguments, refuse);
  const number = (name: keyof typeof values, isAllowed: (value: number) => boolean) => {
    const value = Number(values[name]);
    return isAllowed(value) ? value : refuse(`--${name} cannot be "${values[name]}"`);
  };
  const isWhole = (value: number) => Number.isSafeInteger(value) && value > 0;
  return {
    seed: values.seed === undefined ? randomInt(1, 2 ** 31) : number('seed', isWhole),
    minutes: number('minutes', (value) => value > 0 && Number.isFinite(value)),
    clients: number('clients', isWhole),
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

function parse(commandArguments: readonly string[], refuse: (problem: string) => never) {
  try {
    return parseArgs({
      args: [...commandArguments],
      options: {
        seed: { type: 'string' },
        minutes: { type: 'string', default: '1' },
        clients: { type: 'string', default: '20' },
        faults: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}
