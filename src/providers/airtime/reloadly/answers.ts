import { z } from 'zod';

/** Stored in our books, so only characters that are safe in a database and on a page. */
const identifier = z
  .union([z.string(), z.int().transform(String)])
  .pipe(z.string().regex(/^[\x21-\x7e]{1,256}$/))
  .nullish()
  .catch(undefined);
/** Enumerations are compared in capitals: SUCCESSFUL, Successful. */
const word = z
  .string()
  .max(200)
  .transform((text) => text.trim().toUpperCase());

/** A number, or a text with one; anything else says nothing. */
const amount = z
  .union([z.number(), z.string().trim().min(1).pipe(z.coerce.number())])
  .nullish()
  .catch(undefined);

/** The fields of a top-up that we read; its PIN is not read. */
export const topupSchema = z.object({
  transactionId: identifier,
  status: word.nullish(),
  operatorTransactionId: identifier,
  customIdentifier: z.string().nullish(),
  recipientPhone: z.union([z.string(), z.number().transform(String)]).nullish(),
  requestedAmount: amount,
  requestedAmountCurrencyCode: z.string().nullish(),
  deliveredAmount: amount,
  deliveredAmountCurrencyCode: z.string().nullish(),
  /** `2021-12-06 13:13:39`, in the provider's time. */
  transactionDate: z.string().nullish(),
});

/** The answer of `GET /topups/reports/transactions`: a page, of which one version is a bare list. */
export const pageSchema = z.union([
  z.object({ content: z.array(topupSchema) }),
  z.array(topupSchema).transform((content) => ({ content })),
]);

export const errorSchema = z.object({
  errorCode: word,
  message: z.string().catch(''),
});

export const balanceSchema = z.object({ balance: z.number(), currencyCode: z.string() });

export type ReloadlyTopup = z.infer<typeof topupSchema>;
