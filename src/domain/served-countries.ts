import { type Refusal, refuse } from './errors.js';
import { isNumberOf } from './phone.js';

/**
 * Refuses a number (E.164) that no message is sent to, because its country is not served: messages to
 * far countries cost a multiple, and whoever owns the numbers may share in it.
 */
export const refuseCountry = (
  msisdn: string,
  servedCountries: readonly string[],
): Refusal | undefined =>
  isNumberOf(servedCountries, msisdn)
    ? undefined
    : refuse('country-not-served', { detail: `served are ${servedCountries.join(', ')}` });
