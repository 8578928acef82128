import { z } from 'zod';
import type { Days } from '../../db/days.js';

const DAY_MS = 86_400_000;
const MAXIMUM_DAYS = 366;

/** The value of a date field, in years of four digits within the life of this service. */
export const daySchema = z.iso
  .date('Enter a day such as 2026-01-31.')
  .regex(/^20/, 'Enter a day such as 2026-01-31.');

export const dayText = (date: Date): string => date.toISOString().slice(0, 10);

/** The start of a day in UTC. */
export const beginningOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** Adds days; a negative number subtracts. */
export const daysAfter = (day: string, days: number): string =>
  dayText(new Date(beginningOf(day).getTime() + days * DAY_MS));

/** The range of days of a request, or its problems. */
export interface ReadDays {
  /** As shown in the form. */
  readonly values: { readonly from: string; readonly to: string };
  /** Undefined for an invalid range. */
  readonly days?: Days;
  readonly problems: { readonly from?: string; readonly to?: string };
}

/** Reads `from` and `to`, both inclusive; the default is the last 30 days. */
export function readDays(query: URLSearchParams, now: Date): ReadDays {
  const to = query.get('to')?.trim() || dayText(now);
  const isTo = daySchema.safeParse(to).success;
  const from = query.get('from')?.trim() || daysAfter(isTo ? to : dayText(now), -29);
  const values = { from, to };
  const wrong = (problems: ReadDays['problems']): ReadDays => ({ values, problems });
  if (!daySchema.safeParse(from).success) return wrong({ from: 'Enter a day such as 2026-01-31.' });
  if (!isTo) return wrong({ to: 'Enter a day such as 2026-01-31.' });
  if (from > to) return wrong({ from: 'The first day is after the last one.' });
  if (daysAfter(from, MAXIMUM_DAYS) <= to)
    return wrong({ from: `Choose at most ${MAXIMUM_DAYS} days.` });
  return { values, days: { first: from, last: to }, problems: {} };
}
