import type {
  ColumnKind,
  Condition,
  FilterOperator,
  FilterValue,
} from '../../db/lists/list-query.ts';

export const MAXIMUM_TEXT = 200;
export const MAXIMUM_VALUES = 100;

type Kind = ColumnKind | 'look-up';

/** The operators of nestjs-paginate by their names in a query. */
const operators = new Map<string, FilterOperator>([
  ['$eq', 'eq'],
  ['$in', 'in'],
  ['$gt', 'gt'],
  ['$gte', 'gte'],
  ['$lt', 'lt'],
  ['$lte', 'lte'],
  ['$btw', 'btw'],
  ['$ilike', 'ilike'],
  ['$sw', 'sw'],
  ['$null', 'null'],
]);

const ordered: readonly FilterOperator[] = [
  'eq',
  'same',
  'in',
  'null',
  'gt',
  'gte',
  'lt',
  'lte',
  'btw',
];

const operatorsOf: Record<Kind, readonly FilterOperator[]> = {
  text: [...ordered, 'ilike', 'sw'],
  integer: ordered,
  decimal: ordered,
  time: ordered,
  boolean: ['eq', 'same', 'in', 'null'],
  'look-up': ['eq', 'same'],
};

/** An invalid filter; the message says what to send. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

const refuse = (problem: string): never => {
  throw new FilterError(problem);
};

export interface FilteredColumn {
  readonly name: string;
  readonly kind: Kind;
}

/**
 * Reads `$not:$op:value`, `$op:value` or a bare value, which uses `bareOperator`.
 *
 * @throws {FilterError}
 */
export function parseCondition(
  column: FilteredColumn,
  text: string,
  bareOperator: FilterOperator,
): Condition {
  let rest = text;
  let isNegated = false;
  while (rest.startsWith('$not:')) {
    isNegated = true;
    rest = rest.slice('$not:'.length);
  }
  const [, symbol, value = rest] =
    /^(\$[a-z]+):(.*)$/is.exec(rest) ?? (operators.has(rest) ? [rest, rest] : []);
  const operator =
    symbol === undefined
      ? bareOperator
      : (operators.get(symbol) ??
        refuse(`must have one of the operators $not, ${[...operators.keys()].join(', ')}`));
  if (!operatorsOf[column.kind].includes(operator))
    refuse(`must have another operator: this column does not support ${symbol}`);
  const operand = rest === symbol ? undefined : value;
  return { ...conditionOf(column, operator, operand), isNegated };
}

/**
 * The condition of an operator with a value that is not parsed for operators.
 *
 * @throws {FilterError}
 */
export const conditionOf = (
  { name, kind }: FilteredColumn,
  operator: FilterOperator,
  operand: string | undefined,
): Condition => ({
  column: name,
  operator,
  isNegated: false,
  values: valuesOf(operator, operand).map((one) => parseValue(kind, one)),
});

function valuesOf(operator: FilterOperator, text: string | undefined): string[] {
  if (operator === 'null') return text === undefined ? [] : refuse('must be $null without a value');
  if (text === undefined) return refuse('must have a value behind the operator');
  if (operator === 'in') {
    const values = text.split(',').map((value) => value.trim());
    return values.length <= MAXIMUM_VALUES
      ? values
      : refuse(`must have at most ${MAXIMUM_VALUES} values`);
  }
  if (operator === 'btw') {
    const values = text.split(',');
    return values.length === 2 ? values : refuse('must have two values, as $btw:1,5');
  }
  return [text];
}

function parseValue(kind: Kind, text: string): FilterValue {
  switch (kind) {
    case 'integer':
      return /^-?[0-9]{1,15}$/.test(text) ? text : refuse('must be a whole number');
    case 'decimal':
      return /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/.test(text) ? text : refuse('must be a number');
    case 'boolean':
      return /^(true|false|1|0)$/.test(text)
        ? ['true', '1'].includes(text)
        : refuse('must be true or false');
    case 'time':
      return parseTime(text);
    default:
      return parseText(text);
  }
}

/** Any short text that PostgreSQL can store. */
export function parseText(text: string): string {
  if (text.length > MAXIMUM_TEXT) refuse(`must have at most ${MAXIMUM_TEXT} characters`);
  if (/\0|\p{Surrogate}/u.test(text)) refuse('must not contain invalid characters');
  return text;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A day begins at midnight UTC. */
function parseTime(text: string): Date {
  const time = DAY.test(text) || TIME.test(text) ? new Date(text) : undefined;
  const year = time?.getUTCFullYear() ?? Number.NaN;
  // PostgreSQL reads these years.
  if (time && year >= 1_000 && year < 9_999 && isCalendarDay(text.slice(0, 10))) return time;
  return refuse('must be a day or a time in ISO 8601, such as 2026-01-31T00:00:00Z');
}

/** JavaScript turns 30 February into 2 March. */
function isCalendarDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
