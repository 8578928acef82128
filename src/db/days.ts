import { type RawBuilder, sql } from 'kysely';

/** Days in UTC. */
export interface Days {
  /** The first, YYYY-MM-DD. */
  readonly first: string;
  readonly last: string;
}

/** Each day of a range, as `day`, with its start. */
export const eachDay = ({ first, last }: Days) => sql`
  select to_char(day, 'YYYY-MM-DD') as day
  from generate_series(${first}::timestamp, ${last}::timestamp, '1 day') as day`;

/** The day of a time. */
export const dayOf = (time: RawBuilder<unknown>) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;

/** Whether a time is within the days. */
export const isWithin = (time: RawBuilder<unknown>, { first, last }: Days) => sql`
  (${time} >= ${first}::timestamp at time zone 'UTC'
    and ${time} < (${last}::timestamp + interval '1 day') at time zone 'UTC')`;
