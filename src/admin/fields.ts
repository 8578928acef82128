import { z } from 'zod';
import { isImagePath } from '../domain/image-path.js';
import { formatMoney, type Money, parseMoney } from '../domain/money.js';
import { parseMsisdn } from '../domain/phone.js';
import { amountField, idField, positiveDecimalField } from '../http/fields/request-fields.js';
import { AdminError } from './admin-error.js';

/** One option or argument of a command: how help explains it, and how its text is read. */
export interface Field<Value> {
  readonly isArgument: boolean;
  /** It is given or not, without a value. */
  readonly isFlag: boolean;
  readonly isRequired: boolean;
  /** How help calls the value, such as "<id>". */
  readonly placeholder: string;
  readonly description: string;
  /** @throws {AdminError} "must be …", to be put after the field's name */
  readonly parse: (text: string) => Value | Promise<Value>;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What a command is given: a value for each field, undefined for an optional one left out. */
export type InputOf<Given extends Fields> = {
  readonly [Name in keyof Given]: Given[Name] extends Field<infer Value> ? Value : never;
};

/** How the text of a value is read, and what help calls it. */
export interface Reading<Value> {
  readonly placeholder: string;
  /** Asynchronous where the text names a file. */
  readonly parse: (text: string) => Value | Promise<Value>;
}

/** The same reading, with another value made of what it reads. */
export const mapReading = <From, To>(
  { placeholder, parse }: Reading<From>,
  convert: (value: From) => To,
): Reading<To> => ({
  placeholder,
  parse(given) {
    const value = parse(given);
    return value instanceof Promise ? value.then(convert) : convert(value);
  },
});

const field = <Value>(
  { placeholder, parse }: Reading<Value>,
  description: string,
  kind: { readonly isArgument: boolean; readonly isRequired: boolean },
): Field<Value> => ({
  placeholder: `<${placeholder}>`,
  parse,
  description,
  isFlag: false,
  ...kind,
});

/** A field's name as people write it: "payoutKey" is "payout-key". */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** An option that has to be given. */
export const required = <Value>(reading: Reading<Value>, description: string): Field<Value> =>
  field(reading, description, { isArgument: false, isRequired: true });

/** An option that may be left out. */
export const optional = <Value>(
  reading: Reading<Value>,
  description: string,
): Field<Value | undefined> =>
  field<Value | undefined>(reading, description, { isArgument: false, isRequired: false });

/** A value without a name, after the command. */
export const argument = <Value>(reading: Reading<Value>, description: string): Field<Value> =>
  field(reading, description, { isArgument: true, isRequired: true });

/** An option without a value; true where it is given. */
export const flag = (description: string): Field<boolean> => ({
  placeholder: '',
  parse: () => true,
  description,
  isArgument: false,
  isRequired: false,
  isFlag: true,
});

/** Reads text by a schema of the API's, so that both accept the same. */
function bySchema<Value>(schema: z.ZodType<Value>): (text: string) => Value {
  return (text) => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new AdminError(result.error.issues[0]?.message ?? 'is not valid');
  };
}

export const id: Reading<number> = { placeholder: 'id', parse: bySchema(idField) };

/** ETB; a bigint of micro-units. */
export const amount: Reading<Money> = { placeholder: 'amount', parse: bySchema(amountField) };

/** The same as the decimal text that the database keeps. */
export const decimalAmount: Reading<string> = mapReading(amount, formatMoney);

/** A price in USD above zero, as partners send it. */
export const priceUsd: Reading<string> = {
  placeholder: 'price',
  parse: bySchema(positiveDecimalField),
};

/** A decimal from 0, as the database keeps it. */
export const decimalFromZero: Reading<string> = {
  placeholder: 'number',
  parse(given) {
    if (/^[0-9]{1,12}(\.[0-9]{1,6})?$/.test(given)) return formatMoney(parseMoney(given));
    throw new AdminError('must be a number from 0 with at most 6 decimals, such as 100');
  },
};

/** A count of items, or a number of a provider. */
export const wholeNumber = (minimum: number, maximum: number): Reading<number> => ({
  placeholder: 'number',
  parse(text) {
    const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new AdminError(`must be a whole number from ${minimum} to ${maximum}`);
  },
});

/**
 * Control characters would let a name paint over what is printed beside it; half a surrogate pair is
 * no character, and PostgreSQL refuses it.
 */
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const MAXIMUM_LENGTH = 500;

function parseText(given: string): string {
  const trimmed = given.trim();
  if (trimmed.length <= MAXIMUM_LENGTH && PRINTABLE.test(trimmed)) return trimmed;
  throw new AdminError(`must be one line of 1 to ${MAXIMUM_LENGTH} printable characters`);
}

/** One line of text. */
export const text: Reading<string> = { placeholder: 'text', parse: parseText };

/** Something else that is named by its id or its name. */
export const reference: Reading<string> = { placeholder: 'id|name', parse: parseText };

/** The path of a file below a folder that only whoever shows it knows. */
export const relativePath: Reading<string> = {
  placeholder: 'path',
  parse(given) {
    const path = parseText(given);
    if (isImagePath(path.split('/'))) return path;
    throw new AdminError('must be a relative path, such as promos/meskel.png');
  },
};

/** One of several words, in capitals or not. */
export const oneOf = <Word extends string>(...words: readonly Word[]): Reading<Word> => ({
  placeholder: words.join('|'),
  parse(given) {
    const found = words.find((word) => word.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    throw new AdminError(`must be ${words.join(' or ')}`);
  },
});

/** A percentage, with the four decimals of the database's column. */
export const percent: Reading<string> = {
  placeholder: 'percent',
  parse(given) {
    if (/^[0-9]{1,3}(\.[0-9]{1,4})?$/.test(given) && Number(given) <= 100) {
      return Number(given).toFixed(4);
    }
    throw new AdminError('must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5');
  },
};

export const email: Reading<string> = {
  placeholder: 'address',
  parse: bySchema(z.email('must be an e-mail address')),
};

/** A mobile number that messages and payments reach, as E.164. */
export const msisdn: Reading<string> = {
  placeholder: 'number',
  parse(given) {
    const number = parseMsisdn(given);
    if (number !== undefined) return number;
    throw new AdminError('must be a mobile number, such as 0911234567 or +251911234567');
  },
};

/** Any telephone number, fixed lines too; its punctuation is left out. */
export const telephone: Reading<string> = {
  placeholder: 'number',
  parse(given) {
    const digits = given.replaceAll(/[ ().-]/g, '');
    if (/^\+?[0-9]{6,15}$/.test(digits)) return parseMsisdn(digits) ?? digits;
    throw new AdminError('must be a telephone number, such as +251111234567');
  },
};

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The beginning of a day (UTC) or a moment. */
export const beginning: Reading<Date> = { placeholder: 'date', parse: (given) => dateOf(given) };

/** The moment after a day (UTC), or a moment. */
export const ending: Reading<Date> = {
  placeholder: 'date',
  parse: (given) => new Date(dateOf(given).getTime() + (DAY.test(given) ? DAY_MS : 0)),
};

/** The last moment of a day (UTC), or a moment. */
export const lastMoment: Reading<Date> = {
  placeholder: 'date',
  parse: (given) => new Date(dateOf(given).getTime() + (DAY.test(given) ? DAY_MS - 1 : 0)),
};

function dateOf(given: string): Date {
  const schema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
  if (schema.safeParse(given).success) return new Date(given);
  throw new AdminError('must be a day such as 2026-11-21 or a time such as 2026-11-21T15:00:00Z');
}
