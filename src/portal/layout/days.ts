import { z } from 'zod';
import type { Days } from '../../db/days.js';

const DAY_MS = 86_400_000;
const MAXIMUM_DAYS = 366;

/** A day that a date field sends; years of four digits that this service can have seen. */
export const daySchema = z.iso
  .date('Give a day such as 2026-01-31.')
  .regex(/^20/, 'Give a day such as 2026-01-31.');

export const dayText = (date: Date): string => date.toISOString().slice(0, 10);

/** When a day begins, in UTC. */
export const beginningOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** So many days later, or earlier. */
export const daysAfter = (day: string, days: number): string =>
  dayText(new Date(beginningOf(day).getTime() + days * DAY_MS));

/** The days that a page is asked for, and what is wrong with what was asked. */
export interface ReadDays {
  /** As they are shown in the form. */
  readonly values: { readonly from: string; readonly to: string };
  /** Undefined where something is wrong. */
  readonly days?: Days;
  readonly problems: { readonly from?: string; readonly to?: string };
}

/** Reads `from` and `to`, both included; without them the last 30 days. */
export function readDays(query: URLSearchParams, now: Date): ReadDays {
  const to = query.get('to')?.trim() || dayText(now);
  const isTo = daySchema.safeParse(to).success;
  const from = query.get('from')?.trim() || daysAfter(isTo ? to : dayText(now), -29);
  const values = { from, to };
  const wrong = (problems: ReadDays['problems']): ReadDays => ({ values, problems });
  if (!daySchema.safeParse(from).success) return wrong({ from: 'Give a day such as 2026-01-31.' });
  if (!isTo) return wrong({ to: 'Give a day such as 2026-01-31.' });
  if (from > to) return wrong({ from: 'The first day is after the last one.' });
  if (daysAfter(from, MAXIMUM_DAYS) <= to)
    return wrong({ from: `Choose at most ${MAXIMUM_DAYS} days.` });
  return { values, days: { first: from, last: to }, problems: {} };
}
