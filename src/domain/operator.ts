/** The mobile operators of Ethiopia that airtime and packages can be sent to. */
export type Operator = 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA';

/** By the first digit of the national number. 8 is reserved for an operator that is to come. */
const operatorsByFirstDigit: Readonly<Record<string, Operator>> = {
  '7': 'SAFARICOM_ETHIOPIA',
  '9': 'ETHIO_TELECOM',
};

/**
 * The operator that a number (E.164) belongs to, or undefined where it is of another country or of
 * none of them. Numbers cannot be taken to another operator yet, so the prefix is the truth.
 */
export function operatorOf(msisdn: string): Operator | undefined {
  const [, firstDigit = ''] = /^\+251(\d)\d{8}$/.exec(msisdn) ?? [];
  return operatorsByFirstDigit[firstDigit];
}
