import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAmount,
  formatGroupedAmount,
  formatMoney,
  moneyToNumber,
  parseMoney,
  parseRequestAmount,
  percentageOf,
  readTypedAmount,
  withoutGroups,
} from '../../src/domain/money.ts';

const micros = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });

describe('withoutGroups', () => {
  it.each([
    ['1,250.00', '1250.00'],
    ['12,345,678', '12345678'],
    ['-1,098.00', '-1098.00'],
    ['1 250.00', '1250.00'],
    ['97.50', '97.50'],
  ])('reads %s', (text, plain) => {
    expect(withoutGroups(text)).toBe(plain);
  });

  it.each(['100,00', '5,0', '1,25.00', '1250,000', ',500', '1,,000', '1.250,00', '12 50'])(
    'leaves "%s", which is no amount',
    (text) => {
      expect(withoutGroups(text)).toBe(text);
      expect(parseRequestAmount(withoutGroups(text))).toBeUndefined();
    },
  );
});

describe('readTypedAmount', () => {
  it.each([
    ['ETB 1,000.00', '1000.000000'],
    [' 1 250.5 etb ', '1250.500000'],
    ['12 50', undefined],
    ['1ETB0', undefined],
    ['1,00', undefined],
    ['0', undefined],
    ['-5', undefined],
  ])('reads "%s"', (text, decimal) => {
    const amount = readTypedAmount(text);
    expect(amount === undefined ? undefined : formatMoney(amount)).toBe(decimal);
  });
});

describe('parseMoney', () => {
  it.each([
    ['100', 100_000_000n],
    ['100.000000', 100_000_000n],
    ['0.000001', 1n],
    ['-0.5', -500_000n],
    ['97.5', 97_500_000n],
    ['99999999999999.999999', 99_999_999_999_999_999_999n],
    [`1${'0'.repeat(39)}`, 10n ** 45n],
  ])('reads %s', (text, money) => {
    expect(parseMoney(text)).toBe(money);
  });

  it.each(['', '.', '1.', '.5', '1.0000001', '1e3', '+1', ' 1', '1,000', 'NaN', '١٢', '--1'])(
    'refuses "%s"',
    (text) => {
      expect(() => parseMoney(text)).toThrow(RangeError);
    },
  );

  it('reads back every amount that it wrote', () => {
    fc.assert(fc.property(micros, (money) => parseMoney(formatMoney(money)) === money));
    fc.assert(fc.property(micros, (money) => parseMoney(formatAmount(money)) === money));
  });
});

describe('formatting', () => {
  it.each([
    [100_000_000n, '100.000000', '100.00', 100],
    [97_500_000n, '97.500000', '97.50', 97.5],
    [1n, '0.000001', '0.000001', 0.000001],
    [1_230_000n, '1.230000', '1.23', 1.23],
    [1_234_500n, '1.234500', '1.2345', 1.2345],
    [0n, '0.000000', '0.00', 0],
    [-500_000n, '-0.500000', '-0.50', -0.5],
    [1_000_000_000_000n, '1000000.000000', '1000000.00', 1_000_000],
  ])('writes %s', (money, full, short, number) => {
    expect(formatMoney(money)).toBe(full);
    expect(formatAmount(money)).toBe(short);
    expect(moneyToNumber(money)).toBe(number);
  });
});

describe('percentageOf', () => {
  it.each([
    ['100', '2.5', '2.50'],
    ['0.20', '2.5', '0.01'],
    ['0.19', '2.5', '0.00'],
    ['10', '0.05', '0.01'],
    ['10', '0.049999', '0.00'],
    ['33.33', '3', '1.00'],
    ['100', '0', '0.00'],
    ['100.01', '100', '100.01'],
    ['100', '150', '150.00'],
    ['99999999999999.99', '2.5', '2500000000000.00'],
  ])('of %s at %s percent is %s', (amount, percent, fee) => {
    expect(formatAmount(percentageOf(parseMoney(amount), percent))).toBe(fee);
  });

  it.each([
    ['1', '-1'],
    ['-1', '1'],
    ['1', ''],
    ['1', 'NaN'],
  ])('refuses %s at "%s" percent', (amount, percent) => {
    expect(() => percentageOf(parseMoney(amount), percent)).toThrow(RangeError);
  });

  it('is within half a cent of the exact share, and rounds a half up', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 18n });
    const rates = fc.bigInt({ min: 0n, max: 100_000_000n });
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        const scale = 100_000_000n;
        const error = percentageOf(amount, formatMoney(rate)) * scale - amount * rate;
        return error > -5_000n * scale && error <= 5_000n * scale;
      }),
    );
  });
});

describe('parseRequestAmount', () => {
  it.each([
    [1, '1.000000'],
    [0.1, '0.100000'],
    [19.99, '19.990000'],
    [0.01, '0.010000'],
    [100.5, '100.500000'],
    [9_999_999_999_999.99, '9999999999999.990000'],
    [99_999_999_999_999, '99999999999999.000000'],
    ['19.99', '19.990000'],
    ['100.00', '100.000000'],
    ['007', '7.000000'],
    [' 1 ', '1.000000'],
    ['1\n', '1.000000'],
    ['99999999999999.99', '99999999999999.990000'],
  ])('reads %j', (value, money) => {
    const amount = parseRequestAmount(value);
    expect(amount === undefined ? undefined : formatMoney(amount)).toBe(money);
  });

  const refused = [
    ...[0, -0, -1, -0.01, 1e21, 1e-7, 0.1 + 0.2, 1.005, 100_000_000_000_000],
    ...[Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE, +'99999999999999.99'],
    ...['0', '0.00', '-1', '1.005', '100000000000000', '1e21', 'NaN', 'Infinity', '1e-7', '1e3'],
    ...['1,000', '1 000', '0x10', '1 .5', '+1', '.5', '1.', '', '1_000', '١٢', '१२', '1２'],
    '9'.repeat(50_000),
  ];
  it.each(refused.map((value) => [value]))('refuses %j', (value) => {
    expect(parseRequestAmount(value)).toBeUndefined();
  });

  it('reads every number of cents exactly, as a number and as a text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (cents) => {
        const expected = BigInt(cents) * 10_000n;
        const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
        return parseRequestAmount(text) === expected && parseRequestAmount(+text) === expected;
      }),
    );
  });
});

describe('formatGroupedAmount', () => {
  it.each([
    ['0', '0.00'],
    ['999.5', '999.50'],
    ['1000', '1,000.00'],
    ['1234567.000001', '1,234,567.000001'],
    ['-123456', '-123,456.00'],
  ])('writes %s as %s', (decimal, text) => {
    expect(formatGroupedAmount(parseMoney(decimal))).toBe(text);
  });
});
