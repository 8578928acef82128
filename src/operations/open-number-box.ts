import { setTimeout as pause } from 'node:timers/promises';
import {
  type Database,
  DatabaseUnreachableError,
  isDatabaseUnavailable,
} from '../db/connection.js';
import { readNumberStorage } from '../db/numbers/number-storage.js';
import type { NumberBox, NumberStorage } from '../domain/phone.js';
import { createNumberBox, numberKeysOf } from './number-box.js';

const RETRY_MS = 500;
/** A database that restarts is back by then. */
const PATIENCE_MS = 60_000;

/** A process that starts while the database restarts waits for it. */
async function readOnceReachable(database: Database): Promise<NumberStorage> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await readNumberStorage(database);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (performance.now() > endsAt) throw new DatabaseUnreachableError(error);
    }
    await pause(RETRY_MS);
  }
}

/**
 * The sealing of numbers as the database wants it. Looks before the process serves anything, and then
 * at an interval until numbers are sealed, which is for ever; a fresh database is sealed from the
 * start.
 */
export async function openNumberBox(
  database: Database,
  config: Parameters<typeof numberKeysOf>[0] & { readonly FENCE_CHECK_SECONDS: number },
): Promise<NumberBox & { stop(): void }> {
  let storage = await readOnceReachable(database);
  let timer: NodeJS.Timeout | undefined;

  const wait = (): void => {
    if (storage === 'sealed') return;
    timer = setTimeout(() => void look(), config.FENCE_CHECK_SECONDS * 1_000);
    timer.unref();
  };

  async function look(): Promise<void> {
    // It stays as it is while the database has gone.
    storage = await readNumberStorage(database).catch(() => storage);
    wait();
  }

  wait();
  return {
    ...createNumberBox(numberKeysOf(config), () => storage),
    stop: () => clearTimeout(timer),
  };
}
