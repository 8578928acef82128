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
