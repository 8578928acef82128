import type { IncomingHttpHeaders } from 'node:http';
import type { ZodType } from 'zod';
import type { ListSource } from '../../db/lists/list-page.ts';
import { refuse } from '../../domain/refusals.ts';
import { type CsvRow, csv, csvLines } from '../../rendering/csv.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { type ListMeta, type Reply, reply } from '../envelope.ts';
import { listLinks, listMeta } from './list-filters.ts';
import { type ListOptions, type ListRequest, listQuery } from './list-query.ts';

/** The definition of one list. */
export interface ListDefinition<Row>
  extends Pick<Endpoint, 'path' | 'aliases' | 'summary' | 'description' | 'answer'>,
    Omit<ListOptions, 'source'> {
  readonly source: ListSource<Row>;
  readonly message: string;
  /** Presents an item in the shape of `answer`. */
  present(row: Row): unknown;
  /** Fixed entries of `meta.filter`; absent where the list has none. */
  ownFilter?(partnerId: number): Readonly<Record<string, string>>;
}

/** The endpoint of a list (specification 2.2 and 4.1, design 3). */
export const listEndpoint = <Row>(list: ListDefinition<Row>): Endpoint =>
  endpoint({
    method: 'GET',
    path: list.path,
    ...(list.aliases ? { aliases: list.aliases } : {}),
    operation: 'list',
    summary: list.summary,
    description: list.description,
    access: 'token',
    scope: 'read',
    isConditional: true,
    list: describe(list),
    query: listQuery(list),
    answer: list.answer as ZodType,
    reasons: ['page-not-found'],
    async handle({ services, company, query, path }) {
      const page = await services.lists.readPage(list.source, company, query);
      if (!page) return refuse('unavailable', { retryAfterSeconds: 1 });
      if (page.items.length === 0 && query.page > 1) return refuse('page-not-found');
      const meta = metaOf(query, page.totalItems, list.ownFilter?.(company.id));
      return reply(page.items.map(list.present), {
        meta,
        links: listLinks(services.settings.publicUrl + path, meta, query.given),
        message: list.message,
      });
    },
  });

const describe = <Row>(list: ListDefinition<Row>): NonNullable<Endpoint['list']> => ({
  columns: Object.entries(list.source.columns).map(([name, { kind }]) => ({ name, kind })),
  searched: Object.entries(list.source.columns)
    .filter(([, column]) => column.kind !== 'look-up' && column.isSearched)
    .map(([name]) => name),
  parameters: Object.keys(list.parameters ?? {}),
  defaultSort: list.defaultSort,
  defaultLimit: list.defaultLimit,
});

function metaOf(
  query: ListRequest,
  totalItems: number,
  ownFilter: Readonly<Record<string, string>> | undefined,
): ListMeta {
  const { search, filter } = query;
  const isFiltered = ownFilter !== undefined || Object.keys(filter).length > 0;
  return {
    ...listMeta(query, totalItems, query.sortBy),
    ...(search ? { search: search.text, searchBy: search.columns } : {}),
    ...(isFiltered ? { filter: { ...filter, ...ownFilter } } : {}),
  };
}

/** Whether a caller asks for a file for spreadsheets. */
export const wantsCsv = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.split(',').some((type) => /^\s*text\/csv\s*(;|$)/i.test(type));

/** Some rows of a file, and how to go on. */
export interface CsvBatch {
  readonly rows: readonly CsvRow[];
  /** Reads the next rows; undefined after the last. */
  readonly next: (() => Promise<CsvBatch>) | undefined;
}

/** Answers a file whose first rows are there; the others are read as fast as the caller takes them. */
export const csvReply = (name: string, names: readonly string[], first: CsvBatch): Reply =>
  reply(null, { file: { name, type: 'text/csv', parts: partsOf(names, first) } });

async function* partsOf(names: readonly string[], first: CsvBatch): AsyncGenerator<string> {
  yield csv([names, ...first.rows]);
  for (let read = first.next; read; ) {
    const batch = await read();
    yield csvLines(batch.rows);
    read = batch.next;
  }
}
