import type {
  BenchmarkResult,
  CostMeasurement,
  Measurement,
  PaceMeasurement,
  PredictionMeasurement,
  RateMeasurement,
  TimeMeasurement,
  UsageMeasurement,
} from './benchmark.js';
import { quantile as quantileOf, ratioInterval } from './statistics.js';

const COLUMNS = [
  '',
  'subject/s',
  'baseline/s',
  'subject p50/p99 ms',
  'baseline p50/p99 ms',
  'ratio (min – max)',
  'bar',
  '',
];

const isOfTime = (measurement: Measurement): measurement is TimeMeasurement =>
  'quantile' in measurement;

const isOfPace = (measurement: Measurement): measurement is PaceMeasurement =>
  'paces' in measurement;

const isOfCost = (measurement: Measurement): measurement is CostMeasurement =>
  'costs' in measurement;

const isOfUsage = (measurement: Measurement): measurement is UsageMeasurement =>
  'usage' in measurement;

const isPrediction = (measurement: Measurement): measurement is PredictionMeasurement =>
  'predicted' in measurement;

/** Whether a measurement reaches its bar; one without a bar always does. */
export function passes(measurement: Measurement): boolean {
  if (isOfTime(measurement)) return times(measurement).ratio <= measurement.greatest;
  if (isOfPace(measurement)) return median(measurement) >= (measurement.leastPace ?? 0);
  if (isOfCost(measurement))
    return intervalOf(measurement).upper <= (measurement.greatest ?? Number.POSITIVE_INFINITY);
  if (isOfUsage(measurement)) return true;
  if (isPrediction(measurement)) return Math.abs(ratioOf(measurement) - 1) <= measurement.tolerance;
  const { comparison, bar } = measurement;
  return bar === undefined || comparison.ratio.median >= bar;
}

const ratioOf = ({ measured, predicted }: PredictionMeasurement): number => measured / predicted;

const intervalOf = ({ costs }: CostMeasurement) => ratioInterval(costs.subject, costs.baseline);

const median = ({ paces }: PaceMeasurement): number => quantileOf(paces, 0.5);

/** Milliseconds without those that both sides only waited, and their ratio; the rounds' are of rates. */
function times({ comparison, quantile, waitedMilliseconds, isOfRounds }: TimeMeasurement) {
  const subject = comparison.subject[quantile] - waitedMilliseconds;
  const baseline = comparison.baseline[quantile] - waitedMilliseconds;
  const [least, most] = [1 / comparison.ratio.maximum, 1 / comparison.ratio.minimum];
  const ends = isOfRounds ? ` (${least.toFixed(2)} – ${most.toFixed(2)})` : '';
  return { subject, baseline, ratio: subject / baseline, ends };
}

/** The results for people: a line per measurement, in columns. */
export function table(results: readonly BenchmarkResult[]): string {
  const rows = results.flatMap(({ name, measurements }) =>
    measurements.map((measurement) => [`${name} ${measurement.title}`, ...cells(measurement)]),
  );
  const lines = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const aligned = (line: readonly string[]) =>
    line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
  return lines.map((line) => aligned(line).join('  ').trimEnd()).join('\n');
}

function cells(measurement: Measurement): string[] {
  if (isOfTime(measurement)) return timeCells(measurement);
  if (isOfCost(measurement)) return costCells(measurement);
  if (isOfUsage(measurement)) return usageCells(measurement);
  if (isPrediction(measurement)) return predictionCells(measurement);
  return isOfPace(measurement) ? paceCells(measurement) : rateCells(measurement);
}

const verdict = (measurement: Measurement) => (passes(measurement) ? 'pass' : 'FAIL');

function rateCells(measurement: RateMeasurement): string[] {
  const { subject, baseline, ratio } = measurement.comparison;
  const { bar } = measurement;
  return [
    subject.rate.toFixed(1),
    baseline.rate.toFixed(1),
    `${subject.p50.toFixed(0)} / ${subject.p99.toFixed(0)}`,
    `${baseline.p50.toFixed(0)} / ${baseline.p99.toFixed(0)}`,
    `${ratio.median.toFixed(2)} (${ratio.minimum.toFixed(2)} – ${ratio.maximum.toFixed(2)})`,
    ...(bar === undefined ? ['', ''] : [`≥ ${bar}`, verdict(measurement)]),
  ];
}

function timeCells(measurement: TimeMeasurement): string[] {
  const { subject, baseline, ratio, ends } = times(measurement);
  return [
    '',
    '',
    subject.toFixed(1),
    baseline.toFixed(1),
    `${ratio.toFixed(2)}${ends}`,
    `≤ ${measurement.greatest}`,
    verdict(measurement),
  ];
}

/** CPU milliseconds stand where those of an answer do. */
function costCells(measurement: CostMeasurement): string[] {
  const { costs, greatest } = measurement;
  const { mean, lower, upper } = intervalOf(measurement);
  return [
    '',
    '',
    `CPU ${quantileOf(costs.subject, 0.5).toFixed(2)}`,
    `CPU ${quantileOf(costs.baseline, 0.5).toFixed(2)}`,
    `${mean.toFixed(3)} (${lower.toFixed(3)} – ${upper.toFixed(3)})`,
    ...(greatest === undefined ? ['', ''] : [`≤ ${greatest}`, verdict(measurement)]),
  ];
}

function usageCells({ usage }: UsageMeasurement): string[] {
  const { subject, baseline } = usage;
  const ratio = (subject / baseline).toFixed(2);
  return ['', '', `CPU ${subject.toFixed(2)}`, `CPU ${baseline.toFixed(2)}`, ratio, '', ''];
}

/** What is measured and predicted stands where the times of an answer do. */
function predictionCells(measurement: PredictionMeasurement): string[] {
  const { measured, predicted, tolerance } = measurement;
  const bar = `1 ± ${tolerance}`;
  const ratio = ratioOf(measurement).toFixed(2);
  return ['', '', measured.toFixed(1), predicted.toFixed(1), ratio, bar, verdict(measurement)];
}

function paceCells(measurement: PaceMeasurement): string[] {
  const { leastPace } = measurement;
  const pace = median(measurement).toFixed(1);
  const bar = leastPace === undefined ? ['', ''] : [`≥ ${leastPace}/s`, verdict(measurement)];
  return [pace, '', '', '', '', ...bar];
}

/** The results for programs: by the benchmark's name its first measurement, the others `beside`. */
export function json(results: readonly BenchmarkResult[]): string {
  const entries = results.map(({ name, measurements: [own, ...others] }) => [
    name,
    { ...plain(own), ...(others.length > 0 ? { beside: others.map(plain) } : {}) },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

function plain(measurement: Measurement) {
  if (isOfTime(measurement)) return plainTime(measurement);
  if (isOfCost(measurement)) return plainCost(measurement);
  if (isOfUsage(measurement)) return plainUsage(measurement);
  if (isPrediction(measurement)) return plainPrediction(measurement);
  return isOfPace(measurement) ? plainPace(measurement) : plainRate(measurement);
}

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

/** Times in milliseconds. */
function plainTime(measurement: TimeMeasurement) {
  const { subject, baseline, ratio } = times(measurement);
  return {
    title: measurement.title,
    subject: rounded(subject, 1),
    baseline: rounded(baseline, 1),
    ratio: rounded(ratio, 3),
    barIs: 'at most',
    bar: measurement.greatest,
    passed: passes(measurement),
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

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
