import type { z } from 'zod';
import type {
  Condition,
  FilterOperator,
  ListQuery,
  ListSource,
} from '../../db/lists/list-query.ts';
import { conditionOf, FilterError, parseCondition, parseText } from './list-condition.ts';
import type { Parameter } from './list-links.ts';

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
  readonly source: Pick<ListSource<never>, 'columns'>;
  readonly parameters?: Readonly<Record<string, ListParameter>>;
}

/** A query with a valid format; its other parameters are one text or several. */
export interface SentFilters {
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
export function readFilters(list: Filterable, sent: SentFilters): Filters {
  const problems: Problem[] = [];
  const terms = [...ownTerms(list, sent), ...filterTerms(sent), ...(sent.q ?? []).flatMap(qTerms)];
  const conditions = terms.slice(0, MAXIMUM_CONDITIONS).flatMap((term) => {
    const path = isColumn(list, term.column)
      ? term.parameter
      : (term.parameter.split('.')[0] ?? '');
    return attempt(problems, path, () => readTerm(list, term));
  });
  if (terms.length > MAXIMUM_CONDITIONS)
    problems.push({
      path: 'filter',
      message: `must have at most ${MAXIMUM_CONDITIONS} conditions`,
    });
  const [search] = attempt(problems, 'search', () => readSearch(list, sent));
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

const filterTerms = (sent: SentFilters): Term[] =>
  Object.entries(sent)
    .filter(([parameter]) => parameter.startsWith(FILTER))
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

const isColumn = ({ source }: Filterable, name: string): boolean =>
  Object.hasOwn(source.columns, name);

function readTerm(list: Filterable, term: Term): Condition {
  const { columns } = list.source;
  const kind = isColumn(list, term.column) ? columns[term.column]?.kind : undefined;
  if (!kind)
    throw new FilterError(`must name columns of this list: ${Object.keys(columns).join(', ')}`);
  const column = { name: term.column, kind };
  return term.isValue
    ? conditionOf(column, term.operator, term.text)
    : parseCondition(column, term.text, term.operator);
}

/** The default of `searchBy` is all searchable columns. */
function readSearch({ source }: Filterable, { search = '', searchBy }: SentFilters) {
  if (search === '') return undefined;
  const searched = Object.entries(source.columns).flatMap(([name, column]) =>
    column.kind !== 'look-up' && column.isSearched ? [name] : [],
  );
  const unknown = searchBy?.some((name) => !searched.includes(name));
  if (unknown || searched.length === 0)
    throw new FilterError(`must name searchable columns: ${searched.join(', ')}`);
  return { text: parseText(search), columns: [...new Set(searchBy ?? searched)] };
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
