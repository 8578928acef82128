import { z } from 'zod';
import type { Reason } from '../domain/errors.js';
import { countryField, currencyField, positiveDecimalField } from '../http/fields.js';

/** What every top-up says of its sale (specification 4.1, design 3). */
export const saleFields = {
  exchangeRate: positiveDecimalField,
  currency: currencyField,
  originatingCountry: countryField,
  foreignCurrencyAmount: positiveDecimalField.nullish(),
};

/** The sale as a top-up's row holds it. */
export const saleOf = (body: {
  readonly exchangeRate: string;
  readonly currency: string;
  readonly originatingCountry: string;
  readonly foreignCurrencyAmount?: string | null | undefined;
}) => ({
  exchangeRate: body.exchangeRate,
  currency: body.currency,
  originatingCountry: body.originatingCountry,
  foreignCurrencyAmount: body.foreignCurrencyAmount ?? null,
});

/** Without `status` while it is being processed. */
export const topupAnswerSchema = z.object({
  transactionId: z.number(),
  status: z.literal('SUCCESS').optional(),
  message: z.string(),
  referenceNumber: z.string(),
});

/** The reasons that all top-ups share. */
export const topupReasons: readonly Reason[] = [
  'account-suspended',
  'product-not-accessible',
  'number-not-served',
  'money-insufficient',
  'database-failed',
  'topup-failed',
  'key-reused',
];
