import { z } from 'zod';

/** Kept in our books, so nothing that a database or a page could stumble over. */
const identifier = z.string().regex(/^[\x21-\x7e]{1,256}$/);
/** Enumerations are read without regard to case and punctuation: COMPLETED, Completed. */
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

/** A transaction, as far as we read it; its PIN is none of our business and stays unread. */
export const transactionSchema = z.object({
  /** 64 bits: beyond 2^53 it was rounded when it was parsed, so it names nothing. */
  id: z.union([z.int(), z.string()]).transform(String).pipe(identifier).optional().catch(undefined),
  external_id: z.union([z.string(), z.number().transform(String)]).nullish(),
  operator_reference: identifier.nullish().catch(undefined),
  status: statusSchema,
  product: z
    .object({ id: z.union([z.string(), z.number().transform(String)]) })
    .nullish()
    .catch(undefined),
  credit_party_identifier: z.object({ mobile_number: z.string() }).nullish().catch(undefined),
  /** What was asked for; of a package only its product says it. */
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
