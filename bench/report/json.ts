import type { BenchmarkResult, Measurement } from '../benchmark.ts';
import { readingOf } from './reading.ts';

/** The results for programs: by the benchmark's name its first measurement, the others `beside`. */
export function json(results: readonly BenchmarkResult[]): string {
  const entries = results.map(({ name, measurements }) => {
    const [own, ...others] = measurements.map(plain);
    return [name, { ...own, ...(others.length > 0 ? { beside: others } : {}) }];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function plain(measurement: Measurement): object {
  const { figures, bar } = readingOf(measurement);
  const { words: _words, ...said } = bar ?? {};
  return { title: measurement.title, ...figures, ...said };
}
