import type {
  CostMeasurement,
  GrowthMeasurement,
  Measurement,
  PaceMeasurement,
  PredictionMeasurement,
  RateMeasurement,
  SecondsMeasurement,
  TimeMeasurement,
} from '../benchmark.ts';
import { quantile as quantileOf, ratioInterval } from '../statistics.ts';

/** What is good enough, and whether a measurement is. */
interface Bar {
  readonly barIs: 'at least' | 'at most' | 'from 1 at most';
  readonly bar: number;
  readonly passed: boolean;
  /** The bar for people. */
  readonly words: string;
}

type Cells = readonly [subject: string, baseline: string];

/** A measurement as the reports show it. */
interface Reading {
  /** For programs: rates per second, times and CPU in milliseconds. */
  readonly figures: Readonly<Record<string, number>>;
  /** For people, like times and ratio. */
  readonly rates?: Cells;
  /** CPU, memory and predictions stand here, too. */
  readonly times?: Cells;
  readonly ratio?: string;
  /** Without one the measurement only informs. */
  readonly bar?: Bar | undefined;
}

/** What the reports show of a measurement, by its kind. */
export function readingOf(measurement: Measurement): Reading {
  if ('quantile' in measurement) return readTime(measurement);
  if ('paces' in measurement) return readPace(measurement);
  if ('seconds' in measurement) return readSeconds(measurement);
  if ('costs' in measurement) return readCost(measurement);
  if ('quarters' in measurement) return readGrowth(measurement);
  return 'predicted' in measurement ? readPrediction(measurement) : readRate(measurement);
}

/** Whether a measurement reaches its bar; one without a bar always does. */
export const passes = (measurement: Measurement): boolean =>
  readingOf(measurement).bar?.passed ?? true;

function readRate({ comparison, bar }: RateMeasurement): Reading {
  const { subject, baseline, ratio } = comparison;
  const times = ({ p50, p99 }: typeof subject) => `${p50.toFixed(0)} / ${p99.toFixed(0)}`;
  return {
    figures: {
      subject: rounded(subject.rate, 1),
      baseline: rounded(baseline.rate, 1),
      ratio: rounded(ratio.median, 3),
      ratioMinimum: rounded(ratio.minimum, 3),
      ratioMaximum: rounded(ratio.maximum, 3),
      subjectP50: rounded(subject.p50, 1),
      subjectP99: rounded(subject.p99, 1),
      baselineP50: rounded(baseline.p50, 1),
      baselineP99: rounded(baseline.p99, 1),
      subjectCompleted: subject.completed,
      baselineCompleted: baseline.completed,
    },
    rates: [subject.rate.toFixed(1), baseline.rate.toFixed(1)],
    times: [times(subject), times(baseline)],
    ratio: ratio.median.toFixed(2) + ends(ratio.minimum, ratio.maximum, 2),
    bar: atLeast(ratio.median, bar),
  };
}

/**
 * Milliseconds without those that both sides only waited, and their ratio. If the times of the rounds are kept, the
 * ratio is the mean of theirs, with its 95 % interval: one disturbed second decides the p99 of all calls together. The
 * ratios of rounds of one time each are those of the rates.
 */
function readTime(measurement: TimeMeasurement): Reading {
  const {
    comparison,
    quantile,
    waitedMilliseconds = 0,
    isOfRounds,
    rounds,
    greatest,
  } = measurement;
  const worked = (milliseconds: number) => without(waitedMilliseconds, milliseconds);
  const subject = worked(comparison.subject[quantile]);
  const baseline = worked(comparison.baseline[quantile]);
  const interval = rounds && ratioInterval(rounds.subject.map(worked), rounds.baseline.map(worked));
  const { mean, lower, upper } = interval ?? {
    mean: subject / baseline,
    lower: 1 / comparison.ratio.maximum,
    upper: 1 / comparison.ratio.minimum,
  };
  return {
    figures: {
      subject: rounded(subject, 1),
      baseline: rounded(baseline, 1),
      ratio: rounded(mean, 3),
      ...(interval && { ratioLower: rounded(lower, 3), ratioUpper: rounded(upper, 3) }),
    },
    times: [subject.toFixed(1), baseline.toFixed(1)],
    ratio: mean.toFixed(2) + (isOfRounds || interval ? ends(lower, upper, 2) : ''),
    bar: atMost(mean, greatest),
  };
}

/** A shorter time than the waiting has no meaning: neither has its ratio. */
function without(waited: number, milliseconds: number): number {
  if (milliseconds > waited) return milliseconds - waited;
  throw new RangeError(`A call took ${milliseconds} ms, which is less than it waits`);
}

/** The ends are those of the 95 % interval of the ratio; a side that used nothing in a round has no ratio. */
function readCost({ costs, greatest }: CostMeasurement): Reading {
  const { mean, lower, upper } = ratioInterval(costs.subject, costs.baseline);
  const [subject, baseline] = [quantileOf(costs.subject, 0.5), quantileOf(costs.baseline, 0.5)];
  return {
    figures: {
      subject: rounded(subject, 3),
      baseline: rounded(baseline, 3),
      ratio: rounded(mean, 4),
      ratioLower: rounded(lower, 4),
      ratioUpper: rounded(upper, 4),
    },
    times: [cpu(subject), cpu(baseline)],
    ratio: Number.isFinite(upper) ? mean.toFixed(3) + ends(lower, upper, 3) : '–',
    bar: atMost(upper, greatest),
  };
}

/** The last quarter of a run is the subject, and its first one the baseline. */
function readGrowth({ quarters: { first, last }, unit, greatest }: GrowthMeasurement): Reading {
  const told = (value: number) => `${value.toFixed(0)} ${unit}`.trim();
  const ratio = last / first;
  return {
    figures: { subject: rounded(last, 1), baseline: rounded(first, 1), ratio: rounded(ratio, 3) },
    times: [told(last), told(first)],
    ratio: ratio.toFixed(2),
    bar: atMost(ratio, greatest),
  };
}

/** The bar is how far the ratio may be from 1. */
function readPrediction({ measured, predicted, tolerance }: PredictionMeasurement): Reading {
  const ratio = measured / predicted;
  return {
    figures: { subject: rounded(measured, 2), baseline: predicted, ratio: rounded(ratio, 3) },
    times: [measured.toFixed(1), predicted.toFixed(1)],
    ratio: ratio.toFixed(2),
    bar: {
      barIs: 'from 1 at most',
      bar: tolerance,
      passed: Math.abs(ratio - 1) <= tolerance,
      words: `1 ± ${tolerance}`,
    },
  };
}

function readPace({ paces, leastPace }: PaceMeasurement): Reading {
  const pace = quantileOf(paces, 0.5);
  return {
    figures: { subject: rounded(pace, 1), ...range(paces, 1) },
    rates: [pace.toFixed(1), ''],
    bar: atLeast(pace, leastPace, '/s'),
  };
}

function readSeconds({ seconds, most }: SecondsMeasurement): Reading {
  const time = quantileOf(seconds, 0.5);
  return {
    figures: { subject: rounded(time, 3), ...range(seconds, 3) },
    times: [`${time.toFixed(2)} s`, ''],
    bar: atMost(time, most, ' s'),
  };
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const range = (values: readonly number[], digits: number) => ({
  subjectMinimum: rounded(Math.min(...values), digits),
  subjectMaximum: rounded(Math.max(...values), digits),
});

const ends = (lower: number, upper: number, digits: number): string =>
  ` (${lower.toFixed(digits)} – ${upper.toFixed(digits)})`;

const cpu = (milliseconds: number): string => `CPU ${milliseconds.toFixed(2)}`;

const atLeast = (value: number, bar: number | undefined, unit = ''): Bar | undefined =>
  bar === undefined
    ? undefined
    : { barIs: 'at least', bar, passed: value >= bar, words: `≥ ${bar}${unit}` };

const atMost = (value: number, bar: number | undefined, unit = ''): Bar | undefined =>
  bar === undefined
    ? undefined
    : { barIs: 'at most', bar, passed: value <= bar, words: `≤ ${bar}${unit}` };
