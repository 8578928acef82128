import type { Progress } from '../src/runtime/process/progress.ts';
import type { ThrowawayServices } from '../test/harness/throwaway-services.ts';
import type { Comparison } from './compare.ts';
import type { BenchOptions } from './options.ts';
import type { Sides } from './statistics.ts';

/** What every benchmark is run with. */
export interface Bench {
  readonly backing: ThrowawayServices;
  readonly options: BenchOptions;
  readonly progress: Progress;
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal;
}

/** One line of the report. */
export type Measurement =
  | RateMeasurement
  | TimeMeasurement
  | PaceMeasurement
  | SecondsMeasurement
  | CostMeasurement
  | GrowthMeasurement
  | PredictionMeasurement;

/** Calls per second: the more, the better. */
export interface RateMeasurement {
  /** What is measured / what it is measured against. */
  readonly title: string;
  readonly comparison: Comparison;
  /** The least median ratio that is good enough; without it the line only informs. */
  readonly bar?: number | undefined;
}

/** A quantile of the time that a call takes: the less, the better. */
export interface TimeMeasurement {
  readonly title: string;
  readonly comparison: Comparison;
  readonly quantile: 'p50' | 'p99';
  /** What both sides only wait for; it is taken off both. */
  readonly waitedMilliseconds?: number;
  /** Each round is one time, so that the least and the greatest ratio of a round say how sure it is. */
  readonly isOfRounds?: boolean;
  /** The greatest ratio that is good enough. */
  readonly greatest: number;
  /** The quantile of each round in turns: they tell how sure the ratio is. */
  readonly rounds?: Sides<readonly number[]>;
}

/** What is done per second, without anything to compare it with: the more, the better. */
export interface PaceMeasurement {
  readonly title: string;
  /** Per second, of each round. */
  readonly paces: readonly number[];
  /** The least median that is good enough; without it the line only informs. */
  readonly leastPace?: number | undefined;
}

/** How long something takes, or how much CPU, without anything to compare it with: the less, the better. */
export interface SecondsMeasurement {
  readonly title: string;
  /** Of each round. */
  readonly seconds: readonly number[];
  /** The greatest median that is good enough. */
  readonly most: number;
}

/** CPU milliseconds of each round in turns: the less, the better. */
export interface CostMeasurement {
  readonly title: string;
  readonly costs: Sides<readonly number[]>;
  /**
   * The greatest upper end of the 95 % interval of the ratio that is good enough; without it the line
   * only informs.
   */
  readonly greatest?: number;
}

/** What grows while the same work goes on: the less, the better. */
export interface GrowthMeasurement {
  readonly title: string;
  readonly unit: 'ms' | 'MB' | '';
  /** Medians of the first and of the last quarter of the run. */
  readonly quarters: Readonly<Record<'first' | 'last', number>>;
  /** The greatest ratio of both that is good enough; without it the line only informs. */
  readonly greatest?: number;
}

/** What something costs, against what a page of the documents says. */
export interface PredictionMeasurement {
  readonly title: string;
  readonly predicted: number;
  readonly measured: number;
  /** How far the ratio of both may be from 1. */
  readonly tolerance: number;
}

export interface Benchmark {
  /** P1, P2, … */
  readonly name: string;
  /** The first measurement is the benchmark's own; others are reported beside it. */
  run(bench: Bench): Promise<readonly Measurement[]>;
}

export interface BenchmarkResult {
  readonly name: string;
  readonly measurements: readonly Measurement[];
}
