import type { Refusal } from '../domain/refusals.ts';

/**
 * Looks a voucher up within a limit of misses (fault F51). The surface that takes the code has the limit:
 * a form of the portal names vouchers by their ids, and guesses nothing.
 */
export type VoucherLookUp = <Result>(search: {
  readonly code: { readonly canonical: string | undefined };
  readonly run: () => Promise<Result>;
  /** The refusal in a result; undefined for a stored answer. */
  readonly refusalOf: (result: Result) => Pick<Refusal, 'reason'> | undefined;
  /** The result for a requester that has exceeded the limit. */
  readonly refused: (refusal: Refusal) => Result;
}) => Promise<Result>;
