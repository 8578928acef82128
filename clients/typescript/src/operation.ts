/** Where an operation is, and what it needs; `generated/` has one for each of the document. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Below the base address, with `{name}` for its parameter. */
  readonly path: string;
  /** The place of the idempotency key; without one, a repetition changes nothing. */
  readonly key: 'header' | 'body' | 'none';
  readonly isSigned: boolean;
  /** A 409 means that the result is not there yet: the same request gets it. */
  readonly repeatsConflict: boolean;
  /** The answer has no envelope. */
  readonly isBare: boolean;
  /** Of a list: the field that identifies an item. */
  readonly identifier?: string;
}

/** The name of an operation for errors and logs: without voucher codes. */
export const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;
