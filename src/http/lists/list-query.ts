import { z } from 'zod';
import {
  type ConnectionOptions,
  connectDatabase,
  type Database,
  poolUseOf,
} from '../../db/connection.ts';
import type { Direction, List, SortBy } from '../../db/lists/list.ts';
import { type Condition, type ListQuery, readListPage } from '../../db/lists/list-page.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { createFairSemaphore } from '../../runtime/process/fair-semaphore.ts';
import { type Filterable, type Filters, readFilters } from './list-filters.ts';

const MAXIMUM_LIMIT = 100;
const MAXIMUM_PAGE = 1_000_000;

const wholeNumber = (maximum: number, range: string) =>
  z
    .string(range)
    .regex(/^[0-9]{1,9}$/, range)
    .transform(Number)
    .refine((number) => number >= 1 && number <= maximum, range);

const texts = z
  .union([z.string(), z.array(z.string())], 'must be text')
  .transform((value) => [value].flat());

/** A number of a query in the OpenAPI document: a number, not a text of digits. */
const shownAsNumber = { type: 'integer', minimum: 1, pattern: undefined } as const;

/** A repeatable parameter in the OpenAPI document. */
const shownAsArray = { type: 'array', items: { type: 'string' }, anyOf: undefined } as const;

/** The options of a list's query. */
export interface ListOptions extends Filterable {
  readonly defaultLimit: number;
}

/** A parsed query with its sent form. */
export interface ListRequest extends ListQuery, Pick<Filters, 'filter' | 'given'> {}

/**
 * The query of a list in the syntax of nestjs-paginate (specification 4.1): `page`,
 * `limit`, `sortBy=column:ASC`, `search`, `searchBy`, `filter.column=$op:value`, and
 * `q=column=value,…`. A higher limit is lowered to the maximum. A filter or an order by anything that the list does not
 * have is refused, and a parameter without a value is absent.
 */
export const listQuery = (options: ListOptions) =>
  z
    .looseObject({
      page: wholeNumber(MAXIMUM_PAGE, `must be one whole number from 1 to ${MAXIMUM_PAGE}`)
        .default(1)
        .meta({
          ...shownAsNumber,
          description: 'Number of the page, from 1',
          maximum: MAXIMUM_PAGE,
          default: 1,
        }),
      limit: wholeNumber(999_999_999, 'must be one whole number above 0')
        .transform((limit) => Math.min(limit, MAXIMUM_LIMIT))
        .default(options.defaultLimit)
        .meta({
          ...shownAsNumber,
          description: `Items of a page; more than ${MAXIMUM_LIMIT} are ${MAXIMUM_LIMIT}`,
          maximum: 999_999_999,
          default: options.defaultLimit,
        }),
      sortBy: texts.optional().meta({
        type: 'array',
        items: {
          type: 'string',
          pattern: `^(${sortableOf(options).join('|').replaceAll('.', '[.]')}):(ASC|DESC|asc|desc)$`,
        },
        anyOf: undefined,
        description: 'Order, `column:ASC` or `column:DESC`; repeatable',
        examples: [options.list.sortBy.map((term) => term.join(':'))],
      }),
      search: z.string('must be one text').optional().meta({
        description:
          'Text to search for, in any case; `meta.searchBy` of the answer names the columns',
      }),
      searchBy: texts
        .optional()
        .meta({ ...shownAsArray, description: 'Column that `search` is limited to; repeatable' }),
      q: texts.optional().meta({
        ...shownAsArray,
        description: 'Filters, `column=value,column=value`; names are compared in any case',
      }),
      ...Object.fromEntries(
        Object.entries(options.parameters ?? {}).map(([name, { schema }]) => [
          name,
          schema.optional(),
        ]),
      ),
    })
    .transform((sent, context): ListRequest => {
      const { page, limit } = sent;
      const sortBy = readSort(options, sent.sortBy ?? []);
      if (sortBy === undefined)
        context.addIssue({
          code: 'custom',
          path: ['sortBy'],
          message: `must be column:ASC or column:DESC, with a column of ${sortableOf(options).join(', ')}`,
        });
      const { problems, conditions, search, filter, given } = readFilters(options, sent);
      for (const { path, message } of problems)
        context.addIssue({ code: 'custom', path: [path], message });
      const isUsual = sortBy === options.list.sortBy && !search && areUsual(options, conditions);
      return {
        page,
        limit,
        sortBy: sortBy ?? options.list.sortBy,
        conditions,
        ...(search && { search }),
        isUsual,
        filter,
        given,
      };
    });

/** For documents and refusals. */
const sortableOf = ({ list }: ListOptions): string[] =>
  Object.entries(list.columns).flatMap(([name, { kind }]) => (kind === 'look-up' ? [] : [name]));

/** The sort columns; undefined where a term is none. The first term of a column counts. */
function readSort({ list }: ListOptions, terms: readonly string[]): SortBy | undefined {
  const sort = new Map<string, Direction>();
  for (const term of terms) {
    const [, name = '', direction = ''] = /^([\w.]+):(ASC|DESC)$/i.exec(term) ?? [];
    const column = Object.hasOwn(list.columns, name) ? list.columns[name] : undefined;
    if (!column || column.kind === 'look-up') return undefined;
    if (!sort.has(name)) sort.set(name, direction.toUpperCase() as Direction);
  }
  return sort.size > 0 ? [...sort] : list.sortBy;
}

/** Whether a query is common: without conditions, or a look-up by one name. */
const areUsual = ({ list }: ListOptions, conditions: readonly Condition[]): boolean =>
  conditions.length <= 1 &&
  conditions.every(
    ({ column, operator, isNegated }) =>
      list.columns[column]?.kind === 'text' && ['eq', 'same'].includes(operator) && !isNegated,
  );

export type ListReader = ReturnType<typeof createListReader>;

/**
 * Reads lists over separate connections, so that lists never delay money movements. One company uses at most half of
 * the connections, so that it cannot block the others.
 */
export function createListReader(
  databaseUrl: string,
  options: ConnectionOptions & { readonly waitMs: number },
) {
  const database = connectDatabase(databaseUrl, options);
  const places = createFairSemaphore({
    places: options.poolSize,
    placesPerOwner: Math.ceil(options.poolSize / 2),
    waitMs: options.waitMs,
  });
  /** Reads for a company; undefined where no connection came free in time. */
  const read = <Result>(
    { kind, id }: Company,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result | undefined> => places.use(`${kind} ${id}`, () => work(database));
  return {
    read,
    /** A page of a company's list; undefined where no connection came free in time. */
    readPage: <Row>(list: List<Row>, company: Company, query: ListQuery) =>
      read(company, (connected) => readListPage(connected, list, company.id, query)),
    poolUse: () => poolUseOf(database),
    /** Closes the connections. */
    stop: () => database.destroy(),
  };
}
