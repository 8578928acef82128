import { z } from 'zod';

/** A whole number of a query, which is text. */
export const numberParameter = (description: string, range: readonly [number, number]) => {
  const [minimum, maximum] = range;
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z.coerce
    .number({ error })
    .int(error)
    .min(minimum, error)
    .max(maximum, error)
    .meta({
      description,
      examples: [maximum],
    });
};
