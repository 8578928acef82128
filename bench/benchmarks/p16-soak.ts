import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ProviderName } from '../../src/domain/providers.ts';
import { call } from '../../test/support/clients.ts';
import type { Bench, Benchmark, GrowthMeasurement, Measurement } from '../benchmark.ts';
import { memoryOf } from '../cpu/process-usage.ts';
import { measureLives } from '../highest-rate.ts';
import { type BenchCall, FailedCallError, type SendBenchCall } from '../run-load.ts';
import { runSteadily } from '../run-steadily.ts';
import { type Service, withService } from '../service.ts';
import { quantile } from '../statistics.ts';
import { messagesSettled } from '../voucher-lives.ts';

/** Of the rate that the machine reaches with the same faults. */
const SHARE = 0.8;
/** Of the length of the run: the time in which the highest rate is measured before it. */
const SHARE_OF_MEASURING = 0.1;
/** Of the steady rate. */
const LEAST_SHARE_DONE = 0.95;
const SAMPLE_SECONDS = 5;
const CALM_SECONDS = 20;
const FAULT_SECONDS = 5;
const RETRY_MS = 500;
const MOST_TRIES = 60;

/** The greatest ratios of the last quarter to the first one. */
const BARS = { p50: 1.2, p99: 1.3, memory: 1.1, connections: 1.1 };

/**
 * P16: lives of vouchers by two processes at four fifths of the rate that they reach, while faults come and go.
 * Neither times nor memory nor connections may grow.
 */
export const soakBenchmark: Benchmark = {
  name: 'P16',
  run: (bench) =>
    withService(bench, 'two services', (service) =>
      bench.progress.step('P16 soak', (note) => soak(bench, service, note)),
    ),
};

/** A figure at a time of the run. */
interface Figure {
  readonly at: number;
  readonly value: number;
}

/** What the run uses at one time. */
interface Sample {
  readonly at: number;
  readonly connections: number;
  /** Megabytes. */
  readonly service: number;
  readonly temporal: number;
}

async function soak(
  bench: Bench,
  service: Service,
  note: (detail: string) => void,
): Promise<readonly Measurement[]> {
  const { options, signal } = bench;
  const seconds = options.minutes * 60;
  const { through } = createRepetition();
  const measuring = { seconds: SHARE_OF_MEASURING * seconds, note, through };
  const { result: measured } = await amongFaults(bench, service, () =>
    measureLives(bench, service, measuring),
  );
  const { send: sendLife, rate } = measured;
  const perSecond = SHARE * rate;
  note(`${perSecond.toFixed(1)} lives a second for ${options.minutes} minutes`);
  const repeated = createRepetition();
  /** The milliseconds of each life, at its end. */
  const lives: Figure[] = [];
  const send = async (sendOnce: SendBenchCall) => {
    const startedAt = performance.now();
    await sendLife(repeated.through(sendOnce));
    const at = performance.now();
    lives.push({ at, value: at - startedAt });
  };
  const startedAt = performance.now();
  const { faults, samples } = await amongFaults(bench, service, () =>
    runSteadily({ send, perSecond, seconds, signal }),
  );
  await messagesSettled(service);
  const title = `lives, ${faults} faults, ${repeated.count()} repeated calls, rate / ${rate.toFixed(1)}`;
  const minutes = Array.from({ length: Math.floor(options.minutes) || 1 }, (_, minute) => minute);
  const length = seconds / minutes.length;
  const paces = minutes.map(
    (minute) =>
      lives.filter(({ at }) => Math.floor((at - startedAt) / 1_000 / length) === minute).length /
      length,
  );
  return [
    { title, paces, leastPace: Number((LEAST_SHARE_DONE * perSecond).toFixed(1)) },
    ...growths(startedAt, seconds, { lives, samples }),
  ];
}

/** Runs work while faults come and go, and takes samples meanwhile. */
async function amongFaults<Result>(bench: Bench, service: Service, work: () => Promise<Result>) {
  const ending = new AbortController();
  const ends = AbortSignal.any([bench.signal, ending.signal]);
  const [result, faults, samples] = await Promise.all([
    work().finally(() => ending.abort()),
    breakInTurns(bench, service, ends),
    takeSamples(bench, service, ends),
  ]);
  bench.signal.throwIfAborted();
  return { result, faults, samples };
}

/** Repeats a call that a fault broke, as a client does, and counts how often. */
function createRepetition() {
  let count = 0;
  const attempt = async (send: SendBenchCall, call: BenchCall, tries: number): Promise<unknown> => {
    try {
      return await send(call);
    } catch (error) {
      // A refused connection is none of the faults below.
      if (!(error instanceof FailedCallError) || tries >= MOST_TRIES) throw error;
      count += 1;
      await pause(RETRY_MS);
      return attempt(send, call, tries + 1);
    }
  };
  return {
    through: (send: SendBenchCall) => (call: BenchCall) => attempt(send, call, 1),
    count: () => count,
  };
}

/** Pauses, unless the run has ended. */
const unlessEnded = (seconds: number, signal: AbortSignal): Promise<void> =>
  pause(seconds * 1_000, undefined, { signal }).catch(() => undefined);

async function takeSamples(
  { backing }: Bench,
  { database }: Service,
  signal: AbortSignal,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!signal.aborted) {
    const { rows } = await sql<{ connections: number }>`
      select count(*)::integer as connections from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'`.execute(database);
    const memory = memoryOf(backing.directory);
    samples.push({
      at: performance.now(),
      connections: rows[0]?.connections ?? 0,
      service: memory['API and worker'] ?? 0,
      temporal: memory['Temporal server'] ?? 0,
    });
    await unlessEnded(SAMPLE_SECONDS, signal);
  }
  return samples;
}

/**
 * Breaks one thing after the other, and mends it; returns how often. No fault opens a circuit breaker: its refusal is
 * the answer to a key, and a life ends with it.
 */
async function breakInTurns(
  { backing: { sandboxUrl } }: Bench,
  { database }: Service,
  signal: AbortSignal,
): Promise<number> {
  const slow = (provider: ProviderName) => () =>
    call(`${sandboxUrl}/faults/${provider}`, { method: 'PUT', body: { slowSeconds: 1 } });
  const faults: readonly (() => Promise<unknown>)[] = [
    slow('gsma'),
    slow('africas-talking'),
    () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(database),
  ];
  let count = 0;
  for (;;) {
    await unlessEnded(CALM_SECONDS, signal);
    if (signal.aborted) return count;
    await faults[count % faults.length]?.();
    count += 1;
    await unlessEnded(FAULT_SECONDS, signal);
    await call(`${sandboxUrl}/faults`, { method: 'DELETE' });
  }
}

/** What the last quarter of the run has, against the first one. */
function growths(
  startedAt: number,
  seconds: number,
  { lives, samples }: { readonly lives: readonly Figure[]; readonly samples: readonly Sample[] },
): GrowthMeasurement[] {
  const quarterOf = ({ at }: Figure) => Math.floor(((at - startedAt) / 1_000 / seconds) * 4);
  const growth = (figures: readonly Figure[], share: number) => {
    const of = (quarter: number) => {
      const inQuarter = figures.filter((figure) => quarterOf(figure) === quarter);
      return quantile(
        inQuarter.map(({ value }) => value),
        share,
      );
    };
    return { quarters: { first: of(0), last: of(3) } };
  };
  const [p50, p99] = [growth(lives, 0.5), growth(lives, 0.99)];
  const use = (name: Exclude<keyof Sample, 'at'>) => {
    const figures = samples.map((sample) => ({ at: sample.at, value: sample[name] }));
    return growth(figures, 0.5);
  };
  return [
    { title: 'p50 of a life, last quarter / first', unit: 'ms', ...p50, greatest: BARS.p50 },
    { title: 'p99 of a life', unit: 'ms', ...p99, greatest: BARS.p99 },
    { title: 'memory of the service', unit: 'MB', ...use('service'), greatest: BARS.memory },
    {
      title: 'connections to PostgreSQL',
      unit: '',
      ...use('connections'),
      greatest: BARS.connections,
    },
    { title: 'memory of the Temporal server', unit: 'MB', ...use('temporal') },
  ];
}
