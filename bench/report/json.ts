import type {
  BenchmarkResult,
  CostMeasurement,
  GrowthMeasurement,
  Measurement,
  PaceMeasurement,
  PredictionMeasurement,
  RateMeasurement,
  SecondsMeasurement,
  TimeMeasurement,
  UsageMeasurement,
} from '../benchmark.ts';
import { quantile as quantileOf } from '../statistics.ts';
import {
  byKind,
  growthOf,
  intervalOf,
  median,
  medianSeconds,
  passes,
  ratioOf,
  timeInterval,
  times,
} from './verdict.ts';

/** The results for programs: by the benchmark's name its first measurement, the others `beside`. */
export function json(results: readonly BenchmarkResult[]): string {
  const entries = results.map(({ name, measurements: [own, ...others] }) => [
    name,
    { ...plain(own), ...(others.length > 0 ? { beside: others.map(plain) } : {}) },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

const plain = (measurement: Measurement) =>
  byKind<object>(measurement, {
    time: plainTime,
    pace: plainPace,
    seconds: plainSeconds,
    cost: plainCost,
    usage: plainUsage,
    growth: plainGrowth,
    prediction: plainPrediction,
    rate: plainRate,
  });

/** Rates per second, times in milliseconds. */
function plainRate(measurement: RateMeasurement) {
  const { subject, baseline, ratio } = measurement.comparison;
  const { title, bar } = measurement;
  return {
    title,
    subject: rounded(subject.rate, 1),
    baseline: rounded(baseline.rate, 1),
    ratio: rounded(ratio.median, 3),
    ...(bar === undefined ? {} : { barIs: 'at least', bar, passed: passes(measurement) }),
    ratioMinimum: rounded(ratio.minimum, 3),
    ratioMaximum: rounded(ratio.maximum, 3),
    subjectP50: rounded(subject.p50, 1),
    subjectP99: rounded(subject.p99, 1),
    baselineP50: rounded(baseline.p50, 1),
    baselineP99: rounded(baseline.p99, 1),
    subjectCompleted: subject.completed,
    baselineCompleted: baseline.completed,
  };
}

/** Times in milliseconds; the ends are those of the 95 % interval of the rounds' ratio. */
function plainTime(measurement: TimeMeasurement) {
  const { subject, baseline, ratio } = times(measurement);
  const interval = timeInterval(measurement);
  return {
    title: measurement.title,
    subject: rounded(subject, 1),
    baseline: rounded(baseline, 1),
    ratio: rounded(ratio, 3),
    barIs: 'at most',
    bar: measurement.greatest,
    passed: passes(measurement),
    ...(interval && {
      ratioLower: rounded(interval.lower, 3),
      ratioUpper: rounded(interval.upper, 3),
    }),
  };
}

/** CPU milliseconds a call; the ends are those of the 95 % interval of the ratio. */
function plainCost(measurement: CostMeasurement) {
  const { title, costs, greatest: bar } = measurement;
  const { mean, lower, upper } = intervalOf(measurement);
  return {
    title,
    subject: rounded(quantileOf(costs.subject, 0.5), 3),
    baseline: rounded(quantileOf(costs.baseline, 0.5), 3),
    ratio: rounded(mean, 4),
    ...(bar === undefined ? {} : { barIs: 'at most', bar, passed: passes(measurement) }),
    ratioLower: rounded(lower, 4),
    ratioUpper: rounded(upper, 4),
  };
}

/** CPU milliseconds a call. */
const plainUsage = ({ title, usage: { subject, baseline } }: UsageMeasurement) => ({
  title,
  subject: rounded(subject, 3),
  baseline: rounded(baseline, 3),
});

/** Medians of the last quarter of a run, and of its first one. */
const plainGrowth = (measurement: GrowthMeasurement) => ({
  title: measurement.title,
  subject: rounded(measurement.quarters.last, 1),
  baseline: rounded(measurement.quarters.first, 1),
  ratio: rounded(growthOf(measurement), 3),
  ...(measurement.greatest === undefined
    ? {}
    : { barIs: 'at most', bar: measurement.greatest, passed: passes(measurement) }),
});

/** The bar is how far the ratio may be from 1. */
const plainPrediction = (measurement: PredictionMeasurement) => ({
  title: measurement.title,
  subject: rounded(measurement.measured, 2),
  baseline: measurement.predicted,
  ratio: rounded(ratioOf(measurement), 3),
  barIs: 'from 1 at most',
  bar: measurement.tolerance,
  passed: passes(measurement),
});

/** Per second; the bar, too. */
function plainPace(measurement: PaceMeasurement) {
  const { title, paces, leastPace: bar } = measurement;
  return {
    title,
    subject: rounded(median(measurement), 1),
    ...(bar === undefined ? {} : { barIs: 'at least', bar, passed: passes(measurement) }),
    subjectMinimum: rounded(Math.min(...paces), 1),
    subjectMaximum: rounded(Math.max(...paces), 1),
  };
}

/** Seconds; the bar, too. */
const plainSeconds = (measurement: SecondsMeasurement) => ({
  title: measurement.title,
  subject: rounded(medianSeconds(measurement), 3),
  barIs: 'at most',
  bar: measurement.most,
  passed: passes(measurement),
  subjectMinimum: rounded(Math.min(...measurement.seconds), 3),
  subjectMaximum: rounded(Math.max(...measurement.seconds), 3),
});

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
