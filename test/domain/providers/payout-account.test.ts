import { expect, it } from 'vitest';
import { payoutAccountState } from '../../../src/domain/payout-account.ts';

it.each([
  ['Abebe Kebede', 'ABEBE KEBEDE', 'open'],
  ['Abebe Kebede', 'Mr Kebede Abebe Tesfaye', 'open'],
  ['Abebe Kebede Tesfaye', 'Abebe Kebede', 'open'],
  ['José Álvarez', 'Jose Alvarez', 'open'],
  ['አበበ ከበደ', 'አበበ ከበደ', 'open'],
  ['Abebe Kebede', 'Abebe Bekele', 'name-differs'],
  ['Abebe Kebede', 'Chaltu Bekele', 'name-differs'],
  ['Abebe', '-', 'name-differs'],
  [null, 'Chaltu Bekele', 'open'],
  // A registered holder must be confirmed, and a name that nobody tells confirms none.
  ['Abebe Kebede', null, 'not-offered'],
  [null, null, 'open'],
])('expected %s, told %s: %s', (expected, holder, state) => {
  expect(payoutAccountState({ kind: 'open', holder }, expected)).toBe(state);
});

it('a closed account is closed, whoever holds it', () => {
  expect(payoutAccountState({ kind: 'closed' }, 'Abebe Kebede')).toBe('closed');
  expect(payoutAccountState({ kind: 'not-offered' }, 'Abebe Kebede')).toBe('not-offered');
});
