import { type RawBuilder, sql } from 'kysely';

/** Days in a time zone. */
export interface Days {
  /** The first, YYYY-MM-DD. */
  readonly first: string;
  readonly last: string;
  /** IANA name. */
  readonly zone: string;
}

/** Each day of a range, as `day`, with its start. */
export const eachDay = ({ first, last }: Days) => sql`
  select to_char(day, 'YYYY-MM-DD') as day
  from generate_series(${first}::timestamp, ${last}::timestamp, '1 day') as day`;

/** SQL expressions for a row of `eachDay` as `days`: the time at which its day begins, and at which the next one does. */
export const boundsOfDay = ({ zone }: Days) => {
  const start = sql`days.day::timestamp`;
  return {
    from: sql`((${start}) at time zone ${zone}::text)`,
    before: sql`((${start} + interval '1 day') at time zone ${zone}::text)`,
  };
};

/** SQL expressions: the time at which the days begin, and the time at which the day after them does. */
export const boundsOfDays = ({ first, last, zone }: Days) => ({
  from: sql`(${first}::timestamp at time zone ${zone}::text)`,
  before: sql`((${last}::timestamp + interval '1 day') at time zone ${zone}::text)`,
});

/** Whether a time is within the days. */
export function isWithin(time: RawBuilder<unknown>, days: Days) {
  const { from, before } = boundsOfDays(days);
  return sql`(${time} >= ${from} and ${time} < ${before})`;
}
