import { z } from 'zod';
import { parseDay } from '../domain/day-report.ts';
import { isImagePath } from '../domain/image-path.ts';
import { formatMoney, parseMoney } from '../domain/money.ts';
import { parseMsisdn } from '../domain/phone.ts';
import {
  amountField,
  idField,
  msisdnField,
  positiveDecimalField,
  reading,
} from '../http/fields/request-fields.ts';
import { metaOf, refuseKept, wholeNumberArgument } from '../repairs/repair-kind.ts';

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

/**
 * The options and the arguments of a command: schemas, whose first message is the refusal, "must be …". Their metadata
 * are the help (`metaOf`). Many are schemas of the API, so that both accept the same.
 */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** The input of a command: a value for each field, undefined for an omitted optional one. */
export type InputOf<Given extends Fields> = {
  readonly [Name in keyof Given]: z.output<Given[Name]>;
};

/** The name of a field on the command line: "payoutKey" becomes "payout-key". */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A schema with the placeholder of its values in help, such as "id". */
export const shownAs = <Schema extends z.ZodType>(placeholder: string, schema: Schema): Schema =>
  schema.meta({ placeholder });

/** A required option. */
export const required = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description });

/** An optional option. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  required(schema, description).optional();

/** An option with a value by default, which its help names. */
export const withDefault = <Schema extends z.ZodType<string | number>>(
  schema: Schema,
  description: string,
  whenLeftOut: z.output<Schema>,
) => required(schema, `${description}; ${whenLeftOut} by default`).default(whenLeftOut as never);

/** A positional argument. */
export const argument = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description, isArgument: true });

/** An option without a value; true where it is present. */
export const flag = (description: string) =>
  z.boolean().meta({ description, placeholder: '' }).default(false);

/** A schema of a text that `convert` reads; undefined is refused with the message. */
export const byConversion = <Value>(
  placeholder: string,
  message: string,
  convert: (given: string) => Value | undefined,
) => shownAs(placeholder, z.string().transform(reading(convert, message)));

/** A value, or null for a word. */
export const orNone = <Schema extends z.ZodType>(schema: Schema, none = 'none') =>
  z
    .string()
    .transform((given, context): z.output<Schema> | null => {
      if (given === none) return null;
      const { data, error } = schema.safeParse(given);
      if (error) context.addIssue(error.issues[0]?.message ?? '');
      return data as z.output<Schema>;
    })
    .meta({ placeholder: [metaOf(schema).placeholder, none].filter(Boolean).join('|') });

export const id = shownAs('id', idField);

/** Words separated by commas. */
export const listOfWords = shownAs(
  'a,b',
  z.string().transform((given) =>
    given
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
);

/** ETB as a bigint of micro-units. */
export const amount = shownAs('amount', amountField);

/** ETB as the decimal text of the database. */
export const decimalAmount = shownAs('amount', amountField.transform(formatMoney));

/** A price in USD above zero, as in the partner API. */
export const priceUsd = shownAs('price', positiveDecimalField);

/** A decimal from 0, in the format of the database. */
export const decimalFromZero = shownAs(
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
export const wholeNumber = (minimum: number, maximum: number) =>
  wholeNumberArgument(minimum, maximum, '');

/** The option of a list that limits its rows; `usual` is the number without it. */
export const rowLimit = (usual: number, most = 10_000) =>
  withDefault(wholeNumber(1, most), 'Maximum number of rows', usual);

/**
 * Control characters could overwrite other terminal output; PostgreSQL refuses unpaired surrogates.
 */
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const MAXIMUM_LENGTH = 500;
const NOT_PRINTABLE = `must be one line of 1 to ${MAXIMUM_LENGTH} printable characters`;

const line = z.string().trim().max(MAXIMUM_LENGTH, NOT_PRINTABLE).regex(PRINTABLE, NOT_PRINTABLE);

/** One line of text. */
export const text = shownAs('text', line);

/** Why something is done. The audit log keeps it in clear: nothing of a customer belongs into it. */
export const reason = shownAs('text', line.superRefine(refuseKept));

/** A file by its path, or - for standard input. */
export const givenFile = shownAs('file', line);

/** A reference to another record by id or name. */
export const recordReference = shownAs('id|name', line);

/** A relative path below a folder that only the presenting side knows. */
export const relativePath = shownAs(
  'path',
  line.refine(
    (path) => isImagePath(path.split('/')),
    'must be a relative path, such as promos/meskel.png',
  ),
);

/** One of several words, in any case. */
export const oneOf = <Word extends string>(...words: readonly Word[]) =>
  byConversion(words.join('|'), `must be ${words.join(' or ')}`, (given) =>
    words.find((word) => word.toLowerCase() === given.toLowerCase()),
  );

const NO_PERCENTAGE = 'must be a percentage from 0 to 100 with at most 4 decimals, such as 2.5';

/** A percentage with the four decimals of the database column. */
export const percent = shownAs(
  'percent',
  z
    .string()
    .regex(/^[0-9]{1,3}(\.[0-9]{1,4})?$/, NO_PERCENTAGE)
    .refine((given) => Number(given) <= 100, NO_PERCENTAGE)
    .transform((given) => Number(given).toFixed(4)),
);

export const email = shownAs('address', z.email('must be an e-mail address'));

/** A mobile number for messages and payments, as E.164. */
export const msisdn = shownAs('number', msisdnField);

/** Any telephone number, including fixed lines; punctuation is removed. */
export const telephone = shownAs(
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
const moment = (ofDayMs: number) =>
  shownAs(
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
