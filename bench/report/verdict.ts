import type {
  CostMeasurement,
  Measurement,
  PaceMeasurement,
  PredictionMeasurement,
  TimeMeasurement,
  UsageMeasurement,
} from '../benchmark.js';
import { quantile as quantileOf, ratioInterval } from '../statistics.js';

export const isOfTime = (measurement: Measurement): measurement is TimeMeasurement =>
  'quantile' in measurement;

export const isOfPace = (measurement: Measurement): measurement is PaceMeasurement =>
  'paces' in measurement;

export const isOfCost = (measurement: Measurement): measurement is CostMeasurement =>
  'costs' in measurement;

export const isOfUsage = (measurement: Measurement): measurement is UsageMeasurement =>
  'usage' in measurement;

export const isPrediction = (measurement: Measurement): measurement is PredictionMeasurement =>
  'predicted' in measurement;

/** Whether a measurement reaches its bar; one without a bar always does. */
export function passes(measurement: Measurement): boolean {
  if (isOfTime(measurement)) return times(measurement).ratio <= measurement.greatest;
  if (isOfPace(measurement)) return median(measurement) >= (measurement.leastPace ?? 0);
  if (isOfCost(measurement))
    return intervalOf(measurement).upper <= (measurement.greatest ?? Number.POSITIVE_INFINITY);
  if (isOfUsage(measurement)) return true;
  if (isPrediction(measurement)) return Math.abs(ratioOf(measurement) - 1) <= measurement.tolerance;
  const { comparison, bar } = measurement;
  return bar === undefined || comparison.ratio.median >= bar;
}

export const ratioOf = ({ measured, predicted }: PredictionMeasurement): number =>
  measured / predicted;

export const intervalOf = ({ costs }: CostMeasurement) =>
  ratioInterval(costs.subject, costs.baseline);

export const median = ({ paces }: PaceMeasurement): number => quantileOf(paces, 0.5);

/**
 * Milliseconds without those that both sides only waited, and their ratio; `ends` is how sure it is, for
 * people. The ratios of rounds of one time each are those of the rates.
 */
export function times(measurement: TimeMeasurement) {
  const { comparison, quantile, waitedMilliseconds, isOfRounds } = measurement;
  const subject = comparison.subject[quantile] - waitedMilliseconds;
  const baseline = comparison.baseline[quantile] - waitedMilliseconds;
  const { lower, upper } = timeInterval(measurement) ?? {
    lower: 1 / comparison.ratio.maximum,
    upper: 1 / comparison.ratio.minimum,
  };
  const isSaid = isOfRounds || measurement.rounds !== undefined;
  const ends = isSaid ? ` (${lower.toFixed(2)} – ${upper.toFixed(2)})` : '';
  return { subject, baseline, ratio: subject / baseline, ends };
}

/** Of the ratios of the rounds, 95 %; undefined where their times are not kept. */
export function timeInterval({ rounds, waitedMilliseconds }: TimeMeasurement) {
  if (!rounds) return undefined;
  const worked = (times: readonly number[]) => times.map((time) => time - waitedMilliseconds);
  return ratioInterval(worked(rounds.subject), worked(rounds.baseline));
}
