import { type RawBuilder, sql } from 'kysely';
import { type SearchTerm, spellingsOf } from '../../domain/staff.ts';
import type { Sql } from '../connection.ts';

/**
 * A list is declared once, in this folder: its rows, who sees them, and its fields. Every place that shows the list uses
 * this declaration. A new field is one line of `fields`, and its description in each place that shows it.
 */

/** The type of a column decides its operators and its comparison. */
export type ColumnKind = 'text' | 'integer' | 'decimal' | 'time' | 'boolean';

/** A column of a list that sorts, filters and can be searchable. */
export interface ListColumn {
  readonly kind: ColumnKind;
  /** An expression on the tables in the list's `from`. */
  readonly expression: Sql;
  readonly isSearched?: true;
  /** Whether it belongs to a joined table. */
  readonly isRelated?: true;
  /** The only texts that rows have. */
  readonly values?: readonly string[];
}

/** A filter by exact text that is no column: it neither sorts nor is searched. */
interface LookUp {
  readonly kind: 'look-up';
  matches(text: string): Sql;
}

interface AnyField {
  /** Its SQL in rows; absent where rows do not have the field. */
  readonly shown?: Sql;
  /** Absent where callers can neither filter nor sort by it. */
  readonly column?: ListColumn | LookUp;
  /** The name that callers use; by default that of the field. */
  readonly calledBy?: string;
}

/** A field of a list with the type that it has in rows: `never` where they do not have it. */
interface Field<Value> extends AnyField {
  /** Only its type is used. */
  readonly value?: Value;
}

type Fields = Readonly<Record<string, AnyField>>;

type ValueOf<One> = One extends Field<infer Value> ? Value : never;

/** A row of a list with these fields. */
type RowWith<Given extends Fields> = {
  readonly [Name in keyof Given as [ValueOf<Given[Name]>] extends [never] ? never : Name]: ValueOf<
    Given[Name]
  >;
};

/** The possible meanings of a searched text (`readSearchTerm`); a phone number is known by its keyed hash. */
export interface Sought extends Pick<SearchTerm, 'serialNumber' | 'uuid' | 'reference'> {
  /** The keyed hash of a phone number (`Digests.numberHash`). */
  readonly numberHash?: string;
  /** The id of a top-up or of a bulk order. */
  readonly id?: number;
}

type Query = Sql | readonly Sql[] | string | number | undefined;

/** The queries of a search, each in parentheses; `term && sql…` is left out where the search has no such term. */
export const searchQueries = (...queries: readonly Query[]): Sql[] =>
  queries
    .flat()
    .filter((query) => typeof query === 'object')
    .map((query) => sql`(${query})`);

/** SQL condition: an id is of one of these queries. Each query uses an index of its own. */
export const isFoundBy = (id: Sql, ...queries: readonly Query[]): Sql => {
  const found = searchQueries(...queries);
  return found.length === 0
    ? sql`false`
    : sql`${id} = any(array(${sql.join(found, sql` union all `)}))`;
};

/** SQL expression to compare a reference with, in whichever case it was typed. */
export const anySpelling = (reference: string): Sql => sql`any(${spellingsOf(reference)}::text[])`;

export type Direction = 'ASC' | 'DESC';
export type SortBy = readonly (readonly [column: string, direction: Direction])[];

/** The SQL of a list. It contains nothing from callers. */
export interface List<Row> {
  readonly name: string;
  /** The selected fields by name: statements with `*` are not prepared. */
  readonly select: RawBuilder<Row>;
  from(companyId: number): Sql;
  /** The fixed condition of the list, above all that the company may see the row. */
  where(companyId: number): Sql;
  /** Unique in the list; breaks ties. */
  readonly id: Sql;
  /** The default order; names are those of `columns`. */
  readonly sortBy: SortBy;
  /** By the names that callers use. */
  readonly columns: Readonly<Record<string, ListColumn | LookUp>>;
  /** What the portal's field of a search finds: the condition on the rows. It compares exactly, by indexes. */
  finds?(sought: Sought, companyId: number): Sql;
  /**
   * A number that increases in the transaction of every change of the rows, from 1: a count is
   * valid for one version. Without it rows are counted each time.
   */
  version?(companyId: number): RawBuilder<number>;
  /** Whether the rows also depend on time. */
  readonly changesWithTime?: true;
  /**
   * For rows that are only added: the start of the transaction that added the row. An index has it behind the
   * company, so that only new rows are counted again.
   */
  readonly addedAt?: Sql;
  /** The time since which added rows may still be deleted. Null, or absent, where none may be deleted. */
  readonly openSince?: Sql;
}

type Declaration<Given extends Fields> = Omit<List<unknown>, 'select' | 'columns'> & {
  readonly fields: Given;
};

interface DeclaredList<Given extends Fields> extends List<RowWith<Given>> {
  readonly fields: Given;
}

/** The rows of a declared list. */
export type RowOf<Declared> = Declared extends List<infer Row> ? Row : never;

const BY_ID = [['id', 'ASC']] as const;

/** Declares a list of a company. */
export const declareList = <Given extends Fields>(
  declaration: Declaration<Given>,
): DeclaredList<Given> => {
  const fields = Object.entries(declaration.fields);
  return {
    ...declaration,
    select: sql.join(
      fields.flatMap(([name, { shown }]) => (shown ? [sql`${shown} as ${sql.id(name)}`] : [])),
    ) as RawBuilder<RowWith<Given>>,
    columns: Object.fromEntries(
      fields.flatMap(([name, { column, calledBy = name }]) => (column ? [[calledBy, column]] : [])),
    ),
  };
};

/** The same list as operators see it: the rows of all companies, in any state and by id, and further fields. */
export const forOperators = <Given extends Fields, Further extends Fields>(
  { name, id, fields }: DeclaredList<Given>,
  rows: {
    readonly from: Sql;
    readonly where: Sql;
    readonly fields: Further;
    readonly sortBy?: SortBy;
  },
) =>
  declareList<Omit<Given, keyof Further> & Further>({
    name: `${name} of all companies`,
    id,
    from: () => rows.from,
    where: () => rows.where,
    sortBy: rows.sortBy ?? BY_ID,
    fields: { ...fields, ...rows.fields },
  });

const ofKind =
  <Widest>(kind: ColumnKind, more: Pick<ListColumn, 'isSearched' | 'isRelated' | 'values'> = {}) =>
  <Value extends Widest | null = Widest>(expression: Sql, calledBy?: string): Field<Value> => ({
    shown: expression,
    column: { kind, expression, ...more },
    ...(calledBy !== undefined && { calledBy }),
  });

/** Constructors of fields by type. Callers of the API use the second name, if there is one. */
export const listFields = {
  text: ofKind<string>('text'),
  /** One of a few texts. */
  choice: <Value extends string>(values: readonly Value[]) => ofKind<Value>('text', { values }),
  /** Text that `search` covers. */
  searched: ofKind<string>('text', { isSearched: true }),
  /** Text of a joined table. */
  related: ofKind<string>('text', { isSearched: true, isRelated: true }),
  integer: ofKind<number>('integer'),
  /** A decimal string. */
  decimal: ofKind<string>('decimal'),
  time: ofKind<Date>('time'),
  boolean: ofKind<boolean>('boolean'),
  /** A value that callers can neither filter nor sort by. */
  shown: <Value>(expression: Sql): Field<Value> => ({ shown: expression }),
  /** A column that filters and sorts, and is not in the rows. */
  hidden: ({ shown: _, ...field }: AnyField): Field<never> => field,
  lookUp: (matches: LookUp['matches']): Field<never> => ({ column: { kind: 'look-up', matches } }),
};
