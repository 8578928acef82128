import type { Database } from '../../../db/connection.ts';
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

/** What these fields select, for the database, which knows numbers by their keys only. */
export const newestSelection = async <Status extends string>(
  database: Database,
  input: InputOf<ReturnType<typeof newestFields<Status>>>,
  context: Pick<AdminContext, 'numbers'>,
) => ({
  partnerId: input.partner,
  status: input.status,
  numberKeys:
    input.msisdn === undefined ? undefined : (await context.numbers(database)).keysOf(input.msisdn),
  limit: input.limit ?? 50,
});
