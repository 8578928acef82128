import { z } from 'zod';

/** Stored in our books, so only characters that are safe in a database and on a page. */
const identifier = z.string().regex(/^[\x21-\x7e]{1,256}$/);
/** Enumerations are compared without case and punctuation: COMPLETED, Completed. */
const word = z
  .string()
  .transform((text) =>
    text
      .toUpperCase()
      .replace(/[^A-Z]+/g, '-')
      .replace(/^-|-$/g, ''),
  )
  .nullish();

const statusSchema = z.object({
  message: word,
  class: z.object({
    id: z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).nullish(),
    message: word,
  }),
});

/** The fields of a transaction that we read; its PIN is not read. */
export const transactionSchema = z.object({
  /** 64 bits: an id beyond 2^53 was rounded by the parser and is useless. */
  id: z.union([z.int(), z.string()]).transform(String).pipe(identifier).optional().catch(undefined),
  external_id: z.union([z.string(), z.number().transform(String)]).nullish(),
  operator_reference: identifier.nullish().catch(undefined),
  status: statusSchema,
  product: z
    .object({ id: z.union([z.string(), z.number().transform(String)]) })
    .nullish()
    .catch(undefined),
  credit_party_identifier: z.object({ mobile_number: z.string() }).nullish().catch(undefined),
  /** The requested values; a package is identified only by its product. */
  requested_values: z
    .object({
      destination: z.object({ unit: z.string(), amount: z.coerce.number() }).nullish(),
    })
    .nullish()
    .catch(undefined),
});

/** The answer of `GET /transactions`. */
export const transactionsSchema = z.array(transactionSchema);

export const errorsSchema = z.object({
  errors: z.array(z.object({ code: z.coerce.number(), message: z.string().catch('') })).min(1),
});

export type Transaction = z.infer<typeof transactionSchema>;
