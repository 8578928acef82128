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

/** Whether a time is within the days. */
export const isWithin = (time: RawBuilder<unknown>, { first, last, zone }: Days) => sql`
  (${time} >= ${first}::timestamp at time zone ${zone}::text
    and ${time} < (${last}::timestamp + interval '1 day') at time zone ${zone}::text)`;
