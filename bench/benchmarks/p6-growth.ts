import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApiConfig } from '../../src/config/config.ts';
import { withTemporal } from '../backing.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { comparisonOf, p99 } from '../compare.ts';
import { copyDatabase } from '../copy-database.ts';
import type { HistorySpan } from '../growth/fill-history.ts';
import { type GrownDatabase, growDatabase } from '../growth/grown-database.ts';
import { openSide, type Side } from '../growth/side.ts';
import { type GrowthStep, growthSteps, oldStatement } from '../growth/steps.ts';
import type { LoadResult } from '../run-load.ts';
import { withServices } from '../service.ts';
import { type Sides, sidesOf } from '../statistics.ts';

const RATE_BAR = 0.85;
/** How many times as long the slowest calls, and the scheduled runs, may take. */
const TIME_BAR = 1.3;
const WARM_UP_CALLS = 600;
const THREE_YEARS = 1_090;

/** Nothing runs by itself while something is measured; and claims wait until they are redeemed. */
const QUIET = {
  EXPIRY_RUN_INTERVAL_SECONDS: '86400',
  RECONCILE_INTERVAL_SECONDS: '86400',
  REVERSAL_WATCH_SECONDS: '0',
  CLAIM_LIFETIME_SECONDS: '3600',
};

/**
 * P6: calls and scheduled runs on a long history against the same on a short one. One partner and one
 * merchant own nine tenths of either, and the vouchers are drawn from all of it.
 */
export const growthBenchmark: Benchmark = {
  name: 'P6',
  async run(bench) {
    const [few, many] = bench.options.vouchers;
    const baseline = await grown(bench, few);
    const subject = await grown(bench, many);
    return onBoth(bench, `${many} vouchers / ${few}`, growthSteps, { subject, baseline });
  },
};

/**
 * P6b: the same on three years whose transfers are archived after 18 months, against three years that are all in the
 * database.
 */
export const archiveBenchmark: Benchmark = {
  name: 'P6b',
  async run(bench) {
    const [vouchers] = bench.options.vouchers;
    const archiveFolder = await mkdtemp(join(tmpdir(), 'bench-archive-'));
    try {
      const baseline = await grown(bench, vouchers, { days: THREE_YEARS });
      const subject = await grown(bench, vouchers, { days: THREE_YEARS, archiveFolder });
      const steps = [...growthSteps, oldStatement];
      return await onBoth(bench, 'archive / none', steps, { subject, baseline });
    } finally {
      await rm(archiveFolder, { recursive: true });
    }
  },
};

/** Measures steps on two histories, each with a service of its own. */
const onBoth = (
  bench: Bench,
  sides: string,
  steps: readonly GrowthStep[],
  { subject, baseline }: Sides<GrownDatabase>,
): Promise<readonly Measurement[]> =>
  withTemporal(bench, (temporal) => {
    const backing = { sandboxUrl: bench.backing.sandboxUrl, temporal };
    const serviceOn = ({ url }: GrownDatabase) =>
      ['one process', { ...QUIET, DATABASE_URL: url }] as const;
    return withServices(
      bench,
      { subject: serviceOn(subject), baseline: serviceOn(baseline) },
      async (services) =>
        measure(bench, sides, steps, {
          subject: await openSide(services.subject, subject, backing),
          baseline: await openSide(services.baseline, baseline, backing),
        }),
    );
  });

const grown = (bench: Bench, vouchers: number, span?: HistorySpan): Promise<GrownDatabase> =>
  bench.progress.step(historyTitle(vouchers, span), async (note) => {
    const { settings } = bench.backing;
    const url = await copyDatabase(settings.DATABASE_URL ?? '');
    const config = readApiConfig({ ...settings });
    const history = { url, config, vouchers, signal: bench.signal, note };
    return growDatabase(span ? { ...history, span } : history);
  });

const historyTitle = (vouchers: number, span?: HistorySpan): string =>
  `P6 a history of ${vouchers} vouchers${span ? ` over ${span.days} days` : ''}${
    span?.archiveFolder ? ', archived' : ''
  }`;

/** All steps in each round, the sides in turns. */
async function measure(
  bench: Bench,
  names: string,
  steps: readonly GrowthStep[],
  sides: Sides<Side>,
): Promise<readonly Measurement[]> {
  const { rounds, calls } = bench.options;
  const results = new Map<GrowthStep, Sides<LoadResult[]>>(
    steps.map((step) => [step, { subject: [], baseline: [] }]),
  );
  await bench.progress.step(`P6 ${names}`, async (note) => {
    for (let round = 0; round <= rounds; round += 1) {
      const count = round === 0 ? Math.min(WARM_UP_CALLS, calls) : Math.ceil(calls / rounds);
      for (const [step, result] of results) {
        note(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${step.title}`);
        for (let turn = 0; turn < (step.turns ?? 1); turn += 1)
          for (const side of sidesOf(round + turn)) {
            const measured = await step.measure(sides[side], count, bench.signal);
            if (round > 0) result[side].push(measured);
          }
      }
    }
  });
  return [...results].flatMap(([step, result]) => measurementsOf(step, result, names));
}

function measurementsOf(
  { title: name, kind, mostSeconds: most, turns = 1 }: GrowthStep,
  results: Sides<LoadResult[]>,
  names: string,
): Measurement[] {
  if (most !== undefined) {
    const times = results.subject.flatMap(({ milliseconds }) => milliseconds);
    return [{ title: name, seconds: times.map((time) => time / 1_000), most }];
  }
  const comparison = comparisonOf(results);
  const title = `${name}, ${names}`;
  const time = { comparison, greatest: TIME_BAR };
  // The slowest hundredth of a short turn are what one or two pauses of a process hold up: over all calls
  // together a few long ones would decide.
  const rounds = { subject: results.subject.map(p99), baseline: results.baseline.map(p99) };
  return kind === 'run'
    ? [{ title: `${title}, time`, ...time, quantile: 'p50', isOfRounds: true }]
    : [
        { title, comparison, bar: RATE_BAR },
        { title: `${title}, p99`, ...time, quantile: 'p99', ...(turns > 1 && { rounds }) },
      ];
}
