import { plainCopy } from './copied-text.ts';

/**
 * An exact amount of ETB in millionths, as the database's NUMERIC(20,6). It is a bigint,
 * so the operators of the language add and compare amounts.
 */
export type Money = bigint;

const FRACTION_DIGITS = 6;
const MICROS_PER_UNIT = 1_000_000n;
/** 0.01 ETB. */
export const CENT: Money = 10_000n;

/** Sums of sales at prices and exchange rates that callers made up have far more digits than money. */
const STORED_DECIMAL = /^(-?)([0-9]{1,40})(?:\.([0-9]{1,6}))?$/;
/** Zeros behind the cents do not count: our own answers have six decimals. */
const REQUESTED_DECIMAL = /^([0-9]{1,14}(?:\.[0-9]{1,2})?)(?:(?<=\.[0-9]{2})0{1,18})?$/;
/** A JSON number holds 15 significant digits exactly; its 16th may be rounded. */
const EXACT_DIGITS_OF_NUMBER = 15;

/** Reads a decimal string of the database or of a payload. Throws a RangeError for other text. */
export function parseMoney(text: string): Money {
  const match = STORED_DECIMAL.exec(text);
  if (!match) throw new RangeError('An amount must be a decimal with at most 6 fraction digits.');
  const [, sign, whole = '', fraction = ''] = match;
  const micros = BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'));
  return sign ? -micros : micros;
}

/** The sum of decimal strings. */
export const sumOf = (amounts: readonly string[]): Money =>
  amounts.reduce((sum, amount) => sum + parseMoney(amount), 0n);

/** The amount without its sign. */
export const magnitudeOf = (money: Money): Money => (money < 0n ? -money : money);

/** Six fraction digits, as in the database, payloads and vouchers (specification 2.3): "100.000000" */
export function formatMoney(money: Money): string {
  const magnitude = magnitudeOf(money);
  const whole = magnitude / MICROS_PER_UNIT;
  const fraction = String(magnitude % MICROS_PER_UNIT).padStart(FRACTION_DIGITS, '0');
  return `${money < 0n ? '-' : ''}${whole}.${fraction}`;
}

/** The shortest text with at least two fraction digits, for providers and people: "97.50". */
export function formatAmount(money: Money): string {
  return formatMoney(money).replace(/0{1,4}$/, '');
}

/** The amount with grouped thousands, for pages: "1,250.00". */
export function formatGroupedAmount(money: Money): string {
  const [whole = '', fraction = ''] = formatAmount(money).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}

/** A decimal string of the database, for people: "1,250.00". */
export const amountText = (decimal: string): string => formatGroupedAmount(parseMoney(decimal));

/** A decimal string of the database without groups, for files and fields: "1250.00". */
export const plainAmount = (decimal: string): string => formatAmount(parseMoney(decimal));

/** Thousands in groups of three: "1,250.00" or "1 250.00". */
const GROUPED = /^-?[0-9]{1,3}(?:[,\s][0-9]{3})+(?:\.[0-9]+)?$/;

/**
 * An amount as people and files write it, without the commas or spaces between thousands. Any other
 * comma or space stays, so that the text is no amount: "100,00" means a hundred to its writer, and not
 * ten thousand.
 */
export const withoutGroups = (text: string): string =>
  GROUPED.test(text) ? text.replaceAll(/[,\s]/g, '') : text;

/** The nearest JSON number, for balances. Never calculate with the result. */
export function moneyToNumber(money: Money): number {
  return Number(formatMoney(money));
}

/**
 * The share of an amount, rounded half up to 0.01. `percent` is a decimal string of the
 * database, such as "2.5". Throws a RangeError where either is negative or the rate unreadable.
 */
export function percentageOf(money: Money, percent: string): Money {
  const rate = parseMoney(percent);
  if (money < 0n || rate < 0n) throw new RangeError('A share needs an amount and a rate from 0.');
  const divisor = 100n * MICROS_PER_UNIT * CENT;
  return ((money * rate + divisor / 2n) / divisor) * CENT;
}

/**
 * Reads an amount of a request body: above zero, at most 2 decimals and 14 integer digits, as a
 * JSON number or a numeric string. A number is read through its shortest decimal text,
 * so 19.99 is exact. Answers undefined for every other value.
 */
export function parseRequestAmount(value: number | string): Money | undefined {
  const text = typeof value === 'number' ? String(value) : plainCopy(value);
  const [, decimal] = REQUESTED_DECIMAL.exec(text) ?? [];
  if (decimal === undefined) return undefined;
  if (typeof value === 'number' && text.replace('.', '').length > EXACT_DIGITS_OF_NUMBER) {
    return undefined;
  }
  const money = parseMoney(decimal);
  return money > 0n ? money : undefined;
}

/** Reads an amount above zero as people type or paste it, such as "ETB 1,000.00". */
export const readTypedAmount = (text: string): Money | undefined =>
  parseRequestAmount(withoutGroups(text.replaceAll(/^\s*(ETB\s*)?|(\s*ETB)?\s*$/gi, '')));
