import { type CpuTimes, startCpuMeter } from './cpu/process-usage.ts';
import type { BenchOptions } from './options.ts';
import { type Calls, type LoadResult, runLoad } from './run-load.ts';
import { quantile, type SideName, type Sides, sideNames, sidesOf } from './statistics.ts';

interface Figures {
  /** Per second; the median of the rounds. */
  readonly rate: number;
  /** Milliseconds, of all rounds together. */
  readonly p50: number;
  readonly p99: number;
  /** Calls that were answered with success, those of the warm-up included. */
  readonly completed: number;
}

/** A subject against a baseline. A ratio is of the rates that were measured one after the other. */
export interface Comparison {
  readonly subject: Figures;
  readonly baseline: Figures;
  readonly ratio: { readonly median: number; readonly minimum: number; readonly maximum: number };
}

/** With the CPU milliseconds a call, of each round by part of the run; without a reader of them there are none. */
interface MeasuredComparison extends Comparison {
  readonly cpu: Sides<readonly CpuTimes[]>;
}

/** Milliseconds that a hundredth of the calls of one measurement exceed. */
export const p99 = ({ milliseconds }: LoadResult): number => quantile(milliseconds, 0.99);

/** Calls in flight where a comparison asks for no other number. */
export const LANES = 20;

/**
 * Calls of each side before anything is measured. The compiler of Node.js settles only after some
 * hundreds of them: the first ones cost half as much again, and the two sides do not share all code.
 */
const WARM_UP_CALLS = 600;

/**
 * The same for calls of which a thousand a second are answered: next to so little work the compiler's
 * is much, and it goes on for some thousands of them.
 */
export const WARM_UP_OF_QUICK_CALLS = 4_000;

/** Measures both in turns, after a warm-up of each. */
export async function compare(
  {
    options: { rounds, seconds },
    signal,
  }: {
    readonly options: Pick<BenchOptions, 'rounds' | 'seconds'>;
    readonly signal: AbortSignal;
  },
  options: {
    readonly subject: Calls;
    readonly baseline: Calls;
    /** Calls in flight. */
    readonly lanes?: number;
    /** Calls of each side before anything is measured; 0 where an earlier comparison has made them. */
    readonly warmUpCalls?: number;
    /** Told what is being measured. */
    readonly note: (detail: string) => void;
    /** Ends when what a side's calls left behind is done, so that it falls on no measurement. */
    readonly settled?: (side: SideName) => Promise<void>;
    /** CPU milliseconds so far; with it the comparison tells what a call of each side costs. */
    readonly readCpu?: () => CpuTimes;
  },
): Promise<MeasuredComparison> {
  const { lanes = LANES, warmUpCalls = WARM_UP_CALLS, readCpu = () => ({}) } = options;
  const cpu: Sides<CpuTimes[]> = { subject: [], baseline: [] };
  const measure = async (side: SideName) => {
    const costOfCall = startCpuMeter(readCpu);
    const result = await runLoad({ calls: options[side], lanes, seconds, signal });
    await options.settled?.(side);
    return { result, cost: costOfCall(result.milliseconds.length) };
  };

  if (warmUpCalls > 0) options.note('warming up');
  const warmUp = { subject: 0, baseline: 0 };
  while (Math.min(warmUp.subject, warmUp.baseline) < warmUpCalls)
    for (const side of sideNames) warmUp[side] += (await measure(side)).result.milliseconds.length;
  const results: Sides<LoadResult[]> = { subject: [], baseline: [] };
  for (let round = 1; round <= rounds; round += 1) {
    options.note(`round ${round} of ${rounds}`);
    for (const side of sidesOf(round)) {
      const { result, cost } = await measure(side);
      results[side].push(result);
      cpu[side].push(cost);
    }
  }
  return { ...comparisonOf(results, warmUp), cpu };
}

/** What was measured in turns, round by round; calls of a warm-up only count as completed. */
export function comparisonOf(
  { subject, baseline }: Sides<readonly LoadResult[]>,
  warmUp = { subject: 0, baseline: 0 },
): Comparison {
  const ratios = subject.map(({ rate }, round) => rate / (baseline[round]?.rate ?? Number.NaN));
  return {
    subject: figures(subject, warmUp.subject),
    baseline: figures(baseline, warmUp.baseline),
    ratio: {
      median: quantile(ratios, 0.5),
      minimum: Math.min(...ratios),
      maximum: Math.max(...ratios),
    },
  };
}

function figures(results: readonly LoadResult[], warmUpCalls: number): Figures {
  const milliseconds = results.flatMap((result) => result.milliseconds);
  const rates = results.map(({ rate }) => rate);
  return {
    rate: quantile(rates, 0.5),
    p50: quantile(milliseconds, 0.5),
    p99: quantile(milliseconds, 0.99),
    completed: milliseconds.length + warmUpCalls,
  };
}
