import { constants } from 'node:os';
import { createProgress } from '../src/embedded/progress.js';
import { createStops } from '../src/start/stops.js';
import { startBacking } from './backing.js';
import type { Benchmark, BenchmarkResult } from './benchmark.js';
import { type BenchOptions, readOptions, UsageError } from './options.js';
import { generateVoucherBenchmark } from './p1-generate-voucher.js';
import { onePartnerBenchmark } from './p2-one-partner.js';
import { topupBenchmark } from './p7-topup.js';
import { json, passes, table } from './report.js';

const benchmarks: readonly Benchmark[] = [
  generateVoucherBenchmark,
  onePartnerBenchmark,
  topupBenchmark,
];

class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor(readonly signalName: 'SIGINT' | 'SIGTERM') {
    super('Interrupted');
  }
}

async function runBenchmarks(
  options: BenchOptions,
  signal: AbortSignal,
): Promise<BenchmarkResult[]> {
  const progress = createProgress();
  const stops = createStops();
  try {
    const backing = await startBacking(progress, stops);
    const results: BenchmarkResult[] = [];
    for (const { name, run } of benchmarks.filter((one) => options.only.includes(one.name))) {
      signal.throwIfAborted();
      const measurements = await run({ backing, options, progress, signal });
      results.push({ name, measurements });
    }
    return results;
  } finally {
    await progress.step('Stopping', () => stops.run());
  }
}

/** Returns the exit code: 0 when every bar was reached, else 1. */
async function main(signal: AbortSignal): Promise<number> {
  const options = readOptions(
    process.argv.slice(2),
    benchmarks.map(({ name }) => name),
  );
  const results = await runBenchmarks(options, signal);
  process.stdout.write(`\n${table(results)}\n`);
  if (options.json) process.stdout.write(`${json(results)}\n`);
  return results.every(({ measurements }) => measurements.every(passes)) ? 0 : 1;
}

/** What is told when the run failed, and the exit code. */
function failed(error: unknown): number {
  if (error instanceof InterruptedError) {
    process.stderr.write('Interrupted: everything was stopped\n');
    return 128 + constants.signals[error.signalName];
  }
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}

// `npm run bench`: each benchmark is a subject against a baseline, measured in turns.
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interruption.abort(new InterruptedError(name)));
const exitCode = await main(interruption.signal).catch((error) =>
  // Whatever fails after the interruption fails because of it.
  failed(interruption.signal.aborted ? interruption.signal.reason : error),
);
process.exit(exitCode);
