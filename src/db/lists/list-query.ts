import type { RawBuilder } from 'kysely';

/** The type of a column decides its operators and its comparison. */
export type ColumnKind = 'text' | 'integer' | 'decimal' | 'time' | 'boolean';

/** A column of a list that sorts, filters and can be searchable. */
export interface ListColumn {
  readonly kind: ColumnKind;
  /** An expression on the tables in the source's `from`. */
  readonly expression: RawBuilder<unknown>;
  readonly isSearched?: true;
  /** Whether it belongs to a joined table. */
  readonly isRelated?: true;
}

/** A filter by exact text that is no column: it neither sorts nor is searched. */
export interface LookUp {
  readonly kind: 'look-up';
  matches(text: string): RawBuilder<unknown>;
}

/** The SQL of a list. It contains nothing from callers. */
export interface ListSource<Row> {
  readonly name: string;
  /** The selected columns by name: statements with `*` are not prepared. */
  readonly select: RawBuilder<Row>;
  from(companyId: number): RawBuilder<unknown>;
  /** The fixed condition of the list, above all that the company may see the row. */
  where(companyId: number): RawBuilder<unknown>;
  /** Unique in the list; breaks ties. */
  readonly id: RawBuilder<unknown>;
  /** By the names that callers use. */
  readonly columns: Readonly<Record<string, ListColumn | LookUp>>;
  /**
   * A number that increases in the transaction of every change of the rows, from 1: a count is
   * valid for one version. Without it rows are counted each time.
   */
  version?(companyId: number): RawBuilder<number>;
  /** Whether the rows also depend on time. */
  readonly changesWithTime?: true;
  /**
   * Of rows that are only added: the start of the transaction that added the row. An index has it
   * behind the company, so that only new rows are counted again.
   */
  readonly addedAt?: RawBuilder<Date>;
}

/**
 * `same` is case-insensitive equality; the others are those of nestjs-paginate. Texts are ordered
 * by their lower case, code point by code point.
 */
export type FilterOperator =
  | 'eq'
  | 'same'
  | 'in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'btw'
  | 'ilike'
  | 'sw'
  | 'null';

/** Integers and decimals are text, which keeps all digits. */
export type FilterValue = string | boolean | Date;

/** One condition on a column; a null in the row fulfils only `null`, negated or not. */
export interface Condition {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly isNegated: boolean;
  /** As many as the operator needs. */
  readonly values: readonly FilterValue[];
}

export type Direction = 'ASC' | 'DESC';
export type SortBy = readonly (readonly [column: string, direction: Direction])[];

/** A query of one page; every column belongs to the source. */
export interface ListQuery {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly sortBy: SortBy;
  /** All must hold. */
  readonly conditions: readonly Condition[];
  /** A text that one of the columns contains, ignoring case. */
  readonly search?: { readonly text: string; readonly columns: readonly string[] };
  /** Whether the query is common enough for a prepared statement. */
  readonly isUsual: boolean;
  /** Whether "more than a thousand" will do where counting all rows would grow with the list. */
  readonly isCountBounded?: true;
}
