import { type ConnectionOptions, connectDatabase } from '../../db/connection.js';
import { type ListPage, readListPage } from '../../db/lists/list-page.js';
import type { ListQuery, ListSource } from '../../db/lists/list-query.js';
import type { Company } from '../../domain/voucher.js';
import { createFairSemaphore } from '../limits/fair-semaphore.js';

/** Reads lists over separate connections, so that lists never delay money movements. */
export interface ListReader {
  /** A page of a company's list; undefined where no connection came free in time. */
  readPage<Row>(
    source: ListSource<Row>,
    company: Company,
    query: ListQuery,
  ): Promise<ListPage<Row> | undefined>;
  /** Closes the connections. */
  stop(): Promise<void>;
}

/** One company uses at most half of the connections, so that it cannot block the others. */
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
