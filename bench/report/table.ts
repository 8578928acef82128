import type { BenchmarkResult, Measurement } from '../benchmark.ts';
import { readingOf } from './reading.ts';

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

function cells(measurement: Measurement): string[] {
  const { rates = NONE, times = NONE, ratio = '', bar } = readingOf(measurement);
  const verdict = bar ? [bar.words, bar.passed ? 'pass' : 'FAIL'] : NONE;
  return [...rates, ...times, ratio, ...verdict];
}

const NONE = ['', ''] as const;
