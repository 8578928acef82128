import { expect, test } from 'vitest';
import { OPERATION_DAYS } from '../../activities/expiry.ts';
import { accessSettings } from '../../src/config/settings/access-settings.ts';
import { topupSettings, voucherSettings } from '../../src/config/settings/business-settings.ts';
import { httpSettings } from '../../src/config/settings/deployment-settings.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import { WRONG_CODES_PER_DAY } from '../../src/domain/vouchers/claim.ts';
import { BODY_LIMIT_BYTES } from '../../src/http/body/json-body.ts';
import { guide } from './guides.ts';

const settings = { ...accessSettings, ...httpSettings, ...voucherSettings };

/** The beginning of a line of the guide, and its number, or the value of the settings whose default it is. */
const numbers: readonly (readonly [line: string, number: number | keyof typeof settings])[] = [
  ['Calls of one address', 'CALLS_PER_ADDRESS_AND_MINUTE'],
  ['Calls of one company', 'CALLS_PER_COMPANY_AND_MINUTE'],
  ['Log-ins with invalid API keys, of one address', 'KEY_MISSES_PER_ADDRESS_AND_HOUR'],
  ['Log-ins with invalid API keys that begin alike', 'KEY_MISSES_PER_PREFIX_AND_HOUR'],
  ['Wrong signatures of a merchant', 'SIGNATURE_DIAGNOSES_PER_MERCHANT_AND_MINUTE'],
  ['Voucher codes that do not exist', 'VOUCHER_MISSES_PER_COMPANY_AND_HOUR'],
  ['The same, of an address', 'VOUCHER_MISSES_PER_ADDRESS_AND_HOUR'],
  ['Wrong verification codes of a company for one voucher', WRONG_CODES_PER_DAY],
  ['Wrong verification codes of a company, all', 'CODE_ATTEMPTS_PER_COMPANY_AND_DAY'],
  ['Wrong verification codes of a company, all', 'CODE_ATTEMPT_PAUSE_SECONDS'],
  ['Verification codes for one voucher', 'MESSAGE_COOLDOWN_SECONDS'],
  ['Verification codes to one phone number', 'MESSAGES_PER_NUMBER_AND_DAY'],
  ['Messages to one number', 'REFUSED_MESSAGES_PER_NUMBER_AND_HOUR'],
  ['Verification codes of one company', 'MESSAGES_PER_COMPANY_AND_DAY'],
  ['Access token', 'ACCESS_TOKEN_LIFETIME_SECONDS'],
  ['Answer of the service', 'CALLER_WAIT_SECONDS'],
  ['Headers of a request', 'HEADERS_TIMEOUT_SECONDS'],
  ['Whole request', 'REQUEST_TIMEOUT_SECONDS'],
  ['Idle connection', 'IDLE_TIMEOUT_SECONDS'],
  ['Voucher |', 'VOUCHER_VALIDITY_DAYS'],
  ['Idempotency key | Remembered', OPERATION_DAYS],
  ['Body', BODY_LIMIT_BYTES],
  ['Airtime in one top-up', 5],
  ['Airtime in one top-up', 10_000],
  ['Part of a voucher', 'REDEMPTION_MINIMUM'],
  ['Part of a voucher', 'PARTIAL_REDEMPTIONS_PER_VOUCHER'],
];

function numberOf(number: (typeof numbers)[number][1]): string {
  if (typeof number === 'number') return String(number);
  const value = settings[number].parse(undefined);
  return String(typeof value === 'bigint' ? Number(formatAmount(value)) : value);
}

test.each(numbers)('the guide to limits says of “%s” the value of %s', (line, number) => {
  const lines = guide('limits.md').split('\n');
  const found = lines.find((one) => one.startsWith(`| ${line}`)) ?? '';
  const said = found.match(/\d[\d,]*/g)?.map((one) => one.replaceAll(',', ''));
  expect(said).toContain(numberOf(number));
});

test('the airtime of each mobile operator has the range that the guide says', () => {
  const range = { minimum: parseMoney('5'), maximum: parseMoney('10000') };
  expect(topupSettings.AIRTIME_RANGES.parse(undefined)).toEqual({
    ETHIO_TELECOM: range,
    SAFARICOM_ETHIOPIA: range,
  });
});
