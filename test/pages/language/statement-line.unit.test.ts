import { expect, test } from 'vitest';
import type { StoredNumber } from '../../../src/domain/phone.ts';
import {
  DEPOSIT_CORRECTION,
  explainLine,
  GOODWILL,
  sentenceOfLine,
  type WalletChange,
} from '../../../src/domain/statements.ts';
import { inLanguage, sentence } from '../../../src/pages/language/language.ts';

const nothing: WalletChange = {
  operation_id: 'generate-1',
  step: 'transfer',
  other_account: 'gift-hold',
  change: '-1.00',
  serial_number: null,
  redemption_reference: null,
  merchant_name: null,
  topup_id: null,
  topup_attempt: null,
  topup_attempt_status: null,
  topup_product: null,
  msisdn: null,
};
const voucher = { ...nothing, serial_number: '100200' };
const redemption = { ...voucher, redemption_reference: '300', merchant_name: '400' };
const topup = { ...nothing, topup_id: 5, topup_attempt: 1 };
const attempt = {
  ...topup,
  other_account: 'airtime-hold',
  topup_attempt_status: 'HELD',
  msisdn: 'hash.+2519*****344.1.box' as unknown as StoredNumber,
} as const;

const TOPUP_REFERENCE = `${'0'.repeat(32)}-1`;

/** All values are digits, so that every Latin letter belongs to a sentence. */
const lines: readonly WalletChange[] = [
  { ...nothing, operation_id: 'deposit:77' },
  { ...nothing, operation_id: 'deposit:77', step: `${DEPOSIT_CORRECTION}1` },
  { ...nothing, operation_id: 'goodwill:77', step: GOODWILL },
  ...['-1.00', '1.00'].map((change) => ({
    ...nothing,
    ...{ operation_id: '77', step: '88', other_account: '99', change },
  })),
  ...['-1.00', '1.00'].flatMap((change) =>
    [
      redemption,
      topup,
      { ...nothing, operation_id: 'recovered:77' },
      { ...nothing, operation_id: `recovered:${TOPUP_REFERENCE}` },
    ].map((line) => ({ ...line, other_account: 'suspense', change })),
  ),
  { ...voucher, operation_id: 'cancel-1' },
  { ...voucher, operation_id: 'expire-1' },
  voucher,
  { ...redemption, change: '1.00' },
  { ...redemption, other_account: 'service-fees', change: '1.00' },
  redemption,
  { ...redemption, other_account: 'service-fees' },
  attempt,
  { ...attempt, topup_attempt_status: 'POSTED' },
  { ...attempt, topup_attempt_status: 'VOIDED' },
  { ...attempt, topup_attempt_status: 'VOIDED', change: '1.00' },
];

test.each(lines.map((line) => [explainLine(line), line] as const))(
  '%s is written in Amharic',
  (english, line) => {
    expect(english).toMatch(/[A-Za-z]/);
    const amharic = inAmharic(line);
    expect(amharic).not.toMatch(/[A-Za-z]/);
    expect(amharic.match(/\d+/g)?.toSorted()).toEqual(english.match(/\d+/g)?.toSorted());
  },
);

test('a value with the words of another sentence stays a value', () => {
  const deposit = { ...nothing, operation_id: 'deposit:77 corrected' };
  expect(inAmharic(deposit)).toBe('ተቀማጭ 77 corrected');
});

function inAmharic(line: WalletChange): string {
  const { text, values } = sentenceOfLine(line);
  return inLanguage('am', () => sentence(text, ...values));
}
