import { createNumberHash } from '../../src/crypto/number-hash.js';
import { hasNumber } from '../../src/db/number-key.js';
import type { StoredNumber } from '../../src/domain/stored-number.js';
import type { Stack } from './stack.js';

/** A number in clear, as rows from before sealing have it. */
export const inClear = (msisdn: string): StoredNumber => msisdn as unknown as StoredNumber;

/** SQL condition: a column has this number (E.164), sealed or in clear. */
export const isNumber = ({ config }: Pick<Stack, 'config'>, column: string, msisdn: string) =>
  hasNumber(column, [createNumberHash(config.DIGEST_KEY)(msisdn), msisdn]);
