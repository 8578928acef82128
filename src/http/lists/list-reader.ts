import { type ConnectionOptions, connectDatabase } from '../../db/connection.js';
import { type ListPage, readListPage } from '../../db/lists/list-page.js';
import type { ListQuery, ListSource } from '../../db/lists/list-query.js';
import type { Company } from '../../domain/voucher.js';
import { createFairSemaphore } from '../limits/fair-semaphore.js';

/** Reads lists over connections of their own, so that no lists keep money waiting. */
export interface ListReader {
  /** A page of what a company sees of a list; undefined where there was no place in time. */
  readPage<Row>(
    source: ListSource<Row>,
    company: Company,
    query: ListQuery,
  ): Promise<ListPage<Row> | undefined>;
  /** Closes the connections. */
  stop(): Promise<void>;
}

/** One company has half of the connections at most, so that it never keeps the others waiting. */
export function createListReader(
  databaseUrl: string,
  options: ConnectionOptions & { readonly waitMs: number },
): ListReader {
  const database = connectDatabase(databaseUrl, options);
  const places = createFairSemaphore({
    places: options.poolSize,
    placesPerOwner: Math.ceil(options.poolSize / 2),
    waitMs: options.waitMs,
  });
  return {
    readPage: (source, { kind, id }, query) =>
      places.use(`${kind} ${id}`, () => readListPage(database, source, id, query)),
    stop: () => database.destroy(),
  };
}
