import {
  type Database,
  DatabaseUnreachableError,
  isDatabaseUnavailable,
} from '../db/connection.ts';
import { readNumberStorage } from '../db/numbers/number-storage.ts';
import type { NumberStorage } from '../domain/phone.ts';
import { patiently } from '../process/patiently.ts';

/** A database that restarts is back by then. */
const PATIENCE_MS = 60_000;

/** A process that starts while the database restarts waits for it. */
const readOnceReachable = (database: Database): Promise<NumberStorage> =>
  patiently(() => readNumberStorage(database), {
    isPassing: isDatabaseUnavailable,
    patienceMs: PATIENCE_MS,
  }).catch((error) => {
    throw isDatabaseUnavailable(error) ? new DatabaseUnreachableError(error) : error;
  });

/** Knows how the database wants numbers stored, without a round trip for each. */
export interface NumberStorageWatch {
  storage(): NumberStorage;
  stop(): void;
}

/**
 * Looks before the process serves anything, and then at an interval until numbers are sealed, which is
 * for ever; a fresh database is sealed from the start.
 */
export async function watchNumberStorage(
  database: Database,
  intervalMs: number,
): Promise<NumberStorageWatch> {
  let storage = await readOnceReachable(database);
  let timer: NodeJS.Timeout | undefined;

  const wait = (): void => {
    if (storage === 'sealed') return;
    timer = setTimeout(() => void look(), intervalMs);
    timer.unref();
  };

  async function look(): Promise<void> {
    // It stays as it is while the database has gone.
    storage = await readNumberStorage(database).catch(() => storage);
    wait();
  }

  wait();
  return { storage: () => storage, stop: () => clearTimeout(timer) };
}
