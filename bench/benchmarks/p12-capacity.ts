import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { withTemporal } from '../backing.ts';
import type { Bench, Benchmark, PredictionMeasurement } from '../benchmark.ts';
import { type CostOfLife, costsOfLife } from '../capacity/predictions.ts';
import { type Counts, readCounts } from '../capacity/read-counts.ts';
import { LANES } from '../compare.ts';
import { type Calls, runLoad } from '../run-load.ts';
import { type Service, withService } from '../service.ts';
import { lifeOf, voucherLives } from '../voucher-lives.ts';

/** Lives a second. The sizes are multiples of what a life costs, so it must cost the same at each. */
const RATES = [2, 4] as const;
const WARM_UP_LIVES = 60;
const IDLE_SECONDS = 10;
const NO_LIMIT_SECONDS = 3_600;

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
  const calls = await voucherLives({ service, sandboxUrl: backing.sandboxUrl });
  let lives = 0;
  const run = async (count: number, rate?: number): Promise<Counts> => {
    const wanted = rate === undefined ? calls : paced(calls, rate);
    await runLoad({ calls: wanted, lanes: LANES, seconds: NO_LIMIT_SECONDS, count, signal });
    lives += count;
    return readCounts(service, temporal, lives);
  };
  note('warming up');
  const warm = await run(WARM_UP_LIVES);
  note('idle');
  await pause(IDLE_SECONDS * 1_000, undefined, { signal });
  let before = await readCounts(service, temporal, lives);
  const idle = { before: warm, after: before };

  const measured: PredictionMeasurement[] = [];
  for (const rate of RATES) {
    note(`${rate} lives a second`);
    const count = Math.ceil(rate * options.rounds * options.seconds);
    const after = await run(count, rate);
    measured.push(...predictionsAt(rate, (cost) => perLife(cost, { before, after, idle, count })));
    before = after;
  }
  return measured;
}

/** The same calls, of which so many begin each second. */
function paced(calls: Calls, rate: number): Calls {
  const startedAt = performance.now();
  let begun = 0;
  return (lane) => {
    const life = lifeOf(calls, lane);
    const beginsAt = startedAt + (begun++ * 1_000) / rate;
    return async (send) => {
      await pause(Math.max(0, beginsAt - performance.now()));
      await life(send);
    };
  };
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
