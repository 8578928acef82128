import fc from 'fast-check';
import type { ColumnKind } from '../../src/db/lists/list.ts';

/** A second implementation of lists, over rows in memory and without any haste. */

export type Cell = string | number | boolean | Date | null;
export type NaiveRow = Readonly<Record<string, Cell>>;

interface Filter {
  readonly column: string;
  readonly operator: string;
  readonly isNegated: boolean;
  readonly values: readonly Cell[];
}

export interface Query {
  readonly filters: readonly Filter[];
  readonly names: readonly Filter[];
  readonly sortBy: readonly (readonly [string, 'ASC' | 'DESC'])[];
  readonly search: string;
  readonly limit: number;
  readonly page: number;
}

const lower = (text: string) => text.toLowerCase();

/** Texts by their lower case, code point by code point; -1, 0 or 1. */
function compare(left: Cell, right: Cell): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(lower(left)), Buffer.from(lower(right)));
  return Math.sign(Number(left) - Number(right));
}

const isSame = (left: Cell, right: Cell) =>
  typeof left === 'string' ? left === right : Number(left) === Number(right);

function fits(cell: Cell, { operator, isNegated, values }: Filter): boolean {
  // The blanks around a sent value do not count.
  const [first = null, second = null] = values.map((value) =>
    typeof value === 'string' ? value.trim() : value,
  );
  if (operator === '$null') return (cell === null) !== isNegated;
  if (cell === null) return false;
  const holds: Record<string, () => boolean> = {
    $eq: () => isSame(cell, first),
    same: () => compare(cell, first) === 0,
    $in: () =>
      values.some((value) => isSame(cell, typeof value === 'string' ? value.trim() : value)),
    $gt: () => compare(cell, first) > 0,
    $gte: () => compare(cell, first) >= 0,
    $lt: () => compare(cell, first) < 0,
    $lte: () => compare(cell, first) <= 0,
    $btw: () => compare(cell, first) >= 0 && compare(cell, second) <= 0,
    $ilike: () => lower(String(cell)).includes(lower(String(first))),
    $sw: () => lower(String(cell)).startsWith(lower(String(first))),
  };
  return holds[operator]?.() !== isNegated;
}

/** What a list answers: all ids in their order. */
export function naiveList(
  rows: readonly NaiveRow[],
  query: Query,
  { id, searched }: { readonly id: string; readonly searched: readonly string[] },
): Cell[] {
  const found = rows.filter(
    (row) =>
      [...query.filters, ...query.names].every((filter) =>
        fits(row[filter.column] ?? null, filter),
      ) &&
      (query.search.trim() === '' ||
        searched.some((column) =>
          lower(String(row[column] ?? '')).includes(lower(query.search.trim())),
        )),
  );
  const last = query.sortBy.at(-1)?.[1] ?? 'ASC';
  const order = [...query.sortBy, [id, last] as const];
  return found
    .toSorted((left, right) => {
      for (const [column, direction] of order) {
        const difference = compareNullsLast(left[column] ?? null, right[column] ?? null);
        if (difference !== 0) return direction === 'ASC' ? difference : -difference;
      }
      return 0;
    })
    .map((row) => row[id] ?? null);
}

const compareNullsLast = (left: Cell, right: Cell): number =>
  left === null || right === null
    ? Number(left === null) - Number(right === null)
    : compare(left, right);

/** A query as it stands in an address. */
export function parametersOf(query: Query): Record<string, string | string[]> {
  const text = (cell: Cell) => (cell instanceof Date ? cell.toISOString() : String(cell));
  const filters = new Map<string, string[]>();
  for (const { column, operator, isNegated, values } of query.filters) {
    const value = operator === '$null' ? '$null' : `${operator}:${values.map(text).join(',')}`;
    const name = `filter.${column}`;
    filters.set(name, [...(filters.get(name) ?? []), isNegated ? `$not:${value}` : value]);
  }
  const q = query.names.map(({ column, values }) => `${column}=${values.map(text).join()}`);
  return {
    page: String(query.page),
    limit: String(query.limit),
    sortBy: query.sortBy.map((term) => term.join(':')),
    search: query.search,
    ...(q.length > 0 ? { q: q.join(',') } : {}),
    ...Object.fromEntries(filters),
  };
}

const ordered = ['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$btw', '$null'];
const operatorsOf: Record<ColumnKind, readonly string[]> = {
  text: [...ordered, '$ilike', '$sw'],
  integer: ordered,
  decimal: ordered,
  time: ordered,
  boolean: ['$eq', '$in', '$null'],
};

/** Letters with and without case, and all that means something to SQL, LIKE or this syntax. */
const letters = fc.constantFrom(...'aAbBéÉñÑωΩ💡%_\\\'"$:. -;');
export const names = fc
  .string({ unit: letters, minLength: 1, maxLength: 4 })
  .map((name) => `${name}x`);

/** A column, and its only texts where it has a few. */
export interface QueriedColumn {
  readonly kind: ColumnKind;
  readonly values?: readonly string[];
}

/** Queries over columns, about values that are often those of rows. */
export function queries(
  columns: Readonly<Record<string, QueriedColumn>>,
  rows: readonly NaiveRow[],
  sortedByItself: readonly [string, 'ASC' | 'DESC'],
): fc.Arbitrary<Query> {
  const columnNames = Object.keys(columns);
  const cells = (column: string): fc.Arbitrary<Cell> => {
    const choices = columns[column]?.values;
    if (choices) return fc.constantFrom(...choices);
    const known = rows.map((row) => row[column] ?? null).filter((cell) => cell !== null);
    const spelled = fc
      .tuple(fc.constantFrom<Cell>(...known), fc.nat({ max: 3 }), fc.boolean())
      .map(([cell, length, isUpper]): Cell => {
        if (typeof cell !== 'string') return cell;
        const part = length === 0 ? cell : [...cell].slice(0, length).join('');
        return isUpper ? part.toUpperCase() : part;
      });
    return columns[column]?.kind === 'text' ? fc.oneof(spelled, names) : spelled;
  };
  const filters = fc.constantFrom(...columnNames).chain((column) =>
    fc.record({
      column: fc.constant(column),
      operator: fc.constantFrom(...operatorsOf[columns[column]?.kind ?? 'text']),
      isNegated: fc.boolean(),
      values: fc.array(cells(column), { minLength: 2, maxLength: 2 }),
    }),
  );
  const values = { $null: 0, $in: 2, $btw: 2 } as Readonly<Record<string, number>>;
  return fc.record({
    filters: fc.array(
      filters.map((one) => ({ ...one, values: one.values.slice(0, values[one.operator] ?? 1) })),
      { maxLength: 3 },
    ),
    names: fc.array(
      fc.constantFrom(...columnNames).chain((column) =>
        cells(column).map((cell) => ({
          column,
          operator: 'same',
          isNegated: false,
          values: [typeof cell === 'string' ? cell.replace(/^\$/, 'x').trim() || 'x' : cell],
        })),
      ),
      { maxLength: 1 },
    ),
    sortBy: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...columnNames), fc.constantFrom('ASC', 'DESC')), {
        maxLength: 3,
        selector: ([column]) => column,
      })
      .map((terms) => (terms.length === 0 ? [sortedByItself] : terms)),
    search: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      names,
      fc.constantFrom('%', 'a', 'É'),
    ),
    limit: fc.integer({ min: 1, max: 25 }),
    page: fc.integer({ min: 1, max: 4 }),
  }) as fc.Arbitrary<Query>;
}
