import { z } from 'zod';
import { formatMoney, parseRequestAmount } from '../domain/money.ts';
import { parseMsisdn } from '../domain/phone.ts';
import { namedIn } from '../domain/repairs/reason.ts';

/** A whole number within a range. */
export const wholeNumber = (minimum: number, maximum: number, description: string) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string(message)
    .regex(/^[0-9]{1,9}$/, message)
    .transform(Number)
    .pipe(z.number().min(minimum, message).max(maximum, message))
    .meta({ description, placeholder: 'number' });
};

/** One line that has printable characters only, kept in clear: so it names nothing of a customer. */
export const reference = (description: string, placeholder = 'reference') =>
  z
    .string('must not be empty')
    .trim()
    .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u, 'must be one line of 1 to 200 characters')
    .superRefine((text, context) => {
      const named = namedIn(text);
      if (named !== undefined)
        context.addIssue(`names ${named}: leave it out, it is kept in clear`);
    })
    .meta({ description, placeholder });

/** The end of a day (UTC), as ISO 8601. */
export const lastDay = (description: string) =>
  z.iso
    .date('must be a day, such as 2027-01-31')
    .transform((day) => new Date(Date.parse(day) + 86_399_999).toISOString())
    .meta({ description, placeholder: 'day' });

/** A decimal string of an amount above zero. */
export const amount = (description: string) =>
  z
    .string('must be an amount')
    .transform((text, context) => {
      const money = parseRequestAmount(text);
      if (money !== undefined) return formatMoney(money);
      context.addIssue('must be an amount above 0 with at most 2 decimals, such as 99.50');
      return z.NEVER;
    })
    .meta({ description, placeholder: 'amount' });

/** A mobile number as E.164. */
export const msisdn = (description: string) =>
  z
    .string('must be a mobile number')
    .transform((text, context) => {
      const number = parseMsisdn(text.trim());
      if (number !== undefined) return number;
      context.addIssue('must be a mobile number, such as 0911234567');
      return z.NEVER;
    })
    .meta({ description, placeholder: 'number' });

/** One of several words. */
export const oneOf = <Word extends string>(
  words: readonly [Word, ...Word[]],
  description: string,
) =>
  z
    .enum(words, `must be ${words.join(' or ')}`)
    .meta({ description, placeholder: words.join('|') });
