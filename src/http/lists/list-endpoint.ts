import { z } from 'zod';
import type { List } from '../../db/lists/list.ts';
import { refuse } from '../../domain/refusals.ts';
import { type CsvRow, csv, csvLines } from '../../rendering/csv.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { type ListMeta, type Reply, reply } from '../envelope.ts';
import { timeParameter } from '../fields/request-fields.ts';
import { type ListParameter, listLinks, listMeta } from './list-filters.ts';
import { type ListOptions, type ListRequest, listQuery } from './list-query.ts';

/** Parameters that lists share, each for a column of the list. */
export const listParameters = {
  choice: (schema: ListParameter['schema'], column: string): ListParameter => ({
    schema,
    column,
    operator: 'eq',
  }),
  /** Any short text. */
  exact: (description: string, column: string): ListParameter =>
    listParameters.choice(
      z.string('must be one text').min(1).max(100).meta({ description }),
      column,
    ),
  from: (description: string): ListParameter => ({
    schema: timeParameter(description),
    column: 'createdAt',
    operator: 'gte',
  }),
  to: (description: string): ListParameter => ({
    schema: timeParameter(description),
    column: 'createdAt',
    operator: 'lt',
  }),
};

/** A value of a row as JSON has it. */
type Shown<Value> = Value extends Date ? string : Value;

/** The fields of an answer that rows do not have by this name and in this form. */
type Presented<Row, Item> = {
  [Name in keyof Item as Name extends keyof Row
    ? Shown<Row[Name]> extends Item[Name]
      ? never
      : Name
    : Name]: Item[Name];
};

/** Presents what the row itself does not have in the form of the answer; absent where it has everything. */
type Presentation<Row, Item> = keyof Presented<Row, Item> extends never
  ? { readonly present?: (row: Row) => Partial<Item> }
  : { readonly present: (row: Row) => Presented<Row, Item> & Partial<Item> };

/** The definition of one list. */
type ListDefinition<Row, Item extends z.ZodObject> = Pick<
  Endpoint,
  'path' | 'aliases' | 'summary' | 'description'
> &
  Omit<ListOptions, 'list'> & {
    readonly list: List<Row>;
    /** The fields of a row in the answer. */
    readonly item: Item;
    readonly message: string;
    /** Fixed entries of `meta.filter`; absent where the list has none. */
    readonly ownFilter?: (partnerId: number) => Readonly<Record<string, string>>;
  } & Presentation<Row, z.output<Item>>;

/** The endpoint of a list (specification 2.2 and 4.1). */
export const listEndpoint = <Row, Item extends z.ZodObject>(
  definition: ListDefinition<Row, Item>,
): Endpoint =>
  endpoint({
    method: 'GET',
    path: definition.path,
    ...(definition.aliases && { aliases: definition.aliases }),
    operation: 'list',
    summary: definition.summary,
    description: definition.description,
    access: 'token',
    scope: 'read',
    isConditional: true,
    list: definition,
    query: listQuery(definition),
    answer: z.array(definition.item),
    reasons: ['page-not-found'],
    async handle({ services, company, query, path }) {
      const page = await services.lists.readPage(definition.list, company, query);
      if (!page) return refuse('unavailable', { retryAfterSeconds: 1 });
      if (page.items.length === 0 && query.page > 1) return refuse('page-not-found');
      const meta = metaOf(query, page.totalItems, definition.ownFilter?.(company.id));
      return reply(
        page.items.map((row) => itemOf(definition, row)),
        {
          meta,
          links: listLinks(services.settings.http.publicUrl + path, meta, query.given),
          message: definition.message,
        },
      );
    },
  });

/** The described fields of a row, and no others. */
function itemOf<Row, Item extends z.ZodObject>(
  { item, present }: ListDefinition<Row, Item>,
  row: Row,
): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = { ...row, ...present?.(row) };
  return Object.fromEntries(Object.keys(item.shape).map((name) => [name, values[name]]));
}

function metaOf(
  query: ListRequest,
  totalItems: number,
  ownFilter: Readonly<Record<string, string>> | undefined,
): ListMeta {
  const { search, filter } = query;
  const isFiltered = ownFilter !== undefined || Object.keys(filter).length > 0;
  return {
    ...listMeta(query, totalItems, query.sortBy),
    ...(search && { search: search.text, searchBy: search.columns }),
    ...(isFiltered && { filter: { ...filter, ...ownFilter } }),
  };
}

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
