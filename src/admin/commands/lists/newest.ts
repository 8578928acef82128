import type { AdminContext } from '../../command.ts';
import { type InputOf, id, msisdn, oneOf, optional, wholeNumber } from '../../fields.ts';

/** The fields of a list of the newest vouchers or top-ups. */
export const newestFields = <Status extends string>(
  statuses: readonly Status[],
  descriptionOfNumber: string,
) => ({
  partner: optional(id, 'Only those of one partner'),
  status: optional(oneOf(...statuses), 'Only those in one status'),
  msisdn: optional(msisdn, descriptionOfNumber),
  limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 50 by default'),
});

/** What these fields select, for the database, which knows numbers by their hashes only. */
export const newestSelection = <Status extends string>(
  input: InputOf<ReturnType<typeof newestFields<Status>>>,
  context: Pick<AdminContext, 'numbers'>,
) => ({
  partnerId: input.partner,
  status: input.status,
  numberHash: input.msisdn === undefined ? undefined : context.numbers().hashOf(input.msisdn),
  limit: input.limit ?? 50,
});
