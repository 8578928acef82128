import { z } from 'zod';
import { parseDay } from '../domain/day-report.ts';
import { isImagePath } from '../domain/image-path.ts';
import { formatMoney, parseMoney } from '../domain/money.ts';
import { parseMsisdn } from '../domain/phone.ts';
import { refuseKeptText } from '../domain/repairs.ts';
import { amountField, idField, positiveDecimalField } from '../http/fields/request-fields.ts';

/** A command cannot be carried out; the message is one line with the remedy. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

/**
 * The row that was found.
 *
 * @throws {AdminError} where there is none; `list` is the command that lists such rows
 */
export function existing<Row>(row: Row | undefined, name: string, list: string): Row {
  if (row === undefined) throw new AdminError(`There is no ${name}: see "${list}".`);
  return row;
}

/** One option or argument of a command: its help and its parser. */
export interface Field<Value> {
  readonly isArgument: boolean;
  readonly isRequired: boolean;
  /** The value of an option that is left out; undefined without it. */
  readonly whenLeftOut?: Value;
  /** The placeholder of the value in help, such as "<id>". */
  readonly placeholder: string;
  readonly description: string;
  /** @throws {AdminError} "must be …", the end of a sentence that begins with the field's name */
  readonly parse: (text: string) => Value | Promise<Value>;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The input of a command: a value for each field, undefined for an omitted optional one. */
export type InputOf<Given extends Fields> = {
  readonly [Name in keyof Given]: Given[Name] extends Field<infer Value> ? Value : never;
};

/** The parser of a value, and its placeholder in help. */
export interface Parser<Value> {
  readonly placeholder: string;
  /** Asynchronous where the text names a file. */
  readonly parse: (text: string) => Value | Promise<Value>;
}

/** A parser whose result is converted. */
export const mapParser = <From, To>(
  { placeholder, parse }: Parser<From>,
  convert: (value: From) => To,
): Parser<To> => ({
  placeholder,
  parse(given) {
    const value = parse(given);
    return value instanceof Promise ? value.then(convert) : convert(value);
  },
});

const field = <Value>(
  { placeholder, parse }: Parser<Value>,
  description: string,
  kind: { readonly isArgument: boolean; readonly isRequired: boolean },
): Field<Value> => ({
  placeholder: `<${placeholder}>`,
  parse,
  description,
  ...kind,
});

/** The name of a field on the command line: "payoutKey" becomes "payout-key". */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A required option. */
export const required = <Value>(parser: Parser<Value>, description: string): Field<Value> =>
  field(parser, description, { isArgument: false, isRequired: true });

/** An optional option. */
export const optional = <Value>(
  parser: Parser<Value>,
  description: string,
): Field<Value | undefined> =>
  field<Value | undefined>(parser, description, { isArgument: false, isRequired: false });

/** An option with a value by default, which its help names. */
export const withDefault = <Value extends string | number>(
  parser: Parser<Value>,
  description: string,
  whenLeftOut: Value,
): Field<Value> => ({
  ...field(parser, `${description}; ${whenLeftOut} by default`, {
    isArgument: false,
    isRequired: false,
  }),
  whenLeftOut,
});

/** A positional argument. */
export const argument = <Value>(parser: Parser<Value>, description: string): Field<Value> =>
  field(parser, description, { isArgument: true, isRequired: true });

/** An option without a value; true where it is present. */
export const flag = (description: string): Field<boolean> => ({
  placeholder: '',
  parse: () => true,
  description,
  isArgument: false,
  isRequired: false,
  whenLeftOut: false,
});

/** A parser of a schema, whose first message is the refusal; often one of the API's, so that both accept the same. */
export const bySchema = <Value>(placeholder: string, schema: z.ZodType<Value>): Parser<Value> => ({
  placeholder,
  parse(given) {
    const result = schema.safeParse(given);
    if (result.success) return result.data;
    throw new AdminError(result.error.issues[0]?.message ?? 'is not valid');
  },
});

/** A parser of what `convert` makes a value of; undefined is refused with the message. */
export const byConversion = <Value>(
  placeholder: string,
  message: string,
  convert: (given: string) => Value | undefined,
): Parser<Value> => ({
  placeholder,
  parse(given) {
    const value = convert(given);
    if (value !== undefined) return value;
    throw new AdminError(message);
  },
});

export const id = bySchema('id', idField);

/** Words separated by commas. */
export const listOfWords = bySchema(
  'a,b',
  z.string().transform((given) =>
    given
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
);

/** ETB as a bigint of micro-units. */
export const amount = bySchema('amount', amountField);

/** ETB as the decimal text of the database. */
export const decimalAmount = mapParser(amount, formatMoney);

/** A price in USD above zero, as in the partner API. */
export const priceUsd = bySchema('price', positiveDecimalField);

/** A decimal from 0, in the format of the database. */
export const decimalFromZero = bySchema(
  'number',
  z
    .string()
    .regex(
      /^[0-9]{1,12}(\.[0-9]{1,6})?$/,
      'must be a number from 0 with at most 6 decimals, such as 100',
    )
    .transform((given) => formatMoney(parseMoney(given))),
);

/** A whole number within a range. */
export function wholeNumber(minimum: number, maximum: number): Parser<number> {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  const digits = z
    .string()
    .regex(/^[0-9]{1,10}$/, message)
    .transform(Number);
  return bySchema('number', digits.pipe(z.number().min(minimum, message).max(maximum, message)));
}

/** The option of a list that limits its rows; `usual` is the number without it. */
export const rowLimit = (usual: number, most = 10_000): Field<number> =>
  withDefault(wholeNumber(1, most), 'Maximum number of rows', usual);

/**
 * Control characters could overwrite other terminal output; PostgreSQL refuses unpaired surrogates.
 */
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const MAXIMUM_LENGTH = 500;
const NOT_PRINTABLE = `must be one line of 1 to ${MAXIMUM_LENGTH} printable characters`;

const line = z.string().trim().max(MAXIMUM_LENGTH, NOT_PRINTABLE).regex(PRINTABLE, NOT_PRINTABLE);

/** One line of text. */
export const text = bySchema('text', line);

/** Why something is done. The audit log keeps it in clear: nothing of a customer belongs into it. */
export const reason = bySchema(
  'text',
  line.superRefine((why, context) => {
    const refusal = refuseKeptText(why);
    if (refusal !== undefined) context.addIssue(refusal);
  }),
);

/** A file by its path, or - for standard input. */
export const givenFile = bySchema('file', line);

/** A reference to another record by id or name. */
export const recordReference = bySchema('id|name', line);

/** A relative path below a folder that only the presenting side knows. */
export const relativePath = bySchema(
  'path',
  line.refine(
    (path) => isImagePath(path.split('/')),
    'must be a relative path, such as promos/meskel.png',
  ),
);

/** One of several words, in any case. */
export const oneOf = <Word extends string>(...words: readonly Word[]): Parser<Word> =>
  byConversion(words.join('|'), `must be ${words.join(' or ')}`, (given) =>
    words.find((word) => word.toLowerCase() === given.toLowerCase()),
  );

const NO_PERCENTAGE = 'must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5';

/** A percentage with the four decimals of the database column. */
export const percent = bySchema(
  'percent',
  z
    .string()
    .regex(/^[0-9]{1,3}(\.[0-9]{1,4})?$/, NO_PERCENTAGE)
    .refine((given) => Number(given) <= 100, NO_PERCENTAGE)
    .transform((given) => Number(given).toFixed(4)),
);

export const email = bySchema('address', z.email('must be an e-mail address'));

/** A mobile number for messages and payments, as E.164. */
export const msisdn = byConversion(
  'number',
  'must be a mobile number, such as 0911234567 or +251911234567',
  parseMsisdn,
);

/** Any telephone number, including fixed lines; punctuation is removed. */
export const telephone = bySchema(
  'number',
  z
    .string()
    .transform((given) => given.replaceAll(/[ ().-]/g, ''))
    .pipe(z.string().regex(/^\+?[0-9]{6,15}$/, 'must be a telephone number, such as +251111234567'))
    .transform((digits) => parseMsisdn(digits) ?? digits),
);

/** A day of the market. */
export const day = byConversion('date', 'must be a day such as 2026-11-23', parseDay);

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** A moment, or the start of a day (UTC) with a part of the day added. */
const moment = (ofDayMs: number): Parser<Date> =>
  bySchema(
    'date',
    z
      .union([z.iso.date(), z.iso.datetime({ offset: true })], {
        error: 'must be a day such as 2026-11-21 or a time such as 2026-11-21T15:00:00Z',
      })
      .transform((given) => new Date(Date.parse(given) + (DAY.test(given) ? ofDayMs : 0))),
  );

/** The start of a day (UTC), or a moment. */
export const beginning = moment(0);

/** The end of a day (UTC), exclusive, or a moment. */
export const ending = moment(DAY_MS);

/** The last moment of a day (UTC), or a moment. */
export const lastMoment = moment(DAY_MS - 1);
