/**
 * The value below which a share of all values lies: 0.5 is the median. Between two values it is
 * interpolated, so that the median of an even number is the mean of the middle two.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('There are no values');
  return below + (above - below) * (position - Math.floor(position));
}

/** What is measured, and what it is measured against. */
export type SideName = 'subject' | 'baseline';
export type Sides<Of> = Readonly<Record<SideName, Of>>;

export const sideNames: readonly SideName[] = ['subject', 'baseline'];

/** The order of the sides in a turn: what drifts on the machine falls on both alike. */
export const sidesOf = (turn: number): readonly SideName[] =>
  turn % 2 === 1 ? sideNames : sideNames.toReversed();

/** The 97.5 % quantile of the normal distribution. */
const NORMAL = 1.959964;

/** That of Student's distribution, by Cornish and Fisher's expansion; to 0.001 from five rounds on. */
const student = (freedom: number): number =>
  NORMAL +
  (NORMAL ** 3 + NORMAL) / (4 * freedom) +
  (5 * NORMAL ** 5 + 16 * NORMAL ** 3 + 3 * NORMAL) / (96 * freedom ** 2) +
  (3 * NORMAL ** 7 + 19 * NORMAL ** 5 + 17 * NORMAL ** 3 - 15 * NORMAL) / (384 * freedom ** 3);

/**
 * The geometric mean of the rounds' ratios with its 95 % interval: a round in which the machine was
 * busy with something else pulls it as much as its opposite does.
 */
export function ratioInterval(subject: readonly number[], baseline: readonly number[]) {
  const logs = subject.map((cost, round) => Math.log(cost / (baseline[round] ?? Number.NaN)));
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const freedom = logs.length - 1;
  const variance = logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / freedom;
  const half = student(freedom) * Math.sqrt(variance / logs.length);
  return { mean: Math.exp(mean), lower: Math.exp(mean - half), upper: Math.exp(mean + half) };
}
