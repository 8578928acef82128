import { type FilteredColumn, MAXIMUM_TEXT, MAXIMUM_VALUES } from './list-condition.ts';

/** The values of a column in JSON Schema's regular expressions, by its kind. */
const VALUES = {
  integer: '-?[0-9]{1,15}',
  decimal: '-?[0-9]{1,15}([.][0-9]{1,6})?',
  boolean: '(true|false|1|0)',
  // The days of each month are left to the service.
  time: '[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2}))?',
} as const;

/** The form of one condition on a column in JSON Schema, for the documents. */
export function conditionForm({ kind }: FilteredColumn): {
  readonly pattern?: string;
  readonly maxLength?: number;
} {
  if (kind === 'text' || kind === 'look-up') return { maxLength: MAXIMUM_TEXT };
  const value = VALUES[kind];
  const forms = [
    '[$]null',
    `([$]eq:)?${value}`,
    `[$]in:${value}(,${value}){0,${MAXIMUM_VALUES - 1}}`,
    ...(kind === 'boolean' ? [] : [`[$](gt|gte|lt|lte):${value}`, `[$]btw:${value},${value}`]),
  ];
  return { pattern: `^([$]not:)*(${forms.join('|')})$` };
}
