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
  times,
} from './verdict.ts';

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

const cells = (measurement: Measurement): string[] =>
  byKind(measurement, {
    time: timeCells,
    pace: paceCells,
    seconds: secondsCells,
    cost: costCells,
    usage: usageCells,
    growth: growthCells,
    prediction: predictionCells,
    rate: rateCells,
  });

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

/** The last quarter stands where the subject's answers do, the first one where the baseline's do. */
function growthCells(measurement: GrowthMeasurement): string[] {
  const { quarters, unit, greatest } = measurement;
  const told = (value: number) => `${value.toFixed(0)} ${unit}`.trim();
  const bar = greatest === undefined ? ['', ''] : [`≤ ${greatest}`, verdict(measurement)];
  const ratio = growthOf(measurement).toFixed(2);
  return ['', '', told(quarters.last), told(quarters.first), ratio, ...bar];
}

/** Seconds stand where the times of an answer do. */
function secondsCells(measurement: SecondsMeasurement): string[] {
  const time = `${medianSeconds(measurement).toFixed(2)} s`;
  return ['', '', time, '', '', `≤ ${measurement.most} s`, verdict(measurement)];
}

function paceCells(measurement: PaceMeasurement): string[] {
  const { leastPace } = measurement;
  const pace = median(measurement).toFixed(1);
  const bar = leastPace === undefined ? ['', ''] : [`≥ ${leastPace}/s`, verdict(measurement)];
  return [pace, '', '', '', '', ...bar];
}
