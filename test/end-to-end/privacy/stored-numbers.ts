import { createNumberBox, createNumberHash } from '../../../src/crypto/phone-numbers.ts';
import { hasNumber } from '../../../src/db/phone-numbers.ts';
import type { Stack } from '../../support/stack.ts';

/** SQL condition: a column has this number (E.164). */
export const isNumber = ({ config }: Pick<Stack, 'config'>, column: string, msisdn: string) =>
  hasNumber(column, createNumberHash(config.secrets.digestKey)(msisdn));

/** The settings by which the command line seals and finds numbers as a stack does. */
export const numberSettingsOf = ({ config }: Stack) => ({
  DIGEST_KEY: config.secrets.digestKey.toString('base64'),
  DATA_KEYS: config.secrets.dataKeys
    .map(({ id, key }) => `${id}:${key.toString('base64')}`)
    .join(','),
});

/** Seals and opens numbers for steps that run without a stack. */
export const testNumbers = createNumberBox({
  digestKey: Buffer.alloc(32, 7),
  dataKeys: [{ id: 'k1', key: Buffer.alloc(32, 8) }],
});
