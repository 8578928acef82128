import { sql } from 'kysely';
import { CLOSED_AFTER_HOURS } from '../../../src/domain/statements.ts';

const hoursLater = sql`make_interval(hours => ${CLOSED_AFTER_HOURS}::integer)`;

/**
 * SQL expression: the last moment at which a day closed in a time zone, whatever the time of this run. Who is
 * registered an hour before it gets the report of one day.
 */
export const lastClosing = (zone: string) =>
  sql`(date_trunc('day', (now() - ${hoursLater}) at time zone ${zone}::text)
    at time zone ${zone}::text + ${hoursLater})`;
