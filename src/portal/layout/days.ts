import { z } from 'zod';
import type { Days } from '../../db/days.ts';
import { timeZone, zonedTime } from '../time-zone.ts';

const DAY_MS = 86_400_000;
const MAXIMUM_DAYS = 366;

/** The value of a date field, in years of four digits within the life of this service. */
export const daySchema = z.iso
  .date('Enter a day such as 2026-01-31.')
  .regex(/^20/, 'Enter a day such as 2026-01-31.');

/** The present day in the zone of the request. */
export const today = (): string => zonedTime(new Date()).day;

/** Adds days; a negative number subtracts. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The days from the first to the last one that is not empty. */
export function withoutEmptyEnds<Day>(
  days: readonly Day[],
  isEmpty: (day: Day) => boolean,
): readonly Day[] {
  const first = days.findIndex((day) => !isEmpty(day));
  return first < 0 ? [] : days.slice(first, days.findLastIndex((day) => !isEmpty(day)) + 1);
}

/** The range of days of a request, or its problems. */
export interface ReadDays {
  /** As shown in the form. */
  readonly values: { readonly from: string; readonly to: string };
  /** Undefined for an invalid range. */
  readonly days?: Days;
  readonly problems: { readonly from?: string; readonly to?: string };
}

/** Reads `from` and `to`, both inclusive; the default is the last 30 days. */
export function readDays(query: URLSearchParams): ReadDays {
  const to = query.get('to')?.trim() || today();
  const isTo = daySchema.safeParse(to).success;
  const from = query.get('from')?.trim() || daysAfter(isTo ? to : today(), -29);
  const values = { from, to };
  const wrong = (problems: ReadDays['problems']): ReadDays => ({ values, problems });
  if (!daySchema.safeParse(from).success) return wrong({ from: 'Enter a day such as 2026-01-31.' });
  if (!isTo) return wrong({ to: 'Enter a day such as 2026-01-31.' });
  if (from > to) return wrong({ from: 'The first day is after the last one.' });
  if (daysAfter(from, MAXIMUM_DAYS) <= to)
    return wrong({ from: `Choose at most ${MAXIMUM_DAYS} days.` });
  return { values, days: { first: from, last: to, zone: timeZone() }, problems: {} };
}
