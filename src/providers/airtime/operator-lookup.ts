import { type Operator, operatorOf } from '../../domain/operator.ts';

/**
 * Port: the operator of a number (E.164), or undefined where there is none. It is asynchronous,
 * because number portability would require an inquiry at a provider.
 */
export type OperatorLookup = (msisdn: string) => Promise<Operator | undefined>;

/** Derives the operator from the prefix of the number. */
export const lookUpByPrefix: OperatorLookup = async (msisdn) => operatorOf(msisdn);
