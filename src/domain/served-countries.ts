import { type Refusal, refuse } from './errors.js';
import { isNumberOf } from './phone.js';

/**
 * Refuses a number (E.164) of a country that the service sends no messages to. Messages to some
 * countries cost many times more, and fraudsters earn a share of that price.
 */
export const refuseCountry = (
  msisdn: string,
  servedCountries: readonly string[],
): Refusal | undefined =>
  isNumberOf(servedCountries, msisdn)
    ? undefined
    : refuse('country-not-served', {
        detail: `served countries are ${servedCountries.join(', ')}`,
      });
