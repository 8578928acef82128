import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { withTemporal } from '../backing.ts';
import type { Bench, Benchmark, PredictionMeasurement } from '../benchmark.ts';
import { type CostOfLife, costsOfLife } from '../capacity/predictions.ts';
import { type Counts, readCounts } from '../capacity/read-counts.ts';
import { runSteadily } from '../run-steadily.ts';
import { type Service, withService } from '../service.ts';
import { livesInTurns, voucherLives } from '../voucher-lives.ts';

/** Lives a second. The sizes are multiples of what a life costs, so it must cost the same at each. */
const RATES = [2, 4] as const;
const WARM_UP_PER_SECOND = 6;
const WARM_UP_SECONDS = 10;
const IDLE_SECONDS = 10;

/** P12: what a life costs at two steady rates, against the predictions of capacity.md. */
export const capacityBenchmark: Benchmark = {
  name: 'P12',
  run: (bench) =>
    withTemporal(bench, (temporal) =>
      withService(bench, 'one process', (service) =>
        bench.progress.step('P12 cost of a life at steady rates', (note) =>
          measureRates(bench, { service, temporal, note }),
        ),
      ),
    ),
};

interface Scene {
  readonly service: Service;
  readonly temporal: Client;
  readonly note: (detail: string) => void;
}

async function measureRates(
  { options, backing, signal }: Bench,
  { service, temporal, note }: Scene,
): Promise<readonly PredictionMeasurement[]> {
  const send = livesInTurns(await voucherLives({ service, sandboxUrl: backing.sandboxUrl }));
  let lives = 0;
  const run = async (perSecond: number, seconds: number) => {
    const { milliseconds } = await runSteadily({ send, perSecond, seconds, signal });
    signal.throwIfAborted();
    lives += milliseconds.length;
    return { count: milliseconds.length, after: await readCounts(service, temporal, lives) };
  };
  note('warming up');
  const { after: warm } = await run(WARM_UP_PER_SECOND, WARM_UP_SECONDS);
  note('idle');
  await pause(IDLE_SECONDS * 1_000, undefined, { signal });
  let before = await readCounts(service, temporal, lives);
  const idle = { before: warm, after: before };

  const measured: PredictionMeasurement[] = [];
  for (const rate of RATES) {
    note(`${rate} lives a second`);
    const { count, after } = await run(rate, options.rounds * options.seconds);
    measured.push(...predictionsAt(rate, (cost) => perLife(cost, { before, after, idle, count })));
    before = after;
  }
  return measured;
}

interface Interval {
  readonly before: Counts;
  readonly after: Counts;
}

/** What lives cost beyond what an idle service does by itself in that time. */
function perLife(
  cost: CostOfLife,
  { before, after, idle, count }: Interval & { readonly idle: Interval; readonly count: number },
): number {
  const idlePerSecond = (idle.after[cost] - idle.before[cost]) / (idle.after.at - idle.before.at);
  return (after[cost] - before[cost] - idlePerSecond * (after.at - before.at)) / count;
}

const predictionsAt = (
  rate: number,
  measure: (cost: CostOfLife) => number,
): PredictionMeasurement[] =>
  (Object.keys(costsOfLife) as CostOfLife[]).map((cost) => ({
    title: `${cost} a life, at ${rate} lives a second`,
    ...costsOfLife[cost],
    measured: measure(cost),
  }));
