import { type QueryCreator, sql } from 'kysely';
import type { Schema } from '../schema/all-tables.ts';

/** The database refuses a statement that would exceed a limit of a phone number by this name. */
export const numberLimitConstraint = 'number_daily_counts_within_limits';

/** What is limited for a phone number and day. */
export type NumberEvent = 'vouchers' | 'redemptions' | 'topups';

/** One event of a phone number, and how many a day may have. */
export interface NumberCount {
  /** Keyed digest of the number. */
  readonly digest: Buffer;
  readonly event: NumberEvent;
  readonly limit: number;
}

/**
 * SQL statement: counts an event of a number. It fails by `numberLimitConstraint` beyond the limit;
 * then the whole statement has no effect. `condition` decides whether anything is counted.
 */
export function countNumber({ digest, event, limit }: NumberCount, condition = sql`select`) {
  const [count, limited] = [sql.ref(event), sql.ref(`${event}_limit`)];
  return sql`
    insert into number_daily_counts as known (number_digest, day, ${count}, ${limited})
    select ${digest}::bytea, (now() at time zone 'UTC')::date, 1, ${limit}::int
    where exists (${condition})
    on conflict (number_digest, day) do update set
      ${count} = known.${count} + 1, ${limited} = excluded.${limited}
    returning 1 as counted`;
}

/** SQL expression: the events of the number today. */
export const countOfNumber = ({ digest, event }: NumberCount) => sql<number>`coalesce(
  (select ${sql.ref(event)} from number_daily_counts
    where number_digest = ${digest}::bytea and day = (now() at time zone 'UTC')::date), 0)`;

/** The count of an event of a number; undefined without a number, or where its event has no limit. */
export function numberCount(
  digestOf: (msisdn: string) => Buffer,
  limits: Readonly<Record<NumberEvent, number>>,
  { event, msisdn }: { readonly event: NumberEvent; readonly msisdn: string | null },
): NumberCount | undefined {
  const limit = limits[event];
  return msisdn === null || limit === 0 ? undefined : { digest: digestOf(msisdn), event, limit };
}

type Counted = { readonly counted: number };

/** Counts an event within the next statement, so that it costs no round trip; undefined counts none. */
export const withNumberCount = (
  queries: QueryCreator<Schema>,
  count: NumberCount | undefined,
): QueryCreator<Schema> =>
  count
    ? (queries.with(
        'counted_number',
        () => sql<Counted>`(${countNumber(count)})`,
      ) as unknown as QueryCreator<Schema>)
    : queries;
