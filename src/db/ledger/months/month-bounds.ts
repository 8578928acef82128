import { sql } from 'kysely';
import type { Month } from '../../../domain/statements/monthly-statement.ts';

/** SQL expression: the first moment of a month in a time zone (IANA name). */
export const beginningOfMonth = (month: Month, zone: string) =>
  sql`(${`${month}-01`}::timestamp at time zone ${zone}::text)`;

/** SQL expression: the first moment after it. */
export const endOfMonth = (month: Month, zone: string) =>
  sql`((${`${month}-01`}::timestamp + interval '1 month') at time zone ${zone}::text)`;
