import { expect, it } from 'vitest';
import { keptReason, refuseKeptText, takenOutOf } from '../../../src/domain/repairs.ts';
import { formatVoucherCode, voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher.ts';

const CODE = formatVoucherCode(voucherCodeFromRandom(new Uint8Array(14).fill(11)));

it.each([
  ['Owner has 0911234567', 'a phone number'],
  ['Call +251 911 23 45 67, please.', 'a phone number'],
  ['(0911-234-567) is wrong', 'a phone number'],
  ['number:251911234567', 'a phone number'],
  ['Ticket 4711, now +44 7400 123456.', 'a phone number'],
  ['0911234567.', 'a phone number'],
  ['his code is 123456', 'a code'],
  ['Code: 12345678', 'a code'],
  [`Voucher ${CODE}`, 'the code of a voucher'],
  [`(${CODE.replaceAll('-', ' ').toLowerCase()})`, 'the code of a voucher'],
  [`${CODE.slice(0, 9)} ${CODE.slice(10)}.`, 'the code of a voucher'],
  [CODE.replaceAll('-', ''), 'the code of a voucher'],
])('takes personal data out of %s', (why, what) => {
  expect(refuseKeptText(why)).toContain(`names ${what}:`);
  const kept = keptReason(why);
  expect(kept).toContain(what === 'a phone number' ? '[number]' : '[code]');
  expect(kept).not.toMatch(/\d{5}/);
  expect(refuseKeptText(kept)).toBeUndefined();
  expect(takenOutOf(kept)).toContain('was taken out');
});

it('leaves the words around personal data as they are', () => {
  expect(keptReason('Ticket 4711: call +251 911 23 45 67, please. His code is 123456!')).toBe(
    'Ticket 4711: call [number], please. His code is [code]!',
  );
  expect(keptReason(`0911234567 has ${CODE}, not 0922 345 678.`)).toBe(
    '[number] has [code], not [number].',
  );
});

it.each([
  'Ticket 4711',
  'TICKET-471123, asked by the merchant on 2026-11-23',
  'Serial 012345678901234567, redemption RDM-0123456789ABCDEF',
  'ETB 1 500 too much, 3 of 4 vouchers',
  'Error code 5004 in ticket 4711',
  'The letter of the provider, MP240117',
  // Words that have sixteen characters together, and the check character of a code by chance.
  'Ticket 1005, the shop typed it wrong',
  'The customer had no code at the till now',
])('lets %s pass', (why) => {
  expect(refuseKeptText(why)).toBeUndefined();
  expect(keptReason(why)).toBe(why);
  expect(takenOutOf(why)).toBeUndefined();
});
