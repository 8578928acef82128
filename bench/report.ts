import type { BenchmarkResult, Measurement } from './benchmark.js';

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

/** Whether a measurement reaches its bar; one without a bar always does. */
export const passes = ({ comparison, bar }: Measurement): boolean =>
  bar === undefined || comparison.ratio.median >= bar;

/** The results for people: a line per measurement, in columns. */
export function table(results: readonly BenchmarkResult[]): string {
  const rows = results.flatMap(({ name, measurements }) =>
    measurements.map((measurement) => row(name, measurement)),
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

function row(name: string, measurement: Measurement): string[] {
  const { subject, baseline, ratio } = measurement.comparison;
  const { title, bar } = measurement;
  return [
    `${name} ${title}`,
    subject.rate.toFixed(1),
    baseline.rate.toFixed(1),
    `${subject.p50.toFixed(0)} / ${subject.p99.toFixed(0)}`,
    `${baseline.p50.toFixed(0)} / ${baseline.p99.toFixed(0)}`,
    `${ratio.median.toFixed(2)} (${ratio.minimum.toFixed(2)} – ${ratio.maximum.toFixed(2)})`,
    bar === undefined ? '' : `≥ ${bar}`,
    bar === undefined ? '' : passes(measurement) ? 'pass' : 'FAIL',
  ];
}

/** The results for programs: by the benchmark's name its first measurement, the others `beside`. */
export function json(results: readonly BenchmarkResult[]): string {
  const entries = results.map(({ name, measurements: [own, ...others] }) => [
    name,
    { ...plain(own), ...(others.length > 0 ? { beside: others.map(plain) } : {}) },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Rates per second, times in milliseconds. */
function plain(measurement: Measurement) {
  const { subject, baseline, ratio } = measurement.comparison;
  const { title, bar } = measurement;
  return {
    title,
    subject: rounded(subject.rate, 1),
    baseline: rounded(baseline.rate, 1),
    ratio: rounded(ratio.median, 3),
    ...(bar === undefined ? {} : { bar, passed: passes(measurement) }),
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

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
