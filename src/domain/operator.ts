/** The mobile operators of Ethiopia that the service sends airtime and packages to. */
export const operators = ['ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'] as const;
export type Operator = (typeof operators)[number];

/** By the first digit of the national number. The digit 8 is reserved for a future operator. */
const operatorsByFirstDigit: Readonly<Record<string, Operator>> = {
  '7': 'SAFARICOM_ETHIOPIA',
  '9': 'ETHIO_TELECOM',
};

/**
 * The operator of a number (E.164); undefined for a foreign number and for an unassigned prefix.
 * Ethiopia has no number portability yet, so the prefix is enough.
 */
export function operatorOf(msisdn: string): Operator | undefined {
  const [, firstDigit = ''] = /^\+251(\d)\d{8}$/.exec(msisdn) ?? [];
  return operatorsByFirstDigit[firstDigit];
}
