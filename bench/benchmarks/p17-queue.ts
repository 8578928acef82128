import { availableParallelism } from 'node:os';
import type { Bench, Benchmark, PredictionMeasurement } from '../benchmark.ts';
import { fitQueue, predictMs, type TimeAtRate } from '../capacity/queue.ts';
import { measureLives } from '../highest-rate.ts';
import { runSteadily } from '../run-steadily.ts';
import { type Service, withService } from '../service.ts';
import { messagesSettled } from '../voucher-lives.ts';

/** Shares of the highest rate. The model is fitted to two of them, and predicts the two others. */
const FITTED = [0.2, 0.5] as const;
const PREDICTED = [0.35, 0.65] as const;
const TOLERANCE = 0.15;
/** A measurement at a steady rate, in lengths of `--seconds`: few lives begin in one. */
const LENGTH = 2;

/** P17: the mean time of a life at two rates, against a queueing model that was fitted to two other rates. */
export const queueBenchmark: Benchmark = {
  name: 'P17',
  run: (bench) =>
    withService(bench, 'one process', (service) =>
      bench.progress.step('P17 queueing model', (note) => measure(bench, service, note)),
    ),
};

async function measure(
  bench: Bench,
  service: Service,
  note: (detail: string) => void,
): Promise<readonly PredictionMeasurement[]> {
  const { rounds, seconds } = bench.options;
  const { send, rate: highestRate } = await measureLives(bench, service, {
    seconds: rounds * seconds,
    note,
  });
  const times = new Map<number, number[]>([...FITTED, ...PREDICTED].map((share) => [share, []]));
  // In turns, so that what drifts on the machine falls on all rates alike.
  for (let round = 1; round <= rounds; round += 1) {
    note(`round ${round} of ${rounds}`);
    for (const [share, milliseconds] of times) {
      const steady = { perSecond: share * highestRate, seconds: LENGTH * seconds };
      milliseconds.push(
        ...(await runSteadily({ send, ...steady, signal: bench.signal })).milliseconds,
      );
      await messagesSettled(service);
    }
  }
  const at = (share: number): TimeAtRate => {
    const milliseconds = times.get(share) ?? [];
    const sum = milliseconds.reduce((total, one) => total + one, 0);
    return { rate: share * highestRate, meanMs: sum / milliseconds.length };
  };
  const cores = { highestRate, cores: availableParallelism() };
  const model = fitQueue(cores, [at(FITTED[0]), at(FITTED[1])]);
  const predictionAt = (share: number): PredictionMeasurement => {
    const { rate, meanMs } = at(share);
    const title = `mean ms of a life at ${rate.toFixed(1)} of ${highestRate.toFixed(1)} lives a second, by ${model.waitMs.toFixed(0)} ms of waiting and ${model.workMs.toFixed(0)} ms of work`;
    return { title, predicted: predictMs(model, rate), measured: meanMs, tolerance: TOLERANCE };
  };
  return PREDICTED.map(predictionAt);
}
