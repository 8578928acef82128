import { sql } from 'kysely';
import type { Sql } from './connection.ts';

/** Days in a time zone. */
export interface Days {
  /** The first, YYYY-MM-DD. */
  readonly first: string;
  readonly last: string;
  /** IANA name. */
  readonly zone: string;
}

/** A day, or the column that has it, in a time zone (IANA name). */
interface ZonedDay {
  readonly day: string | Sql;
  readonly zone: string;
}

/** SQL expression: the time at which a day begins. */
export const beginOf = ({ day, zone }: ZonedDay) =>
  sql`(${day}::timestamp at time zone ${zone}::text)`;

/** SQL expression: the time at which a day ends, or a longer time that begins with it. */
export const endOf = ({ day, zone }: ZonedDay, length = sql`interval '1 day'`) =>
  sql`((${day}::timestamp + ${length}) at time zone ${zone}::text)`;

/** Each day of a range, as `day`, with its start. */
export const eachDay = ({ first, last }: Days) => sql`
  select to_char(day, 'YYYY-MM-DD') as day
  from generate_series(${first}::timestamp, ${last}::timestamp, '1 day') as day`;

/** SQL expressions for a row of `eachDay` as `days`: the time at which its day begins, and at which the next one does. */
export const boundsOfDay = ({ zone }: Days) => {
  const day = { day: sql`days.day`, zone };
  return { from: beginOf(day), before: endOf(day) };
};

/** SQL expressions: the time at which the days begin, and the time at which the day after them does. */
export const boundsOfDays = ({ first, last, zone }: Days) => ({
  from: beginOf({ day: first, zone }),
  before: endOf({ day: last, zone }),
});

/** Whether a time is within the days. */
export function isWithin(time: Sql, days: Days) {
  const { from, before } = boundsOfDays(days);
  return sql`(${time} >= ${from} and ${time} < ${before})`;
}
