import type {
  CostMeasurement,
  GrowthMeasurement,
  Measurement,
  PaceMeasurement,
  PredictionMeasurement,
  RateMeasurement,
  SecondsMeasurement,
  TimeMeasurement,
  UsageMeasurement,
} from '../benchmark.ts';
import { quantile as quantileOf, ratioInterval } from '../statistics.ts';

interface Forms<Result> {
  readonly time: (measurement: TimeMeasurement) => Result;
  readonly pace: (measurement: PaceMeasurement) => Result;
  readonly seconds: (measurement: SecondsMeasurement) => Result;
  readonly cost: (measurement: CostMeasurement) => Result;
  readonly usage: (measurement: UsageMeasurement) => Result;
  readonly growth: (measurement: GrowthMeasurement) => Result;
  readonly prediction: (measurement: PredictionMeasurement) => Result;
  readonly rate: (measurement: RateMeasurement) => Result;
}

/** What the form for its kind makes of a measurement. */
export function byKind<Result>(measurement: Measurement, forms: Forms<Result>): Result {
  if ('quantile' in measurement) return forms.time(measurement);
  if ('paces' in measurement) return forms.pace(measurement);
  if ('seconds' in measurement) return forms.seconds(measurement);
  if ('costs' in measurement) return forms.cost(measurement);
  if ('usage' in measurement) return forms.usage(measurement);
  if ('quarters' in measurement) return forms.growth(measurement);
  return 'predicted' in measurement ? forms.prediction(measurement) : forms.rate(measurement);
}

/** Whether a measurement reaches its bar; one without a bar always does. */
export const passes = (measurement: Measurement): boolean =>
  byKind(measurement, {
    time: (time) => times(time).ratio <= time.greatest,
    pace: (pace) => median(pace) >= (pace.leastPace ?? 0),
    cost: (cost) => intervalOf(cost).upper <= (cost.greatest ?? Number.POSITIVE_INFINITY),
    seconds: (seconds) => medianSeconds(seconds) <= seconds.most,
    usage: () => true,
    growth: (growth) => growthOf(growth) <= (growth.greatest ?? Number.POSITIVE_INFINITY),
    prediction: (prediction) => Math.abs(ratioOf(prediction) - 1) <= prediction.tolerance,
    rate: ({ comparison, bar }) => bar === undefined || comparison.ratio.median >= bar,
  });

export const growthOf = ({ quarters }: GrowthMeasurement): number => quarters.last / quarters.first;

export const ratioOf = ({ measured, predicted }: PredictionMeasurement): number =>
  measured / predicted;

export const intervalOf = ({ costs }: CostMeasurement) =>
  ratioInterval(costs.subject, costs.baseline);

export const medianSeconds = ({ seconds }: SecondsMeasurement): number => quantileOf(seconds, 0.5);

export const median = ({ paces }: PaceMeasurement): number => quantileOf(paces, 0.5);

/**
 * Milliseconds without those that both sides only waited, and their ratio; `ends` is its interval, for
 * people. If the times of the rounds are kept, the ratio is the mean of theirs: one disturbed second decides
 * the p99 of all calls together. The ratios of rounds of one time each are those of the rates.
 */
export function times(measurement: TimeMeasurement) {
  const { comparison, quantile, waitedMilliseconds, isOfRounds } = measurement;
  const subject = without(waitedMilliseconds, comparison.subject[quantile]);
  const baseline = without(waitedMilliseconds, comparison.baseline[quantile]);
  const { mean, lower, upper } = timeInterval(measurement) ?? {
    mean: subject / baseline,
    lower: 1 / comparison.ratio.maximum,
    upper: 1 / comparison.ratio.minimum,
  };
  const isSaid = isOfRounds || measurement.rounds !== undefined;
  const ends = isSaid ? ` (${lower.toFixed(2)} – ${upper.toFixed(2)})` : '';
  return { subject, baseline, ratio: mean, ends };
}

/** A shorter time than the waiting has no meaning: neither has its ratio. */
function without(waited: number, milliseconds: number): number {
  if (milliseconds > waited) return milliseconds - waited;
  throw new RangeError(`A call took ${milliseconds} ms, which is less than it waits`);
}

/** Of the ratios of the rounds, 95 %; undefined where their times are not kept. */
export function timeInterval({ rounds, waitedMilliseconds }: TimeMeasurement) {
  if (!rounds) return undefined;
  const worked = (times: readonly number[]) =>
    times.map((time) => without(waitedMilliseconds, time));
  return ratioInterval(worked(rounds.subject), worked(rounds.baseline));
}
