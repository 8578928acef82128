import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { ZodType } from 'zod';
import { formatVoucherCode, voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher.ts';
import {
  amountField,
  countryField,
  currencyField,
  idempotencyKeyField,
  idField,
  informativeDecimalField,
  metadataField,
  msisdnField,
  positiveDecimalField,
  verificationCodeField,
  voucherCodeField,
} from '../../../src/http/fields/request-fields.ts';
import { inputSchema } from '../../../src/openapi/schemas.ts';
import { lineSchema } from '../../../src/partner/bulk-orders.ts';

type Accepted = readonly (readonly [sent: unknown, meant: unknown])[];

const ajv = new Ajv2020({ strict: false });

/** Values that a field takes, with what it makes of them, and values that it refuses. */
function testField(
  name: string,
  field: ZodType,
  cases: { readonly accepted: Accepted; readonly refused: readonly unknown[] },
): void {
  describe(name, () => {
    it.each(cases.accepted)('reads %j', (sent, meant) => {
      expect(field.parse(sent)).toEqual(meant);
    });

    it.each(cases.accepted)('documents %j', (sent) => {
      expect(ajv.validate(inputSchema(field), sent)).toBe(true);
    });

    const everybodyRefuses = [undefined, null, {}, [], true];
    it.each([...cases.refused, ...everybodyRefuses])('refuses %j', (sent) => {
      const result = field.safeParse(sent);
      expect(result.success).toBe(false);
      for (const { message } of result.error?.issues ?? []) {
        expect(message).toMatch(/^must /);
        if (typeof sent === 'string' && sent.length > 8) expect(message).not.toContain(sent);
      }
    });
  });
}

const CODE = voucherCodeFromRandom(Uint8Array.from({ length: 14 }, (_, index) => index));
const LONG = '9'.repeat(5_000);

testField('idField', idField, {
  accepted: [
    [1, 1],
    ['17', 17],
    ['007', 7],
    ['\u202a17\u00a0', 17],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ],
  refused: [
    ...[0, -1, 1.5, 1e21, Number.NaN],
    ...['0', '-1', '1.5', '1e3', '', '1 1', '١٧', 'one', LONG, '9007199254740992'],
  ],
});

testField('amountField', amountField, {
  accepted: [
    [100, 100_000_000n],
    [99.5, 99_500_000n],
    [0.01, 10_000n],
    ['99.50', 99_500_000n],
    ['0.07', 70_000n],
    ['100.000000', 100_000_000n],
    ['99.500', 99_500_000n],
    ['100.00000000000', 100_000_000n],
    [' \u202a5\u202c', 5_000_000n],
  ],
  refused: [
    ...[0, -1, 1e21, 1e-7, 0.001, 99.999, Number.NaN, Number.POSITIVE_INFINITY],
    ...['0', '0.00', '-5', '1,000', '1e3', '٥', '', '5 5', '5 ETB', '1.001000', '0x10', LONG],
  ],
});

testField('msisdnField', msisdnField, {
  accepted: [
    ['0911234567', '+251911234567'],
    ['251911234567', '+251911234567'],
    ['+251911234567', '+251911234567'],
    ['+251 91 123 4567', '+251911234567'],
    ['0911\n234567', '+251911234567'],
    ['0711234567', '+251711234567'],
    ['+14155552671', '+14155552671'],
    // As it is copied from contacts, messages and documents.
    ['\u202a+251\u00a091\u2011123\u20114567\u202c', '+251911234567'],
    ['091\u200b1234567', '+251911234567'],
  ],
  refused: [911_234_567, '', '12345', '+999123456789', '0911234567;drop', '٠٩١١٢٣٤٥٦٧', LONG],
});

testField('voucherCodeField', voucherCodeField, {
  accepted: [
    [CODE, { canonical: CODE }],
    [` ${formatVoucherCode(CODE).toLowerCase()} `, { canonical: CODE }],
    [`${CODE.slice(0, 15)}Y`, { canonical: undefined }],
    ['no code at all', { canonical: undefined }],
    [formatVoucherCode(CODE).replaceAll('-', '\u2011\u200b'), { canonical: CODE }],
    [`${CODE.slice(0, 8)}\r\n${CODE.slice(8)}`, { canonical: CODE }],
    [`${CODE.slice(0, 8)}\u2028${CODE.slice(8)}`, { canonical: CODE }],
  ],
  refused: ['', '0'.repeat(101), 1234],
});

testField('verificationCodeField', verificationCodeField, {
  accepted: [
    ['123456', '123456'],
    [' 123-456 ', '123456'],
    ['\u202a000\u2011634\u202c', '000634'],
    ['', ''],
    ['abc', 'abc'],
  ],
  refused: ['1'.repeat(101), 634],
});

testField('positiveDecimalField', positiveDecimalField, {
  accepted: [
    ['1', '1'],
    ['57.123456', '57.123456'],
    [57.5, '57.5'],
    ['0.000001', '0.000001'],
    ['1.50', '1.50'],
    ['4.7500000', '4.750000'],
  ],
  refused: [
    ...[0, -1, 1e21, 1e-7, Number.NaN],
    ...['0', '0.0', '-1', '01', '1.', '.5', '1.1234567', '1e3', '1,5', '', '٥', LONG],
  ],
});

testField('informativeDecimalField', informativeDecimalField, {
  accepted: [
    [57.123456789, '57.123456789'],
    ['57.2500000', '57.25'],
    [1e-7, '0.0000001'],
    ['0.0000000000016', '0.000000000002'],
    [123456.789, '123456.789'],
    ['01', '1'],
    ['100', '100'],
  ],
  refused: [
    ...[0, -1, 1e21, 1e-30, Number.NaN, Number.POSITIVE_INFINITY],
    ...['0', '0.0', '-1', '1.', '.5', '1e3', '1,5', '', '٥', '0.0000000000001', LONG],
  ],
});

testField('idempotencyKeyField', idempotencyKeyField, {
  accepted: [
    ['order 17/a', 'order 17/a'],
    ['x'.repeat(200), 'x'.repeat(200)],
    [' \u202aorder\u00a017\u2011a\u200b\n', 'order 17-a'],
    [`${'x'.repeat(200)} `, 'x'.repeat(200)],
  ],
  refused: [17, '', '   ', '\u200b', 'nul\u0000', 'ቁልፍ', 'x'.repeat(201)],
});

testField('reference', lineSchema.shape.reference, {
  accepted: [
    ['order-417/1', 'order-417/1'],
    [' \u202aorder\u2011417/1\u200b\n', 'order-417/1'],
  ],
  refused: [417, '', ' ', 'two words', 'ቁልፍ', 'x'.repeat(101)],
});

testField('metadataField', metadataField, {
  accepted: [
    ['{"product":"shoes","price":10}', '{"product":"shoes","price":10}'],
    [' [1, 2] ', ' [1, 2] '],
    ['"ጫማ"', '"ጫማ"'],
  ],
  refused: [17, '', '{', 'shoes', "{'a':1}", JSON.stringify('x'.repeat(4_096))],
});

testField('currencyField', currencyField, {
  accepted: [
    ['USD', 'USD'],
    ['ETB', 'ETB'],
    ['usd', 'USD'],
    ['Usd', 'USD'],
    ['\u202aUSD\u202c ', 'USD'],
  ],
  refused: [840, '', 'US', 'BIRR', 'ZZZ', 'uſd', 'U SD', LONG],
});

testField('countryField', countryField, {
  accepted: [
    ['US', 'US'],
    ['ET', 'ET'],
    ['et', 'ET'],
    ['Us', 'US'],
    ['USA', 'US'],
    ['eth', 'ET'],
    ['Ethiopia', 'ET'],
    ['ETHIOPIA', 'ET'],
    ['United States of America', 'US'],
    ['the United States of America', 'US'],
    ['United States', 'US'],
    ...([
      ['UK', 'GB'],
      ['England', 'GB'],
      ['UAE', 'AE'],
      ['DRC', 'CD'],
      ['Holland', 'NL'],
    ] as const),
    ['Congo', 'CG'],
    ['Tanzania, the United Republic of', 'TZ'],
    ['United Republic of Tanzania', 'TZ'],
    ['Bolivia (Plurinational State of)', 'BO'],
    ['Congo', 'CG'],
    ['Congo, Democratic Republic of the', 'CD'],
    ["Cote d'Ivoire", 'CI'],
    ['Côte d’Ivoire', 'CI'],
    ['Saint Kitts and Nevis', 'KN'],
    ['Korea, Republic of', 'KR'],
    ["Korea (Democratic People's Republic of)", 'KP'],
  ],
  refused: [
    ...[251, '', 'EU', 'UN', 'YU', 'ZZ', 'XA', 'Kosovo', 'Ethiopian', LONG],
    ...['the', '-', 'United', 'Republic of', 'European Union'],
  ],
});

describe('the codes of countries', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const countryCodes = letters
    .flatMap((first) => letters.map((second) => first + second))
    // UK is a name.
    .filter((code) => code !== 'UK' && countryField.safeParse(code).success);

  it('are the 249 that are assigned, each of which has a name', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect(countryCodes).toHaveLength(249);
    expect(countryCodes.filter((code) => names.of(code) === undefined)).toEqual([]);
  });

  it('are named where a name is nearly one of theirs', () => {
    const { error } = countryField.safeParse('Etiopia');
    expect(error?.issues[0]?.message).toMatch(/most alike are Ethiopia, /);
  });

  it.each([
    ['Korea', 'South Korea'],
    ['Macedonia', 'North Macedonia'],
    ['Saudi', 'Saudi Arabia'],
    ['Emirates', 'United Arab Emirates'],
  ])('are named where %s is a part of the name', (sent, named) => {
    const { error } = countryField.safeParse(sent);
    expect(error?.issues[0]?.message.replace(/.*most alike are /, '').split(', ')).toContain(named);
  });

  it('are each found by the name that a runtime gives them', () => {
    const names = new Intl.DisplayNames('en', { type: 'region' });
    const found = countryCodes.map((code) => countryField.parse(names.of(code)));
    expect(found).toEqual(countryCodes);
  });
});
