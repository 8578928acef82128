import { expect, it } from 'vitest';
import { createOperatorLookup } from '../../../src/providers/provider-set.ts';

it.each([
  ['+251911234567', 'ETHIO_TELECOM'],
  ['+251711234567', 'SAFARICOM_ETHIOPIA'],
  ['+12025550123', undefined],
])('the registry’s look-up finds the operator of %s', async (msisdn, operator) => {
  expect(await createOperatorLookup()(msisdn)).toBe(operator);
});
