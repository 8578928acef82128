import { expect, it } from 'vitest';
import { plainWords } from '../../../src/domain/staff.ts';

it.each([
  ['Declined: invalid credit party.', 'the operator does not know this number'],
  ['Credit party mobile number is invalid', 'the operator does not know this number'],
  ['Recipient phone number is not valid', 'the operator does not know this number'],
  ['InvalidPhoneNumber', 'the operator does not know this number'],
  ['UnsupportedNumberType', 'the operator does not know this number'],
  ['The payee account does not exist', 'the provider has no such account'],
  [
    'Credit Party customer type can not be supported by the service.',
    'the provider has no such account',
  ],
  ['Declined: barred credit party.', 'the number is blocked at its operator'],
  ['The payee account is barred', 'the number is blocked at its operator'],
  ['UserInBlacklist', 'the number is blocked at its operator'],
  [
    'Declined due to limit rule: would exceed the maximum balance.',
    'the account would hold more than it may',
  ],
  ['Rejected: limitations on transaction amount.', 'a limit of the operator is reached'],
  ['The amount is not valid for this operator', 'the operator does not take this amount'],
  ['Requested product amount is out of range', 'the operator does not take this amount'],
  ['The phone number was recharged within the last two minutes', 'a top-up a moment ago'],
  ['The balance is insufficient for the transaction.', 'an operator must fill it up'],
  ['AbsentSubscriber', 'switched off or out of reach'],
  ['The operator is currently unavailable', 'which may pass'],
  ['Declined: operator currently unavailable.', 'which may pass'],
  ['System internal error.', 'which may pass'],
])('%s', (words, meaning) => {
  expect(plainWords(words)).toContain(meaning);
});

it.each(['The payment was declined', 'no answer in time', ''])(
  'has no other words for: %s',
  (words) => {
    expect(plainWords(words)).toBeUndefined();
  },
);
