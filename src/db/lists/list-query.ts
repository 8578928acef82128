import type { RawBuilder } from 'kysely';

/** What a column holds decides which operators it takes and how values are compared. */
export type ColumnKind = 'text' | 'integer' | 'decimal' | 'time' | 'boolean';

/** A column of a list that sorts, filters and, where it says so, is searched. */
export interface ListColumn {
  readonly kind: ColumnKind;
  /** Of the tables in the source's `from`. */
  readonly expression: RawBuilder<unknown>;
  readonly isSearched?: true;
  /** Whether it is of a joined table. */
  readonly isRelated?: true;
}

/** Something that is found by its exact text and is no column: it neither sorts nor is searched. */
export interface LookUp {
  readonly kind: 'look-up';
  matches(text: string): RawBuilder<unknown>;
}

/** Where the rows of a list come from. Nothing in it is written by a caller. */
export interface ListSource<Row> {
  readonly name: string;
  /** The selected columns, each by name: statements with `*` are not prepared. */
  readonly select: RawBuilder<Row>;
  from(companyId: number): RawBuilder<unknown>;
  /** What every row of the list fulfils: above all, that the company may see it. */
  where(companyId: number): RawBuilder<unknown>;
  /** Unique in the list: rows that sort alike are in its order. */
  readonly id: RawBuilder<unknown>;
  /** By the name that callers know. */
  readonly columns: Readonly<Record<string, ListColumn | LookUp>>;
  /**
   * A number that is raised in the transaction of every change of the rows, from 1: a count is true
   * as long as it stays the same. Where there is none, rows are counted each time.
   */
  version?(companyId: number): RawBuilder<number>;
  /** Whether they change with the time, too. */
  readonly changesWithTime?: true;
}

/**
 * `same` is equality that ignores upper and lower case; the others are those of nestjs-paginate.
 * Texts are ordered by their lower case, code point by code point.
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

/** Integers and decimals are text, so that none loses a digit. */
export type FilterValue = string | boolean | Date;

/** One condition on a column; a row with a null there fulfils none but `null`, negated or not. */
export interface Condition {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly isNegated: boolean;
  /** As many as the operator takes. */
  readonly values: readonly FilterValue[];
}

export type Direction = 'ASC' | 'DESC';
export type SortBy = readonly (readonly [column: string, direction: Direction])[];

/** A page of a list as it was asked for; every column is one of the source's. */
export interface ListQuery {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly sortBy: SortBy;
  /** All of them hold. */
  readonly conditions: readonly Condition[];
  /** A text that one of the columns contains, in upper or lower case. */
  readonly search?: { readonly text: string; readonly columns: readonly string[] };
  /** Whether many ask alike, so that the statement is worth being prepared. */
  readonly isUsual: boolean;
}
