import { type SelectQueryBuilder, sql } from 'kysely';
import type { Sql } from './connection.ts';
import type { Schema } from './generated/tables.ts';

/** A page of rows, the newest first. */
export interface RowPage {
  readonly limit: number;
  readonly offset: number;
}

/** The end of a query: a page of its rows, or all. */
export const limitedTo = (page: RowPage | undefined): Sql =>
  page === undefined ? sql`` : sql`limit ${page.limit} offset ${page.offset}`;

/** Rows in the order of their ids: all, or a page of the newest. */
export const rowsById = <Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  page: RowPage | undefined,
): SelectQueryBuilder<Schema, Table, Row> =>
  page === undefined
    ? query.orderBy(sql`id`)
    : query.orderBy(sql`id`, 'desc').limit(page.limit).offset(page.offset);
