import { z } from 'zod';

/** OpenAPI document and guide differ in the case of property names and enumerations. */
export const caseless = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    (value) =>
      value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]))
        : value,
    z.object(shape),
  );
const word = z.string().transform((text) => text.trim().toLowerCase());
const text = z.union([z.string(), z.number().transform(String)]);
/** Stored in our books, so only characters that are safe in a database and on a page. */
const identifier = text.pipe(z.string().regex(/^[\x21-\x7e]{1,256}$/));

/** An error object. Its code is in the format of the OpenAPI document, e.g. `formatError`. */
export const errorSchema = caseless({
  errorcategory: word,
  errorcode: z.string().transform((code) => code.charAt(0).toLowerCase() + code.slice(1)),
  errordescription: z.string().catch(''),
});

/** An unreadable value says nothing about a party, nor does an identifier without one. */
export const partySchema = z
  .array(z.object({ key: z.string(), value: text.nullish() }))
  .transform((party) => party.flatMap(({ key, value }) => (value == null ? [] : { key, value })))
  .catch([])
  .nullish();

export const transactionSchema = caseless({
  transactionreference: identifier,
  transactionstatus: word,
  amount: text.nullish(),
  currency: z.string().nullish(),
  requestingorganisationtransactionreference: z.string().nullish(),
  /** Of a reversal: the transaction that it reverses. */
  originaltransactionreference: z.string().nullish(),
  creditparty: partySchema,
});

/** Of a transaction in the list of an account, which `GET /accounts/{…}/transactions` answers. */
export const listedFields = {
  type: z
    .string()
    .transform((type) => type.toLowerCase())
    .nullish(),
  creationdate: z.coerce.date().nullish(),
  datecreated: z.coerce.date().nullish(),
};

/** A request state. The document calls its error `error`, the guide `errorReference`. */
export const requestStateSchema = caseless({
  status: word,
  /** An ended state is read without it, too. */
  objectreference: identifier.nullish().catch(undefined),
  /** How often the request state may be asked for; an unreadable one says nothing. */
  polllimit: z.coerce.number().int().min(0).nullish().catch(undefined),
  error: errorSchema.optional().catch(undefined),
  errorreference: errorSchema.optional().catch(undefined),
});

/** The answer of `/responses/{clientCorrelationId}`. */
export const linkSchema = caseless({ link: z.string() });

export type GsmaError = z.infer<typeof errorSchema>;
export type GsmaTransaction = z.infer<typeof transactionSchema>;
