/** The mobile operators of Ethiopia that the service sends airtime and packages to. */
export const operators = ['ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'] as const;
export type Operator = (typeof operators)[number];

/** By the first digit of the national number. The digit 8 is reserved for a future operator. */
const operatorsByFirstDigit: Readonly<Record<string, Operator>> = {
  '7': 'SAFARICOM_ETHIOPIA',
  '9': 'ETHIO_TELECOM',
};

const ETHIOPIAN = /^\+251(\d)\d{8}$/;

/** Prefixes of national numbers, such as 0791, by the operator that they belong to. */
export type MobilePrefixes = Readonly<Partial<Record<Operator, readonly string[]>>>;

let addedPrefixes: readonly { readonly prefix: string; readonly operator: Operator }[] = [];

/**
 * Tells the rules of prefixes that libphonenumber does not know yet. Every process that reads numbers calls it
 * with its setting before it reads any.
 */
export function addMobilePrefixes(prefixes: MobilePrefixes): void {
  addedPrefixes = operators.flatMap((operator) =>
    (prefixes[operator] ?? []).map((prefix) => ({
      prefix: prefix.replace(/^0/, '+251'),
      operator,
    })),
  );
}

/** The operator of a number (E.164) by an added prefix alone. */
export const addedOperatorOf = (msisdn: string): Operator | undefined =>
  ETHIOPIAN.test(msisdn)
    ? addedPrefixes.find(({ prefix }) => msisdn.startsWith(prefix))?.operator
    : undefined;

/**
 * The operator of a number (E.164); undefined for a foreign number and for an unassigned prefix.
 * Ethiopia has no number portability yet, so the prefix is enough.
 */
export function operatorOf(msisdn: string): Operator | undefined {
  const [, firstDigit = ''] = ETHIOPIAN.exec(msisdn) ?? [];
  return addedOperatorOf(msisdn) ?? operatorsByFirstDigit[firstDigit];
}
