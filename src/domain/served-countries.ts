import { isNumberOf } from './phone.ts';
import { type Refusal, refuse } from './refusals.ts';

/**
 * Refuses a number (E.164) of a country that the service sends no messages to; null is no number. Messages to some
 * countries cost many times more, and fraudsters earn a share of that price.
 */
export const refuseCountry = (
  msisdn: string | null,
  servedCountries: readonly string[],
): Refusal | undefined =>
  msisdn === null || isNumberOf(servedCountries, msisdn)
    ? undefined
    : refuse('country-not-served', {
        detail: `served countries are ${servedCountries.join(', ')}`,
      });
