import { z } from 'zod';
import { parseRequestAmount } from '../domain/money.js';
import { parseMsisdn } from '../domain/phone.js';
import { parseVoucherCode } from '../domain/voucher-code.js';
import { parseCountry } from './country-codes.js';

/**
 * The fields that several endpoints have, each in its canonical form after validation. Their
 * messages say what to send and never repeat what was sent.
 */

/** An id; numeric text is accepted, because the specification shows some ids as text. */
export const idField = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^[0-9]{1,15}$/)
        .transform(Number),
    ],
    {
      error: 'must be a whole number above 0',
    },
  )
  .pipe(z.int('must be a whole number above 0').positive('must be a whole number above 0'))
  .describe('Whole number above 0');

/** ETB with at most two decimals, above zero; a bigint of micro-units after validation. */
export const amountField = z
  .union([z.number(), z.string()], { error: 'must be an amount in ETB' })
  .transform((value, context) => {
    const amount = parseRequestAmount(value);
    if (amount !== undefined) return amount;
    context.addIssue('must be an amount in ETB above 0 with at most 2 decimals, such as 99.50');
    return z.NEVER;
  })
  .describe('Amount in ETB above 0 with at most 2 decimals, as a number or as text');

/** A phone number in any usual spelling; E.164 after validation. */
export const msisdnField = z
  .string('must be a phone number as text')
  .transform((text, context) => {
    const msisdn = parseMsisdn(text);
    if (msisdn !== undefined) return msisdn;
    context.addIssue('must be a mobile number, such as 0911234567 or +251911234567');
    return z.NEVER;
  })
  .describe('Mobile number, such as 0911234567 or +251911234567');

/** A voucher code in any spelling; its canonical characters, or undefined where it can be none. */
export const voucherCodeField = z
  .union([z.string(), z.number().transform(String)], { error: 'must be the code as text' })
  .refine((text) => text.length > 0 && text.length <= 100, 'must be the code as text')
  .transform((text) => ({ canonical: parseVoucherCode(text) }))
  .describe('Voucher code; case, spaces and hyphens do not matter');

/** The code from the SMS. Any other text is a wrong code, not an invalid request. */
export const verificationCodeField = z
  .union([z.string(), z.number().transform(String)], { error: 'must be the code as text' })
  .refine((text) => text.length <= 100, 'must be the digits of the SMS')
  .transform((text) => text.replaceAll(/[\s-]/g, ''))
  .describe('Digits of the SMS');

/** A decimal above zero in text, such as an exchange rate or a price in USD; kept as sent. */
export const positiveDecimalField = z
  .union([z.string(), z.number().transform(String)], { error: 'must be a decimal number' })
  .refine(
    (text) => /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6})?$/.test(text) && /[1-9]/.test(text),
    'must be a decimal number above 0 with at most 6 decimals',
  )
  .describe('Decimal number above 0 with at most 6 decimals, as a number or as text');

/** What tells repetitions of a request; any printable text. */
export const idempotencyKeyField = z
  .string('must be text')
  .regex(/^[\x20-\x7e]{1,200}$/, 'must have 1 to 200 printable characters')
  .refine((text) => text.trim() !== '', 'must not be blank')
  .describe('1 to 200 printable ASCII characters');

/** JSON in text, echoed as it came (specification 4.2). */
export const metadataField = z
  .string('must be JSON as text')
  .max(4_096, 'must have at most 4096 characters')
  .refine(isJson, 'must be valid JSON as text')
  .describe('JSON as text, at most 4096 characters; echoed as it came');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217, in any case; the code in capitals after validation. */
export const currencyField = z
  .string('must be a currency code')
  .transform((text, context) => {
    const currency = /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : '';
    if (currencies.has(currency)) return currency;
    context.addIssue('must be an ISO 4217 currency code, such as USD');
    return z.NEVER;
  })
  .describe('ISO 4217 currency code in any case, such as USD');

/** A country by its ISO 3166-1 code or English name; the alpha-2 code after validation. */
export const countryField = z
  .string('must be a country code')
  .transform((text, context) => {
    const country = parseCountry(text);
    if (country !== undefined) return country;
    context.addIssue('must be an ISO 3166-1 country code or name, such as US or Ethiopia');
    return z.NEVER;
  })
  .describe('Country: ISO 3166-1 alpha-2, alpha-3 or English name, in any case');
