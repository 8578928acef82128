import { createProgress } from '../src/process/progress.js';
import { createStops } from '../src/start/stops.js';
import { runInterruptibly } from '../test/harness/run-interruptibly.js';
import { startBacking } from './backing.js';
import type { Benchmark, BenchmarkResult } from './benchmark.js';
import {
  generateVoucherBenchmark,
  separateGenerateVoucherBenchmark,
} from './benchmarks/p1-generate-voucher.js';
import { onePartnerBenchmark } from './benchmarks/p2-one-partner.js';
import { loginBenchmark } from './benchmarks/p3-login.js';
import { signedClaimBenchmark } from './benchmarks/p4-signed-claim.js';
import { signatureChecksBenchmark } from './benchmarks/p4b-signature-checks.js';
import { listsBenchmark } from './benchmarks/p5-lists.js';
import { growthBenchmark } from './benchmarks/p6-growth.js';
import { topupBenchmark } from './benchmarks/p7-topup.js';
import { hangingProviderBenchmark } from './benchmarks/p8-hanging-provider.js';
import {
  separateVoucherLivesBenchmark,
  voucherLivesBenchmark,
} from './benchmarks/p9-voucher-lives.js';
import { eventsBenchmark } from './benchmarks/p10-events.js';
import { metricsBenchmark } from './benchmarks/p11-metrics.js';
import { capacityBenchmark } from './benchmarks/p12-capacity.js';
import { topologyBenchmark } from './benchmarks/p13-topology.js';
import { tracesBenchmark } from './benchmarks/p14-traces.js';
import { type BenchOptions, readOptions } from './options.js';
import { json } from './report/json.js';
import { table } from './report/table.js';
import { passes } from './report/verdict.js';

const benchmarks: readonly Benchmark[] = [
  generateVoucherBenchmark,
  separateGenerateVoucherBenchmark,
  onePartnerBenchmark,
  loginBenchmark,
  signedClaimBenchmark,
  signatureChecksBenchmark,
  listsBenchmark,
  growthBenchmark,
  topupBenchmark,
  hangingProviderBenchmark,
  voucherLivesBenchmark,
  separateVoucherLivesBenchmark,
  eventsBenchmark,
  metricsBenchmark,
  capacityBenchmark,
  topologyBenchmark,
  tracesBenchmark,
];

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

// `npm run bench`: each benchmark is a subject against a baseline, measured in turns.
await runInterruptibly(main);
