import { expect, it } from 'vitest';
import { operatorOf } from '../../src/domain/phone.ts';

it.each([
  ['+251911234567', 'ETHIO_TELECOM'],
  ['+251900000000', 'ETHIO_TELECOM'],
  ['+251711234567', 'SAFARICOM_ETHIOPIA'],
  ['+251799999999', 'SAFARICOM_ETHIOPIA'],
  ['+251811234567', undefined],
  ['+251111234567', undefined],
  ['+254711234567', undefined],
  ['+25191123456', undefined],
  ['+2519112345678', undefined],
  ['0911234567', undefined],
  ['251911234567', undefined],
  ['x+251911234567', undefined],
  ['', undefined],
])('%j belongs to %s', (msisdn, operator) => {
  expect(operatorOf(msisdn)).toBe(operator);
});
