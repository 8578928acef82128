import { type Operator, operatorOf } from '../../domain/operator.js';

/**
 * Port: the operator that a number (E.164) belongs to, or undefined where there is none. It is
 * asynchronous for the day when numbers can be carried along and a provider has to be asked.
 */
export type OperatorLookup = (msisdn: string) => Promise<Operator | undefined>;

/** Reads the operator from the number itself, without asking anybody. */
export const lookUpByPrefix: OperatorLookup = async (msisdn) => operatorOf(msisdn);
