import {
  type ConnectionOptions,
  connectDatabase,
  type Database,
  type PoolUse,
  poolUseOf,
} from '../../db/connection.ts';
import { type ListPage, readListPage } from '../../db/lists/list-page.ts';
import type { ListQuery, ListSource } from '../../db/lists/list-query.ts';
import type { Company } from '../../domain/voucher.ts';
import { createFairSemaphore } from '../../process/fair-semaphore.ts';

/** Reads lists over separate connections, so that lists never delay money movements. */
export interface ListReader {
  /** A page of a company's list; undefined where no connection came free in time. */
  readPage<Row>(
    source: ListSource<Row>,
    company: Company,
    query: ListQuery,
  ): Promise<ListPage<Row> | undefined>;
  /** Reads for a company; undefined where no connection came free in time. */
  read<Result>(
    company: Company,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result | undefined>;
  poolUse(): PoolUse;
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
  const read: ListReader['read'] = ({ kind, id }, work) =>
    places.use(`${kind} ${id}`, () => work(database));
  return {
    read,
    readPage: (source, company, query) =>
      read(company, (connected) => readListPage(connected, source, company.id, query)),
    poolUse: () => poolUseOf(database),
    stop: () => database.destroy(),
  };
}
