import { z } from 'zod';
import type { ListParameter } from '../../http/lists/list-filters.ts';
import { beginningOf } from '../time-zone.ts';
import { daySchema, daysAfter } from './days.ts';
import type { FilterField } from './filter-form.ts';

type Filter = FilterField & ListParameter;

const text = z.string().max(100, 'Enter at most 100 characters.');

/** Filters that lists share, each for a column of the list. */
export const listFilters = {
  /** Exact match. */
  exact: (label: string, column: string): Filter => ({
    label,
    column,
    operator: 'eq',
    schema: text,
  }),
  oneOf: <Value extends string>(
    label: string,
    column: string,
    options: readonly (readonly [Value, string])[],
  ): Filter => ({
    label,
    column,
    options,
    // A choice may stand for several values.
    operator: 'in',
    schema: z.enum(
      options.map(([value]) => value),
      'Choose one of these.',
    ),
  }),
  fromDay: (label: string, column: string): Filter => ({
    label,
    column,
    isDay: true,
    operator: 'gte',
    schema: daySchema.transform((day) => beginningOf(day).toISOString()),
  }),
  /** That day inclusive. */
  toDay: (label: string, column: string): Filter => ({
    label,
    column,
    isDay: true,
    operator: 'lt',
    schema: daySchema.transform((day) => beginningOf(daysAfter(day, 1)).toISOString()),
  }),
};
