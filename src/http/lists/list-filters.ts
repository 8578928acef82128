import type { z } from 'zod';
import type { ColumnKind, List } from '../../db/lists/list.ts';
import type {
  Condition,
  FilterOperator,
  FilterValue,
  ListQuery,
} from '../../db/lists/list-page.ts';
import { soughtText } from '../../domain/copied-text.ts';
import { isStorable } from '../body/json-body.ts';
import type { ListMeta } from '../envelope.ts';

const MAXIMUM_TEXT = 200;
const MAXIMUM_VALUES = 100;

type Kind = ColumnKind | 'look-up';

/** The operators of nestjs-paginate by their names in a query. */
const operators = new Map<string, FilterOperator>(
  (['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'btw', 'ilike', 'sw', 'null'] as const).map((name) => [
    `$${name}`,
    name,
  ]),
);

const equal: readonly FilterOperator[] = ['eq', 'same', 'in', 'null'];
const ordered: readonly FilterOperator[] = [...equal, 'gt', 'gte', 'lt', 'lte', 'btw'];

const operatorsOf: Record<Kind, readonly FilterOperator[]> = {
  text: [...ordered, 'ilike', 'sw'],
  integer: ordered,
  decimal: ordered,
  time: ordered,
  boolean: equal,
  'look-up': ['eq', 'same'],
};

/** An invalid filter; the message says what to send. */
class FilterError extends Error {
  override readonly name = 'FilterError';
}

const refuse = (problem: string): never => {
  throw new FilterError(problem);
};

export interface FilteredColumn {
  readonly name: string;
  readonly kind: Kind;
  /** The only texts that rows have. */
  readonly values?: readonly string[];
}

/**
 * Reads `$not:$op:value`, `$op:value` or a bare value, which uses `bareOperator`.
 *
 * @throws {FilterError}
 */
function parseCondition(
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
const conditionOf = (
  { name, kind, values }: FilteredColumn,
  operator: FilterOperator,
  operand: string | undefined,
): Condition => ({
  column: name,
  operator,
  isNegated: false,
  values: valuesOf(operator, operand).map((one) =>
    values && WHOLE_VALUE.has(operator)
      ? choiceOf(values, operator, soughtText(one))
      : parseValue(kind, one),
  ),
});

/** The operators that compare whole values: other operators take any text. */
const WHOLE_VALUE: ReadonlySet<FilterOperator> = new Set(['eq', 'same', 'in']);

/** One of the values of a column; `same` finds it in any case. */
const choiceOf = (values: readonly string[], operator: FilterOperator, text: string): string =>
  values.find(
    (value) =>
      value === text || (operator === 'same' && value.toLowerCase() === text.toLowerCase()),
  ) ?? refuse(`must be one of ${values.join(', ')}`);

function valuesOf(operator: FilterOperator, text: string | undefined): string[] {
  if (operator === 'null') return text === undefined ? [] : refuse('must be $null without a value');
  if (text === undefined) return refuse('must have a value behind the operator');
  if (operator === 'in') {
    const values = text.split(',');
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

function parseValue(kind: Kind, given: string): FilterValue {
  const text = given.trim();
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
function parseText(given: string): string {
  const text = soughtText(given);
  if (text.length > MAXIMUM_TEXT) refuse(`must have at most ${MAXIMUM_TEXT} characters`);
  if (!isStorable(text)) refuse('must not contain invalid characters');
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

/** The values of a column in JSON Schema's regular expressions, by its kind. */
const VALUES = {
  integer: '-?[0-9]{1,15}',
  decimal: '-?[0-9]{1,15}([.][0-9]{1,6})?',
  boolean: '(true|false|1|0)',
  // The days of each month are left to the service.
  time: '[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2}))?',
} as const;

/** The form of one condition on a column in JSON Schema, for the documents. */
export function conditionForm({ kind, values }: FilteredColumn): {
  readonly pattern?: string;
  readonly maxLength?: number;
} {
  if (kind === 'look-up' || (kind === 'text' && !values)) return { maxLength: MAXIMUM_TEXT };
  const any = `[^,]{0,${MAXIMUM_TEXT}}`;
  const value = kind === 'text' ? `(${values?.join('|')})` : VALUES[kind];
  const compared = kind === 'text' ? any : value;
  const forms = [
    '[$]null',
    `([$]eq:)?${value}`,
    `[$]in:${value}(, *${value}){0,${MAXIMUM_VALUES - 1}}`,
    ...(kind === 'boolean' ? [] : [`[$](gt|gte|lt|lte):${compared}`]),
    ...(kind === 'boolean' ? [] : [`[$]btw:${compared}, *${compared}`]),
    ...(kind === 'text' ? [`[$](ilike|sw):${any}`] : []),
  ];
  return { pattern: `^([$]not:)*(${forms.join('|')})$` };
}

/** The meta of a list (specification 2.2). */
export const listMeta = (
  { page, limit }: { readonly page: number; readonly limit: number },
  totalItems: number,
  sortBy?: ListMeta['sortBy'],
): ListMeta => ({
  itemsPerPage: limit,
  totalItems,
  currentPage: page,
  totalPages: Math.ceil(totalItems / limit),
  ...(sortBy && { sortBy }),
});

/** A query parameter as it was sent. */
type Parameter = readonly [name: string, value: string];

/**
 * The links of a list: `current` always, the others where such a page exists. `address` comes from
 * the configured public address, never from the request's Host header. `parameters` are those of
 * the caller besides page, limit and order.
 */
export function listLinks(
  address: string,
  meta: ListMeta,
  parameters: readonly Parameter[] = [],
): Readonly<Record<string, string>> {
  const { currentPage, totalPages, itemsPerPage, sortBy = [] } = meta;
  const rest = encode([
    ['limit', String(itemsPerPage)],
    ...sortBy.map(([column, direction]): Parameter => ['sortBy', `${column}:${direction}`]),
    ...parameters,
  ]);
  const linkTo = (page: number) => `${address}?page=${page}&${rest}`;
  return {
    ...(currentPage > 1 && { first: linkTo(1), previous: linkTo(currentPage - 1) }),
    current: linkTo(currentPage),
    ...(currentPage < totalPages && { next: linkTo(currentPage + 1), last: linkTo(totalPages) }),
  };
}

/** Encodes a query; characters that need no encoding stay readable: `sortBy=id:DESC`. */
const encode = (parameters: readonly Parameter[]): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]))
    .toString()
    .replaceAll('%3A', ':')
    .replaceAll('%24', '$')
    .replaceAll('%2C', ',');

/** The conditions of one query, at most. */
export const MAXIMUM_CONDITIONS = 20;

/** A parameter of one list, which stands for a condition. */
export interface ListParameter {
  /** Schema of the value. */
  readonly schema: z.ZodType<string>;
  readonly column: string;
  readonly operator: FilterOperator;
}

/** The columns and parameters of a list. */
export interface Filterable {
  readonly list: Pick<List<never>, 'columns' | 'sortBy'>;
  readonly parameters?: Readonly<Record<string, ListParameter>>;
}

/** A query with a valid format; its other parameters are one text or several. */
interface SentFilters {
  readonly search?: string | undefined;
  readonly searchBy?: readonly string[] | undefined;
  readonly q?: readonly string[] | undefined;
  readonly [name: string]: unknown;
}

/** The conditions of a query. */
export interface Filters {
  readonly conditions: readonly Condition[];
  readonly search: ListQuery['search'];
  /** `filter.*` and `q` by column, as sent. */
  readonly filter: Readonly<Record<string, string | readonly string[]>>;
  /** All parameters that were read, as sent. */
  readonly given: readonly Parameter[];
  /** The problems of a query; they never repeat sent values. */
  readonly problems: readonly Problem[];
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** One condition, as sent. */
interface Term {
  readonly parameter: string;
  readonly column: string;
  readonly text: string;
  /** Operator of a value that names none. */
  readonly operator: FilterOperator;
  /** Whether the text is a plain value, even if it looks like an operator. */
  readonly isValue?: true;
}

/** Reads `search`, `searchBy`, `filter.*`, `q` and the list's own parameters. */
export function readFilters(filterable: Filterable, sent: SentFilters): Filters {
  const problems: Problem[] = [];
  const terms = [
    ...ownTerms(filterable, sent),
    ...filterTerms(sent),
    ...(sent.q ?? []).flatMap(qTerms),
  ];
  const conditions = terms.slice(0, MAXIMUM_CONDITIONS).flatMap((term) => {
    const path = isColumn(filterable, term.column)
      ? term.parameter
      : (term.parameter.split('.')[0] ?? '');
    return attempt(problems, path, () => readTerm(filterable, term));
  });
  if (terms.length > MAXIMUM_CONDITIONS)
    problems.push({
      path: 'filter',
      message: `must have at most ${MAXIMUM_CONDITIONS} conditions`,
    });
  const [search] = attempt(problems, 'search', () => readSearch(filterable, sent));
  return {
    conditions,
    search,
    filter: echoOf(terms),
    given: [
      ...(search ? [['search', search.text] as const] : []),
      ...(search ? (sent.searchBy ?? []).map((name) => ['searchBy', name] as const) : []),
      ...terms.flatMap(({ parameter, text }) =>
        parameter === 'q' ? [] : [[parameter, text] as const],
      ),
      ...(sent.q ?? []).map((text) => ['q', text] as const),
    ],
    problems,
  };
}

function attempt<Result>(problems: Problem[], path: string, read: () => Result): Result[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    problems.push({ path, message: error.message });
    return [];
  }
}

const ownTerms = ({ parameters = {} }: Filterable, sent: SentFilters): Term[] =>
  Object.entries(parameters).flatMap(([parameter, { column, operator }]) => {
    const text = sent[parameter];
    return typeof text === 'string' ? [{ parameter, column, text, operator, isValue: true }] : [];
  });

const FILTER = 'filter.';

/** Whether a parameter of a list is a filter of a column. */
export const isFilter = (parameter: string): boolean => parameter.startsWith(FILTER);

const filterTerms = (sent: SentFilters): Term[] =>
  Object.entries(sent)
    .filter(([parameter]) => isFilter(parameter))
    .flatMap(([parameter, value]) =>
      [value].flat().map((text) => ({
        parameter,
        column: parameter.slice(FILTER.length),
        text: String(text),
        operator: 'eq',
      })),
    );

/** `column=value,column=value`; a comma that no column follows belongs to the value. */
const qTerms = (q: string): Term[] =>
  q.split(/,(?=\s*[\w.]+=)/).map((part) => {
    const [column = '', ...value] = part.split('=');
    return {
      parameter: 'q',
      // Without a value there is no column.
      column: value.length > 0 ? column.trim() : '',
      text: value.join('=').trim(),
      operator: 'same',
    };
  });

const isColumn = ({ list }: Filterable, name: string): boolean => Object.hasOwn(list.columns, name);

function readTerm(filterable: Filterable, term: Term): Condition {
  const { columns } = filterable.list;
  const found = isColumn(filterable, term.column) ? columns[term.column] : undefined;
  if (!found)
    throw new FilterError(`must name columns of this list: ${Object.keys(columns).join(', ')}`);
  const column = { ...found, name: term.column };
  return term.isValue
    ? conditionOf(column, term.operator, term.text)
    : parseCondition(column, term.text, term.operator);
}

/** The columns that `search` looks into. */
export const searchedOf = ({ list }: Filterable): string[] =>
  Object.entries(list.columns).flatMap(([name, column]) =>
    column.kind !== 'look-up' && column.isSearched ? [name] : [],
  );

/** The default of `searchBy` is all searchable columns. */
function readSearch(filterable: Filterable, { search = '', searchBy }: SentFilters) {
  const text = parseText(search);
  if (text === '') return undefined;
  const searched = searchedOf(filterable);
  if (searched.length === 0) throw new FilterError('must be absent: this list has no search');
  if (searchBy?.some((name) => !searched.includes(name)))
    throw new FilterError(`must have a \`searchBy\` of searchable columns: ${searched.join(', ')}`);
  return { text, columns: [...new Set(searchBy ?? searched)] };
}

/** The text or texts of each column that the list has. */
function echoOf(terms: readonly Term[]): Filters['filter'] {
  const texts = new Map<string, string[]>();
  for (const { column, text, isValue } of terms)
    if (!isValue) texts.set(column, [...(texts.get(column) ?? []), text]);
  return Object.fromEntries(
    [...texts].map(([column, [first = '', ...more]]) => [
      column,
      more.length === 0 ? first : [first, ...more],
    ]),
  );
}
