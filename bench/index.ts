import { createStops } from '../src/local/start/stops.ts';
import { createProgress } from '../src/runtime/process/progress.ts';
import { runInterruptibly } from '../test/harness/run-interruptibly.ts';
import { startBacking } from './backing.ts';
import type { Benchmark, BenchmarkResult } from './benchmark.ts';
import {
  generateVoucherBenchmark,
  separateGenerateVoucherBenchmark,
} from './benchmarks/p1-generate-voucher.ts';
import { onePartnerBenchmark } from './benchmarks/p2-one-partner.ts';
import { loginBenchmark } from './benchmarks/p3-login.ts';
import { signedClaimBenchmark } from './benchmarks/p4-signed-claim.ts';
import { signatureChecksBenchmark } from './benchmarks/p4b-signature-checks.ts';
import { listsBenchmark } from './benchmarks/p5-lists.ts';
import { archiveBenchmark, growthBenchmark } from './benchmarks/p6-growth.ts';
import { topupBenchmark } from './benchmarks/p7-topup.ts';
import { hangingProviderBenchmark } from './benchmarks/p8-hanging-provider.ts';
import {
  separateVoucherLivesBenchmark,
  voucherLivesBenchmark,
} from './benchmarks/p9-voucher-lives.ts';
import { eventsBenchmark } from './benchmarks/p10-events.ts';
import { metricsBenchmark } from './benchmarks/p11-metrics.ts';
import { capacityBenchmark } from './benchmarks/p12-capacity.ts';
import { fourProcessesBenchmark, topologyBenchmark } from './benchmarks/p13-topology.ts';
import { tracesBenchmark } from './benchmarks/p14-traces.ts';
import { oneWalletBenchmark } from './benchmarks/p15-one-wallet.ts';
import { soakBenchmark } from './benchmarks/p16-soak.ts';
import { queueBenchmark } from './benchmarks/p17-queue.ts';
import { startBenchmark } from './benchmarks/start.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { json } from './report/json.ts';
import { passes } from './report/reading.ts';
import { table } from './report/table.ts';

const benchmarks: readonly Benchmark[] = [
  generateVoucherBenchmark,
  separateGenerateVoucherBenchmark,
  onePartnerBenchmark,
  loginBenchmark,
  signedClaimBenchmark,
  signatureChecksBenchmark,
  listsBenchmark,
  growthBenchmark,
  archiveBenchmark,
  topupBenchmark,
  hangingProviderBenchmark,
  voucherLivesBenchmark,
  separateVoucherLivesBenchmark,
  eventsBenchmark,
  metricsBenchmark,
  capacityBenchmark,
  topologyBenchmark,
  fourProcessesBenchmark,
  tracesBenchmark,
  oneWalletBenchmark,
  soakBenchmark,
  queueBenchmark,
  startBenchmark,
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
      const result = { name, measurements };
      // A run takes two hours, and what is measured stays where it is interrupted.
      process.stdout.write(`\n${table([result])}\n`);
      results.push(result);
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
  if (options.json) process.stdout.write(`${json(results)}\n`);
  return results.every(({ measurements }) => measurements.every(passes)) ? 0 : 1;
}

// `npm run bench`: each benchmark is a subject against a baseline, measured in turns.
await runInterruptibly(main);
