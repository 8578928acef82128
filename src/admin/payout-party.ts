import { z } from 'zod';
import { maskMsisdn, parseMsisdn } from '../domain/phone.ts';
import { bySchema } from './fields.ts';

/** The key of a party, such as msisdn, accountid or walletid. */
export const partyKey = bySchema(
  'key',
  z
    .string()
    .toLowerCase()
    .regex(/^[a-z]{3,40}$/, 'must be a kind of account such as msisdn, accountid or walletid'),
);

/** A merchant's payout account, with its masked form. */
export interface Party {
  readonly key: string;
  readonly value: string;
  readonly shown: string;
}

/** The problem of a value that `readParty` refuses. */
export const PARTY_VALUE_PROBLEM =
  'must be a mobile number, such as +251911234567, because its key is msisdn';

/**
 * Reads the value of a party: a telephone number for the key msisdn, otherwise any text. Undefined
 * for an invalid number.
 */
export function readParty(key: string, value: string): Party | undefined {
  if (key !== 'msisdn') return { key, value, shown: `${key} ${value}` };
  const number = parseMsisdn(value);
  return number === undefined
    ? undefined
    : { key, value: number, shown: `${key} ${maskMsisdn(number)}` };
}
