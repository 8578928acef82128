import { type RawBuilder, sql } from 'kysely';
import { CLOSED_AFTER_HOURS } from '../../domain/statements/monthly-statement.ts';

/** What statements and day reports are of, and how a period is written. */
const periods = { month: 'YYYY-MM', day: 'YYYY-MM-DD' } as const;

/**
 * SQL query: the last closed days or months of a time zone (IANA name), each under the name of its
 * unit, and `closed_at`.
 */
export function closedPeriods(
  unit: keyof typeof periods,
  { zone, count }: { readonly zone: string; readonly count: number },
): RawBuilder<unknown> {
  const length = sql`interval ${sql.lit(`1 ${unit}`)}`;
  const afterwards = sql`make_interval(hours => ${CLOSED_AFTER_HOURS}::integer)`;
  return sql`
    select to_char(began, ${sql.lit(periods[unit])}) as ${sql.ref(unit)},
      (began + ${length}) at time zone ${zone}::text + ${afterwards} as closed_at
    from (
      select date_trunc(${sql.lit(unit)}, (now() - ${afterwards}) at time zone ${zone}::text)
        - ago * ${length} as began
      from generate_series(1, ${count}::integer) as ago
    ) as periods`;
}

/** SQL assignments: an e-mail waits that could not be sent, and is given up after days. */
export function postponed(pauseSeconds: number, giveUpDays: number): RawBuilder<unknown> {
  const isTooLate = sql`created_at < now() - make_interval(days => ${giveUpDays}::integer)`;
  return sql`
    due_at = now() + make_interval(secs => ${pauseSeconds}::float8),
    settled_at = case when ${isTooLate} then now() end,
    outcome = case when ${isTooLate} then 'GIVEN_UP' end`;
}
